// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <opencv2/cudaarithm.hpp>
#include <opencv2/cudaimgproc.hpp>

#include "base/mat.h"
#include "stages/opencv_cuda/on_gpu.h"
#include "stages/opencv_cuda/stages.h"
#include "stages/shared/check_plane.h"

namespace glint::opencv_cuda {
namespace {

/// OpenCV's kernel leaves the outermost pixels out: they are some that are cut off again.
constexpr int kPadding = 2;

class Edges final : public EdgeStage {
 public:
  explicit Edges(int ordinal) : ordinal_(ordinal) {}

  absl::StatusOr<std::vector<Plane>> Run(const Plane& luma,
                                         std::span<const CannyThresholds> thresholds) override {
    if (auto status = CheckPlane("edges: luma", luma, PixelType::kU8, {}); !status.ok()) {
      return status;
    }
    std::vector<Plane> edges;
    edges.reserve(thresholds.size());
    const absl::Status done = OnGpu("edges", ordinal_, [&] {
      luma_.upload(AsMat(luma));
      cv::cuda::copyMakeBorder(luma_, padded_, kPadding, kPadding, kPadding, kPadding,
                               cv::BORDER_REPLICATE);
      for (const CannyThresholds& pair : thresholds) edges.push_back(Find(luma.size(), pair));
    });
    if (!done.ok()) return done;
    return edges;
  }

 private:
  Plane Find(Size size, const CannyThresholds& thresholds) {
    const auto [low, high] = std::minmax(thresholds.low, thresholds.high);
    if (canny_ == nullptr) canny_ = cv::cuda::createCannyEdgeDetector(low, high, 3, false);
    canny_->setLowThreshold(low);
    canny_->setHighThreshold(high);
    canny_->detect(padded_, found_);
    Plane plane = Plane::Host(size, PixelType::kU8);
    cv::Mat host = AsMat(plane);
    found_(cv::Rect(kPadding, kPadding, size.width, size.height)).download(host);
    return plane;
  }

  const int ordinal_;
  cv::Ptr<cv::cuda::CannyEdgeDetector> canny_;
  cv::cuda::GpuMat luma_, padded_, found_;
};

}  // namespace

std::unique_ptr<EdgeStage> MakeEdges(int ordinal) { return std::make_unique<Edges>(ordinal); }

}  // namespace glint::opencv_cuda
