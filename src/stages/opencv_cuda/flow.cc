// SPDX-License-Identifier: Apache-2.0
#include <opencv2/cudaoptflow.hpp>

#include "base/mat.h"
#include "glint/error.h"
#include "stages/opencv_cuda/on_gpu.h"
#include "stages/opencv_cuda/stages.h"
#include "stages/shared/check_flow.h"
#include "stages/shared/flow_length.h"

namespace glint::opencv_cuda {
namespace {

class Flow final : public FlowStage {
 public:
  explicit Flow(int ordinal) : ordinal_(ordinal) {}

  absl::StatusOr<Plane> Field(const Plane& previous, const Plane& next) override {
    const Plane both[] = {previous, next};
    if (absl::Status status = CheckFlowFrames(both, {}); !status.ok()) return status;
    Plane field;
    const absl::Status done = OnGpu("flow", ordinal_, [&] { field = Find(previous, next); });
    if (!done.ok()) return done;
    return field;
  }

  absl::Status MeanLengths(std::span<const Plane> frames, std::span<double> out) override {
    absl::Status status = CheckFlowFrames(frames, {}, out.size());
    for (std::size_t i = 0; status.ok() && i < out.size(); ++i) {
      status =
          OnGpu("flow", ordinal_, [&] { out[i] = MeanLength(Find(frames[i], frames[i + 1])); });
    }
    return status;
  }

 private:
  Plane Find(const Plane& previous, const Plane& next) {
    // The parameters of FlowStage.
    if (farneback_ == nullptr) {
      farneback_ = cv::cuda::FarnebackOpticalFlow::create(3, 0.5, false, 15, 3, 5, 1.2, 0);
    }
    previous_.upload(AsMat(previous));
    next_.upload(AsMat(next));
    farneback_->calc(previous_, next_, field_);
    Plane field = Plane::Host(previous.size(), PixelType::kF32x2);
    cv::Mat host = AsMat(field);
    field_.download(host);
    return field;
  }

  static double MeanLength(const Plane& field) {
    std::int64_t sum = 0;
    for (int y = 0; y < field.height(); ++y) {
      const auto* row = field.Row<float>(y);
      for (std::ptrdiff_t x = 0; x < field.width(); ++x) {
        sum += QuantisedLength(row[2 * x], row[2 * x + 1]);
      }
    }
    return MeanOfQuantisedLengths(sum, field.size().area());
  }

  const int ordinal_;
  cv::Ptr<cv::cuda::FarnebackOpticalFlow> farneback_;
  cv::cuda::GpuMat previous_, next_, field_;
};

}  // namespace

std::unique_ptr<FlowStage> MakeFlow(int ordinal) { return std::make_unique<Flow>(ordinal); }

}  // namespace glint::opencv_cuda
