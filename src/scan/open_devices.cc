// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "glint/device_pool.h"
#include "glint/tuning.h"

namespace glint {
namespace {

/// The classes of size that a device is compared with the CPU for; the last one stands for all that
/// is larger.
constexpr std::array kClasses = {Size{640, 360}, Size{1280, 720}, Size{1920, 1080}};
constexpr int kSampleFrames = 8;

/// Waves that move a little from frame to frame.
std::vector<Plane> SampleOf(Size size) {
  std::vector<Plane> frames;
  for (int i = 0; i < kSampleFrames; ++i) {
    Plane frame = Plane::Host(size, PixelType::kU8);
    for (int y = 0; y < size.height; ++y) {
      auto* row = frame.Row<std::uint8_t>(y);
      for (int x = 0; x < size.width; ++x) {
        const int u = x + i, v = y + i / 2;
        row[x] = static_cast<std::uint8_t>((u * u / 97 + v * v / 61 + u * v / 83) & 255);
      }
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

/// The stages of a sample.
struct SampleStages {
  std::unique_ptr<MeasureStage> measure;
  std::unique_ptr<FlowStage> flow;
  std::unique_ptr<EdgeStage> edges;
  std::unique_ptr<DetailStage> detail;
};

absl::StatusOr<SampleStages> MakeStages(Backend& backend) {
  SampleStages stages;
  GLINT_ASSIGN_OR_RETURN(stages.measure, backend.MakeMeasure());
  GLINT_ASSIGN_OR_RETURN(stages.flow, backend.MakeFlow());
  GLINT_ASSIGN_OR_RETURN(stages.edges, backend.MakeEdges());
  GLINT_ASSIGN_OR_RETURN(stages.detail, backend.MakeDetail());
  return stages;
}

absl::Status RunSample(Backend& backend, SampleStages& stages, std::span<const Plane> frames) {
  std::array<LumaStatistics, kSampleFrames> statistics;
  GLINT_RETURN_IF_ERROR(stages.measure->Begin(frames, false));
  GLINT_RETURN_IF_ERROR(stages.measure->End(statistics, {}));
  std::array<Plane, 2> pair;
  for (std::size_t i = 0; i < pair.size(); ++i) {
    GLINT_ASSIGN_OR_RETURN(pair[i], backend.Upload(frames[i]));
  }
  double length = 0;
  GLINT_RETURN_IF_ERROR(stages.flow->MeanLengths(pair, {&length, 1}));
  constexpr CannyThresholds kThresholds[] = {{15, 60}, {30, 100}, {50, 150}};
  GLINT_RETURN_IF_ERROR(stages.edges->Run(pair[0], kThresholds).status());
  return stages.detail->Run(pair[0]).status();
}

std::string WhyTheCpu(std::int64_t pixels, bool by_tuning) {
  const std::string frames = pixels == std::numeric_limits<std::int64_t>::max()
                                 ? "of any size"
                                 : fmt::format("of up to {} pixels", pixels);
  return fmt::format("auto: for frames {} the CPU is the faster device here, {}", frames,
                     by_tuning ? "as glint bench --tune found" : "as measured at the start");
}

/// The CPU for small frames, where it is faster than the devices for any.
std::optional<DevicePool::SmallFrames> SmallFramesFor(Backend& device,
                                                      std::span<const BackendEntry> table,
                                                      const BackendOptions& options,
                                                      const SampleTimer& timer) {
  auto cpu = SelectBackend("cpu", table, options);
  if (!cpu.ok()) return std::nullopt;
  std::optional<std::int64_t> limit;
  if (options.tuning != nullptr) {
    limit = options.tuning->CpuUpTo(device.description(), options.pool->threads());
  }
  const bool by_tuning = limit.has_value();
  if (!by_tuning) {
    const auto measured = FindCpuLimit(device, *cpu->backend, timer);
    if (!measured.ok()) return std::nullopt;  // a scan meets the same failure, and says so
    limit = *measured;
  }
  if (*limit == 0) return std::nullopt;
  cpu->why = WhyTheCpu(*limit, by_tuning);
  return DevicePool::SmallFrames{*std::move(cpu), *limit};
}

}  // namespace

absl::StatusOr<double> TimeSample(Backend& backend, Size frame) {
  using Clock = std::chrono::steady_clock;
  GLINT_ASSIGN_OR_RETURN(SampleStages stages, MakeStages(backend));
  const std::vector<Plane> frames = SampleOf(frame);
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 3; ++run) {
    const auto start = Clock::now();
    GLINT_RETURN_IF_ERROR(RunSample(backend, stages, frames));
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (run > 0) best = std::min(best, seconds);
  }
  return best;
}

absl::StatusOr<std::int64_t> FindCpuLimit(Backend& device, Backend& cpu, const SampleTimer& timer) {
  std::int64_t limit = 0;
  for (const Size size : kClasses) {
    GLINT_ASSIGN_OR_RETURN(const double on_device, timer(device, size));
    GLINT_ASSIGN_OR_RETURN(const double on_cpu, timer(cpu, size));
    if (on_cpu >= on_device) return limit;
    limit = size.area();
  }
  return std::numeric_limits<std::int64_t>::max();
}

absl::StatusOr<std::unique_ptr<DevicePool>> OpenDevices(std::string_view wanted,
                                                        std::span<const BackendEntry> table,
                                                        const BackendOptions& options,
                                                        const SampleTimer& timer) {
  GLINT_ASSIGN_OR_RETURN(auto devices, SelectBackends(wanted, table, options));
  Backend& first = *devices.front().backend;
  std::optional<DevicePool::SmallFrames> small_frames;
  if (wanted == "auto" && !first.device().is_host()) {
    small_frames = SmallFramesFor(first, table, options, timer);
  }
  return std::make_unique<DevicePool>(std::move(devices), std::move(small_frames));
}

}  // namespace glint
