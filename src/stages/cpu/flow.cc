// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/flow.h"

#include <cmath>
#include <opencv2/video/tracking.hpp>

#include "base/mat.h"
#include "base/thread_pool.h"
#include "stages/check_plane.h"
#include "stages/cpu/host_call.h"
#include "stages/flow_length.h"

namespace glint {
namespace {

constexpr int kMinSide = 16;

cv::Mat Farneback(const Plane& previous, const Plane& next) {
  cv::Mat flow;
  cv::calcOpticalFlowFarneback(AsMat(previous), AsMat(next), flow, /*pyr_scale=*/0.5, /*levels=*/3,
                               /*winsize=*/15, /*iterations=*/3, /*poly_n=*/5, /*poly_sigma=*/1.2,
                               /*flags=*/0);
  return flow;
}

double MeanLength(const cv::Mat& flow) {
  std::int64_t sum = 0;
  for (int y = 0; y < flow.rows; ++y) {
    const auto* vectors = flow.ptr<cv::Vec2f>(y);
    for (int x = 0; x < flow.cols; ++x) sum += QuantisedLength(vectors[x][0], vectors[x][1]);
  }
  return MeanOfQuantisedLengths(sum, std::int64_t{flow.rows} * flow.cols);
}

class CpuFlow final : public FlowStage {
 public:
  explicit CpuFlow(ThreadPool* pool) : pool_(*pool) {}

  absl::StatusOr<Plane> Field(const Plane& previous, const Plane& next) override {
    const Plane both[] = {previous, next};
    if (auto status = Check(both); !status.ok()) return status;
    Plane field;
    const absl::Status done = HostCall("flow", [&] { field = AsPlane(Farneback(previous, next)); });
    if (!done.ok()) return done;
    return field;
  }

  absl::Status MeanLengths(std::span<const Plane> frames, std::span<double> out) override {
    if (auto status = Check(frames); !status.ok()) return status;
    if (frames.size() < 2) {
      return Error(Reason::kInvalidOption, "flow: mean lengths need at least two frames");
    }
    if (auto status = CheckCount("flow: frames", frames.size(), out.size() + 1); !status.ok()) {
      return status;
    }
    return HostCall("flow", [&] {
      pool_.ParallelFor(std::ssize(out), [&](std::int64_t i) {
        const auto k = static_cast<std::size_t>(i);
        out[k] = MeanLength(Farneback(frames[k], frames[k + 1]));
      });
    });
  }

 private:
  static absl::Status Check(std::span<const Plane> frames) {
    return CheckPlanes("flow: frame", frames, PixelType::kU8, Device(), kMinSide);
  }

  ThreadPool& pool_;
};

}  // namespace

std::unique_ptr<FlowStage> MakeCpuFlow(ThreadPool* pool) { return std::make_unique<CpuFlow>(pool); }

}  // namespace glint
