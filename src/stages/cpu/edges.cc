// SPDX-License-Identifier: Apache-2.0
#include <opencv2/imgproc.hpp>

#include "base/host_call.h"
#include "base/mat.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "stages/cpu/stages.h"
#include "stages/shared/check_plane.h"

namespace glint {
namespace {

// cv::Canny on gradients gives what cv::Canny(luma, low, high, 3, false) gives: it takes them with
// the same kernel and border.
class CpuEdges final : public CpuStage<EdgeStage> {
 public:
  using CpuStage::CpuStage;

  absl::StatusOr<std::vector<Plane>> Run(const Plane& luma,
                                         std::span<const CannyThresholds> thresholds) override {
    GLINT_RETURN_IF_ERROR(CheckPlane("edges: luma", luma, PixelType::kU8, Device()));
    std::vector<Plane> edges(thresholds.size());
    GLINT_RETURN_IF_ERROR(HostCall("edges", [&] {
      const cv::Mat grey = AsMat(luma);
      cv::Sobel(grey, dx_, CV_16S, 1, 0, 3, 1, 0, cv::BORDER_REPLICATE);
      cv::Sobel(grey, dy_, CV_16S, 0, 1, 3, 1, 0, cv::BORDER_REPLICATE);
      pool_.ParallelFor(std::ssize(thresholds), [&](std::int64_t i) {
        const auto k = static_cast<std::size_t>(i);
        edges[k] = Plane::Host(luma.size(), PixelType::kU8);
        cv::Canny(dx_, dy_, AsMat(edges[k]), thresholds[k].low, thresholds[k].high, false);
      });
    }));
    return edges;
  }

 private:
  cv::Mat dx_;
  cv::Mat dy_;
};

}  // namespace

GLINT_DEFINE_CPU_STAGE(Edges, CpuEdges)

}  // namespace glint
