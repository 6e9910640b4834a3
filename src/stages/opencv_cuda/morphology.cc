// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <opencv2/cudaarithm.hpp>
#include <opencv2/cudafilters.hpp>
#include <opencv2/imgproc.hpp>

#include "base/mat.h"
#include "stages/opencv_cuda/on_gpu.h"
#include "stages/opencv_cuda/stages.h"
#include "stages/shared/check_plane.h"

namespace glint::opencv_cuda {
namespace {

class Morphology final : public MorphologyStage {
 public:
  explicit Morphology(int ordinal) : ordinal_(ordinal) {}

  absl::StatusOr<Plane> Run(const Plane& input, MorphologyOp op, const StructuringElement& element,
                            int iterations) override {
    absl::Status status = CheckPlane("morphology: input", input, PixelType::kU8, {});
    if (status.ok()) status = CheckSize("morphology: element", element.size);
    if (!status.ok()) return status;
    if (iterations < 1) {
      return Error(Reason::kInternal,
                   fmt::format("morphology: {} iterations; there must be at least 1", iterations));
    }
    Plane output;
    status = OnGpu("morphology", ordinal_, [&] {
      std::vector<std::uint8_t> cells = element.Rasterise();
      const cv::Mat kernel(element.size.height, element.size.width, CV_8UC1, cells.data());
      cv::cuda::GpuMat plane(AsMat(input));
      plane = Apply(plane, op, kernel, iterations);
      output = Plane::Host(input.size(), PixelType::kU8);
      cv::Mat host = AsMat(output);
      plane.download(host);
    });
    if (!status.ok()) return status;
    return output;
  }

 private:
  using GpuMat = cv::cuda::GpuMat;

  static GpuMat Apply(const GpuMat& input, MorphologyOp op, const cv::Mat& kernel, int times) {
    const auto erode = [&](const GpuMat& from) {
      return Repeat(from, cv::MORPH_ERODE, 255, kernel, times);
    };
    const auto dilate = [&](const GpuMat& from) {
      return Repeat(from, cv::MORPH_DILATE, 0, kernel, times);
    };
    GpuMat difference;
    switch (op) {
      case MorphologyOp::kErode:
        return erode(input);
      case MorphologyOp::kDilate:
        return dilate(input);
      case MorphologyOp::kOpen:
        return dilate(erode(input));
      case MorphologyOp::kClose:
        return erode(dilate(input));
      case MorphologyOp::kTopHat:
        cv::cuda::subtract(input, dilate(erode(input)), difference);
        return difference;
      case MorphologyOp::kBlackHat:
        cv::cuda::subtract(erode(dilate(input)), input, difference);
        return difference;
    }
    return input;
  }

  /// Erodes or dilates. Around the plane lies what takes no part, written out anew each time:
  /// OpenCV's own border is another one.
  static GpuMat Repeat(const GpuMat& input, int op, int outside, const cv::Mat& kernel, int times) {
    const int x = kernel.cols, y = kernel.rows;
    const auto filter = cv::cuda::createMorphologyFilter(op, CV_8UC1, kernel);
    GpuMat plane = input.clone(), padded, done;
    for (int i = 0; i < times; ++i) {
      cv::cuda::copyMakeBorder(plane, padded, y, y, x, x, cv::BORDER_CONSTANT, cv::Scalar(outside));
      filter->apply(padded, done);
      done(cv::Rect(x, y, input.cols, input.rows)).copyTo(plane);
    }
    return plane;
  }

  const int ordinal_;
};

}  // namespace

std::unique_ptr<MorphologyStage> MakeMorphology(int ordinal) {
  return std::make_unique<Morphology>(ordinal);
}

}  // namespace glint::opencv_cuda
