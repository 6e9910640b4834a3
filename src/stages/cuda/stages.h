// SPDX-License-Identifier: Apache-2.0
// The stages on a GPU.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <optional>

#include "glint/backend.h"
#include "stages/cuda/context.h"

namespace glint::cuda {

std::unique_ptr<LumaConversionStage> MakeLumaConversion(std::unique_ptr<StreamContext> context);
std::unique_ptr<LumaStatisticsStage> MakeLumaStatistics(std::unique_ptr<StreamContext> context);
std::unique_ptr<FlowStage> MakeFlow(std::unique_ptr<StreamContext> context);
/// The frames that a batch should have, where that was measured.
using TunedBatch = std::function<std::optional<int>(Size frame, bool motion)>;
/// @param copies,computes  contexts of one GPU; their streams work side by side
absl::StatusOr<std::unique_ptr<MeasureStage>> MakeMeasure(std::unique_ptr<StreamContext> copies,
                                                          std::unique_ptr<StreamContext> computes,
                                                          TunedBatch tuned);
std::unique_ptr<EdgeStage> MakeEdges(std::unique_ptr<StreamContext> context);
std::unique_ptr<MorphologyStage> MakeMorphology(std::unique_ptr<StreamContext> context);
std::unique_ptr<ConnectedComponentsStage> MakeConnectedComponents(
    std::unique_ptr<StreamContext> context);
std::unique_ptr<WarpStage> MakeWarp(std::unique_ptr<StreamContext> context);
std::unique_ptr<DetailStage> MakeDetail(std::unique_ptr<StreamContext> context);
std::unique_ptr<ClassicFusionStage> MakeClassicFusion(std::unique_ptr<StreamContext> context);
std::unique_ptr<AlbedoStage> MakeAlbedo(std::unique_ptr<StreamContext> context);
std::unique_ptr<ResidualStage> MakeResidual(std::unique_ptr<StreamContext> context);
std::unique_ptr<LineEvidenceStage> MakeLineEvidence(std::unique_ptr<StreamContext> context);
std::unique_ptr<RidgeStage> MakeRidge(std::unique_ptr<StreamContext> context);

}  // namespace glint::cuda
