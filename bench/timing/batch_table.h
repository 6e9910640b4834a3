// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <vector>

#include "bench/timing/scene.h"
#include "glint/backend.h"
#include "glint/cancel.h"

namespace glint {

/// How fast frames from host memory are measured in batches of some length.
struct BatchRow {
  int frames = 1;  ///< per batch
  double frames_per_s = 0;
};

/// Measures the scene's frames over and over, as many batches under way as the device allows, in
/// batches of 1, 2, 4, ... frames up to the scene's.
/// @param seconds  that each length takes, about
/// Errors: those of the backend and of the token
absl::StatusOr<std::vector<BatchRow>> MeasureBatches(Backend& backend, const BenchScene& scene,
                                                     bool motion, double seconds,
                                                     const CancelToken& cancel);

/// The batch to use: the shortest that is at most 3 % slower than the fastest. @param rows  not
/// empty, lengths rise
BatchRow BestOf(const std::vector<BatchRow>& rows);

}  // namespace glint
