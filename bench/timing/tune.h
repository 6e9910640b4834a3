// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "bench/timing/batch_table.h"
#include "glint/device_pool.h"
#include "glint/tuning.h"

namespace glint {

/// The batches of a device for frames of one size.
struct BatchTable {
  std::string device;  ///< "cuda:0"
  Size frame;
  bool motion = false;
  std::vector<BatchRow> rows;
};

/// Finds the best batches of a device and adds them to the tuning. @return what was measured
/// Errors: those of MeasureBatches
absl::StatusOr<std::vector<BatchTable>> TuneBatches(const BackendChoice& device,
                                                    std::span<const BenchScene> scenes,
                                                    double seconds, Tuning& tuning,
                                                    const CancelToken& cancel);

}  // namespace glint
