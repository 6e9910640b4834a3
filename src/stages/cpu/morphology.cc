// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <opencv2/imgproc.hpp>

#include "base/host_call.h"
#include "base/mat.h"
#include "base/status_macros.h"
#include "stages/cpu/stages.h"
#include "stages/shared/check_plane.h"

namespace glint {
namespace {

cv::MorphTypes OpenCvName(MorphologyOp op) {
  switch (op) {
    case MorphologyOp::kErode:
      return cv::MORPH_ERODE;
    case MorphologyOp::kDilate:
      return cv::MORPH_DILATE;
    case MorphologyOp::kOpen:
      return cv::MORPH_OPEN;
    case MorphologyOp::kClose:
      return cv::MORPH_CLOSE;
    case MorphologyOp::kTopHat:
      return cv::MORPH_TOPHAT;
    case MorphologyOp::kBlackHat:
      return cv::MORPH_BLACKHAT;
  }
  return cv::MORPH_ERODE;
}

class CpuMorphology final : public MorphologyStage {
 public:
  absl::StatusOr<Plane> Run(const Plane& input, MorphologyOp op, const StructuringElement& element,
                            int iterations) override {
    GLINT_RETURN_IF_ERROR(CheckPlane("morphology: input", input, PixelType::kU8, Device()));
    GLINT_RETURN_IF_ERROR(CheckSize("morphology: element", element.size));
    if (iterations < 1) {
      return Error(Reason::kInternal,
                   fmt::format("morphology: {} iterations; there must be at least 1", iterations));
    }
    Plane output;
    GLINT_RETURN_IF_ERROR(HostCall("morphology", [&] {
      std::vector<std::uint8_t> cells = element.Rasterise();
      const cv::Mat kernel(element.size.height, element.size.width, CV_8UC1, cells.data());
      output = Plane::Host(input.size(), PixelType::kU8);
      cv::morphologyEx(AsMat(input), AsMat(output), OpenCvName(op), kernel, cv::Point(-1, -1),
                       iterations);
    }));
    return output;
  }
};

}  // namespace

std::unique_ptr<MorphologyStage> MakeCpuMorphology(ThreadPool* /*pool*/) {
  return std::make_unique<CpuMorphology>();
}

}  // namespace glint
