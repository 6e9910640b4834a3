// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/backend.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <limits>
#include <vector>

#include "base/thread_pool.h"
#include "glint/error.h"
#include "stages/cpu/stages.h"
#include "stages/opencv_threads.h"
#include "stages/shared/sequential_measure.h"

namespace glint {
namespace {

// The instruction set that our SIMD code runs with here, in the words of its makers.
std::string_view SimdLevel() {
  const auto targets = static_cast<std::uint64_t>(hwy::SupportedTargets());
  const auto best = static_cast<std::int64_t>(std::uint64_t{1} << std::countr_zero(targets));
  const std::string_view name = hwy::TargetName(best);
  if (name.starts_with("AVX3")) return "AVX-512";
  return name;
}

absl::Status NotOnTheHost(const Plane& plane) {
  return Error(
      Reason::kInternal,
      fmt::format("the cpu backend was given {}; it moves host planes only", Describe(plane)));
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(ThreadPool* pool) : pool_(pool) {}

  std::string_view name() const override { return "cpu"; }
  std::string description() const override {
    const int cores = pool_->threads();
    return fmt::format("{} core{}, {}", cores, cores == 1 ? "" : "s", SimdLevel());
  }
  Device device() const override { return {}; }

  absl::StatusOr<double> CopySpeed(std::int64_t bytes) override {
    using Clock = std::chrono::steady_clock;
    constexpr int kRuns = 4;  // the first one makes the pages
    const int parts = pool_->threads();
    const auto part = static_cast<std::size_t>((bytes + parts - 1) / parts);
    std::vector<std::byte> from(part * static_cast<std::size_t>(parts)), to(from.size());
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; run < kRuns; ++run) {
      const auto start = Clock::now();
      pool_->ParallelFor(parts, [&](std::int64_t i) {
        const std::size_t at = part * static_cast<std::size_t>(i);
        std::memcpy(to.data() + at, from.data() + at, part);
      });
      best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return 2 * static_cast<double>(from.size()) / std::max(best, 1e-9);
  }

  absl::StatusOr<Plane> Upload(const Plane& host) override { return Move(host); }
  absl::StatusOr<Plane> Download(const Plane& plane) override { return Move(plane); }

#define GLINT_MAKE_STAGE(Type, Name, ...) \
  absl::StatusOr<std::unique_ptr<Type>> Make##Name() override { return MakeCpu##Name(pool_); }
  GLINT_STAGES(GLINT_MAKE_STAGE)
#undef GLINT_MAKE_STAGE
  absl::StatusOr<std::unique_ptr<MeasureStage>> MakeMeasure() override {
    return MakeSequentialMeasure(MakeCpuLumaStatistics(pool_), MakeCpuFlow(pool_));
  }

 private:
  static absl::StatusOr<Plane> Move(const Plane& plane) {
    if (!plane.device().is_host()) return NotOnTheHost(plane);
    return plane;
  }

  ThreadPool* pool_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeCpuBackend(const BackendOptions& options) {
  if (options.pool == nullptr) {
    return Error(Reason::kInvalidOption, "the cpu backend needs a thread pool (BackendOptions)");
  }
  KeepOpenCvOnTheCallingThread();
  return std::make_unique<CpuBackend>(options.pool);
}

}  // namespace glint
