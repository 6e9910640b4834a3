// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <vector>

#include "bench/timing/scene.h"
#include "glint/backend.h"
#include "glint/cancel.h"

namespace glint {

/// One stage on one device, with frames that lie there already.
struct StageRow {
  std::string stage;
  double ms_per_frame = 0;
  double frames_per_s = 0;
  std::optional<double> mb_per_frame;  ///< see StageWork::bytes
  std::optional<double> of_floor;  ///< 1: as fast as a copy of as many bytes would be; 0.5: half
};

/// Checks that a device gives the CPU's bytes, on a few random cases of `glint verify`.
/// Errors: INTERNAL they differ; those of the stages
absl::Status CheckAnswers(Backend& cpu, Backend& device);

/// Times every stage.
/// @param copy_speed  Backend::CopySpeed
/// @param seconds     that each stage takes, about
/// Errors: those of the stages and of the token
absl::StatusOr<std::vector<StageRow>> TimeStages(Backend& backend, const BenchScene& scene,
                                                 double copy_speed, double seconds,
                                                 const CancelToken& cancel);

}  // namespace glint
