// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "glint/backend.h"
#include "stages/cuda/backend.h"
#include "stages/cuda/simulated_gpu.h"
#include "support/status_matchers.h"

namespace glint {

/// Devices called "cuda:0", "cuda:1", ..., one for each of `faults`.
inline std::vector<BackendChoice> Gpus(
    const std::vector<std::shared_ptr<cuda::SimulatedFaults>>& with_faults) {
  std::vector<BackendChoice> devices;
  for (const auto& with : with_faults) {
    const int ordinal = static_cast<int>(devices.size());
    auto backend =
        cuda::MakeBackend([with, ordinal] { return cuda::MakeSimulatedGpu(with, ordinal); });
    EXPECT_THAT(backend, IsOk());
    devices.push_back({.name = "cuda:" + std::to_string(ordinal),
                       .why = "forced",
                       .probes = {},
                       .backend = *std::move(backend)});
  }
  return devices;
}

}  // namespace glint
