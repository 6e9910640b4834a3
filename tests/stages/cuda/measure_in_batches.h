// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "stages/cpu/backend.h"
#include "stages/cuda/backend.h"
#include "stages/cuda/simulated_gpu.h"

namespace glint::cuda {

/// Noise over a wave that moves a little from frame to frame.
std::vector<Plane> Frames(int count, Size size);

struct Measures {
  std::vector<LumaStatistics> statistics;
  std::vector<double> lengths;
  bool operator==(const Measures&) const = default;
};

/// Measures frames in batches of these lengths, as many under way as the stage allows.
absl::StatusOr<Measures> Measure(MeasureStage& stage, std::span<const Plane> frames,
                                 std::span<const std::size_t> batches, bool motion);

/// Measuring on the CPU and on a simulated GPU, whose faults and order can be set.
class MeasuringTest : public testing::Test {
 protected:
  std::unique_ptr<MeasureStage> OnCpu() {
    return *(*MakeCpuBackend({.pool = &pool_}))->MakeMeasure();
  }
  std::unique_ptr<MeasureStage> OnGpu() { return *gpu_->MakeMeasure(); }

  /// The GPU's numbers are the CPU's. @return them
  Measures ExpectTheCpusNumbers(std::span<const Plane> frames, std::span<const std::size_t> batches,
                                bool motion);

  ThreadPool pool_{2};
  std::shared_ptr<SimulatedFaults> faults_ = std::make_shared<SimulatedFaults>();
  std::unique_ptr<Backend> gpu_ =
      *MakeBackend([faults = faults_] { return MakeSimulatedGpu(faults); });
};

/// The orders in which a simulated GPU may work.
inline auto SimulatedOrders() {
  return testing::Values(SimulatedOrder::kNeededOnly, SimulatedOrder::kOthersFirst,
                         SimulatedOrder::kRandom);
}

}  // namespace glint::cuda
