// SPDX-License-Identifier: Apache-2.0
#include "stages/opencv_cuda/backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "glint/error.h"
#include "stages/cpu/backend.h"
#include "stages/opencv_cuda/on_gpu.h"
#include "stages/opencv_cuda/stages.h"
#include "stages/shared/forwarding_backend.h"
#include "stages/shared/sequential_measure.h"

namespace glint::opencv_cuda {
namespace {

/// What OpenCV has as glint defines it; the rest is the CPU's.
class OpenCvCudaBackend final : public ForwardingBackend {
 public:
  OpenCvCudaBackend(int ordinal, std::string gpu, std::unique_ptr<Backend> cpu)
      : ForwardingBackend(*cpu), ordinal_(ordinal), gpu_(std::move(gpu)), cpu_(std::move(cpu)) {}

  std::string_view name() const override { return "opencv_cuda"; }
  std::string description() const override {
    return fmt::format("{} by OpenCV {}, and {}", gpu_, CV_VERSION, cpu_->description());
  }

  absl::StatusOr<std::unique_ptr<LumaStatisticsStage>> MakeLumaStatistics() override {
    auto small = cpu_->MakeLumaStatistics();
    if (!small.ok()) return small;
    return opencv_cuda::MakeLumaStatistics(ordinal_, *std::move(small));
  }
  absl::StatusOr<std::unique_ptr<FlowStage>> MakeFlow() override {
    return opencv_cuda::MakeFlow(ordinal_);
  }
  absl::StatusOr<std::unique_ptr<MeasureStage>> MakeMeasure() override {
    auto statistics = MakeLumaStatistics();
    if (!statistics.ok()) return statistics.status();
    return MakeSequentialMeasure(*std::move(statistics), opencv_cuda::MakeFlow(ordinal_));
  }
  absl::StatusOr<std::unique_ptr<EdgeStage>> MakeEdges() override {
    return opencv_cuda::MakeEdges(ordinal_);
  }
  absl::StatusOr<std::unique_ptr<MorphologyStage>> MakeMorphology() override {
    return opencv_cuda::MakeMorphology(ordinal_);
  }

 private:
  const int ordinal_;
  const std::string gpu_;
  const std::unique_ptr<Backend> cpu_;
};

/// As OpenCV counts them: 0 also when it was built without CUDA, -1 without a driver that it can
/// use.
int DevicesThatOpenCvSees() {
  try {
    return cv::cuda::getCudaEnabledDeviceCount();
  } catch (const cv::Exception&) {
    return -1;
  }
}

/// A bright square on dark ground.
Plane Square() {
  Plane plane = Plane::Host({40, 32}, PixelType::kU8);
  for (int y = 0; y < plane.height(); ++y) {
    for (int x = 0; x < plane.width(); ++x) {
      const bool inside = x >= 10 && x < 28 && y >= 8 && y < 24;
      plane.Row<std::uint8_t>(y)[x] = inside ? 200 : 20;
    }
  }
  return plane;
}

bool Same(const Plane& a, const Plane& b) {
  for (int y = 0; y < a.height(); ++y) {
    const auto width = static_cast<std::size_t>(a.width());
    if (std::memcmp(a.Row<std::byte>(y), b.Row<std::byte>(y), width) != 0) return false;
  }
  return true;
}

absl::Status Wrong(std::string_view stage) {
  return Error(Reason::kDeviceUnavailable,
               fmt::format("OpenCV's {} of a drawn square are wrong on this GPU", stage));
}

/// Compares what is exact with the CPU's.
absl::Status Compare(Backend& gpu, Backend& cpu) {
  const Plane square = Square();
  LumaStatistics found, expected;
  absl::Status status = (*gpu.MakeLumaStatistics())->Run({&square, 1}, {&found, 1});
  if (status.ok()) status = (*cpu.MakeLumaStatistics())->Run({&square, 1}, {&expected, 1});
  if (!status.ok()) return status;
  if (found != expected) return Wrong("statistics");
  const CannyThresholds thresholds{50, 150};
  const auto edges = (*gpu.MakeEdges())->Run(square, {&thresholds, 1});
  const auto expected_edges = (*cpu.MakeEdges())->Run(square, {&thresholds, 1});
  if (!edges.ok()) return edges.status();
  if (!expected_edges.ok()) return expected_edges.status();
  if (!Same(edges->front(), expected_edges->front())) return Wrong("edges");
  const auto eroded = (*gpu.MakeMorphology())->Run(square, MorphologyOp::kErode, {}, 1);
  const auto expected_eroded = (*cpu.MakeMorphology())->Run(square, MorphologyOp::kErode, {}, 1);
  if (!eroded.ok()) return eroded.status();
  if (!expected_eroded.ok()) return expected_eroded.status();
  return Same(*eroded, *expected_eroded) ? absl::OkStatus() : Wrong("erosions");
}

}  // namespace

int CountGpus() { return std::max(0, DevicesThatOpenCvSees()); }

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const BackendOptions& options) {
  const int count = DevicesThatOpenCvSees();
  if (count < 0) {
    return Error(Reason::kDeviceUnavailable,
                 "there is no NVIDIA driver, or it is too old for OpenCV");
  }
  if (options.ordinal >= count) {
    return Error(
        Reason::kDeviceUnavailable,
        count > 0 ? fmt::format("OpenCV sees {} GPUs; there is no GPU {}", count, options.ordinal)
                  : "OpenCV sees no GPU: install NVIDIA's driver and load it (nvidia-smi lists the "
                    "GPUs then), "
                    "or start the container with --gpus all");
  }
  std::string gpu;
  const absl::Status named = OnGpu("OpenCV's CUDA modules", options.ordinal,
                                   [&] { gpu = cv::cuda::DeviceInfo(options.ordinal).name(); });
  if (!named.ok()) return named;
  auto cpu = MakeCpuBackend(options);
  if (!cpu.ok()) return cpu.status();
  return std::make_unique<OpenCvCudaBackend>(options.ordinal, std::move(gpu), *std::move(cpu));
}

absl::Status ProbeBackend(const BackendOptions& options) {
  auto gpu = MakeBackend(options);
  if (!gpu.ok()) return gpu.status();
  auto cpu = MakeCpuBackend(options);
  return cpu.ok() ? Compare(**gpu, **cpu) : cpu.status();
}

}  // namespace glint::opencv_cuda
