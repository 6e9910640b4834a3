// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "glint/backend.h"

namespace glint {

/// The stages that one scan uses, with their scratch memory; used by one thread at a time.
struct StageSet {
  std::shared_ptr<Backend> backend;
  std::unique_ptr<FlowStage> flow;
  std::unique_ptr<MeasureStage> measure;
  std::unique_ptr<EdgeStage> edges;
  std::unique_ptr<MorphologyStage> morphology;
  std::unique_ptr<ConnectedComponentsStage> components;
  std::unique_ptr<WarpStage> warp;
  std::unique_ptr<DetailStage> detail;
  std::unique_ptr<ClassicFusionStage> classic_fusion;
  std::unique_ptr<AlbedoStage> albedo;
  std::unique_ptr<ResidualStage> residual;
  std::unique_ptr<LineEvidenceStage> line_evidence;
  std::unique_ptr<RidgeStage> ridge;

  /// All stages of one backend. Errors: those of the backend's Make functions.
  static absl::StatusOr<StageSet> Make(std::shared_ptr<Backend> backend);

  /// Makes all stages anew, so that the scratch memory of what they did is free. Errors: as Make's
  absl::Status Renew();
};

}  // namespace glint
