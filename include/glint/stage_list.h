// SPDX-License-Identifier: Apache-2.0
// Every stage, once: STAGE(Type, Name, member, "report name", use) stands for the interface, the
// Name in Backend::MakeName and in what backends call their makers, the member of StageSet, what
// reports call it, and what a scan needs it for (StageUse).
#pragma once

/// The stages of StageSet, in the order in which a scan comes to them.
#define GLINT_SCAN_STAGES(STAGE)                                               \
  STAGE(FlowStage, Flow, flow, "flow", kMeasuring)                             \
  STAGE(WarpStage, Warp, warp, "warp", kPlacing)                               \
  STAGE(SheetWarpStage, SheetWarp, sheet_warp, "sheet warp", kPhotometric)     \
  STAGE(MorphologyStage, Morphology, morphology, "morphology", kPlacing)       \
  STAGE(DetailStage, Detail, detail, "detail", kPlacing)                       \
  STAGE(EdgeStage, Edges, edges, "edges", kClassic)                            \
  STAGE(ClassicFusionStage, ClassicFusion, classic_fusion, "fusion", kClassic) \
  STAGE(AlbedoStage, Albedo, albedo, "artwork", kPhotometric)                  \
  STAGE(ResidualStage, Residual, residual, "residual", kPhotometric)           \
  STAGE(LineEvidenceStage, LineEvidence, line_evidence, "lines", kPhotometric) \
  STAGE(RidgeStage, Ridge, ridge, "ridges", kPhotometric)                      \
  STAGE(ConnectedComponentsStage, ConnectedComponents, components, "components", kPlacing)

/// All stages: with those that scans use through MeasureStage only, or not at all.
#define GLINT_STAGES(STAGE)                                                        \
  STAGE(LumaConversionStage, LumaConversion, luma_conversion, "", kNever)          \
  STAGE(LumaStatisticsStage, LumaStatistics, statistics, "statistics", kMeasuring) \
  GLINT_SCAN_STAGES(STAGE)

/// What a backend makes: all stages, and the measuring of many frames, which backends put together
/// of stages in ways of their own.
#define GLINT_BACKEND_STAGES(STAGE) \
  STAGE(MeasureStage, Measure)      \
  GLINT_STAGES(STAGE)
