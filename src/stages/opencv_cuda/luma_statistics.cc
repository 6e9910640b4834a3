// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <opencv2/cudaarithm.hpp>
#include <opencv2/cudafilters.hpp>

#include "base/mat.h"
#include "stages/opencv_cuda/on_gpu.h"
#include "stages/opencv_cuda/stages.h"
#include "stages/shared/check_plane.h"

namespace glint::opencv_cuda {
namespace {

class Statistics final : public LumaStatisticsStage {
 public:
  Statistics(int ordinal, std::unique_ptr<LumaStatisticsStage> small)
      : ordinal_(ordinal), small_(std::move(small)) {}

  absl::Status Run(std::span<const Plane> luma, std::span<LumaStatistics> out) override {
    if (auto status = CheckCount("luma statistics: results", out.size(), luma.size());
        !status.ok()) {
      return status;
    }
    for (std::size_t i = 0; i < luma.size(); ++i) {
      absl::Status status = CheckPlane("luma statistics: luma", luma[i], PixelType::kU8, {});
      if (status.ok()) {
        status = std::min(luma[i].width(), luma[i].height()) < 3
                     ? small_->Run(luma.subspan(i, 1), out.subspan(i, 1))
                     : OnGpu("luma statistics", ordinal_, [&] { out[i] = Measure(luma[i]); });
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  LumaStatistics Measure(const Plane& luma) {
    if (laplace_ == nullptr) laplace_ = cv::cuda::createLaplacianFilter(CV_32FC1, CV_32FC1, 1);
    grey_.upload(AsMat(luma));
    grey_.convertTo(values_, CV_32F);
    laplace_->apply(values_, laplacian_);
    // Whole numbers, summed in double: exact up to 2^53.
    return {.pixels = luma.size().area(),
            .laplacian_sum = static_cast<std::int64_t>(cv::cuda::sum(laplacian_)[0]),
            .laplacian_square_sum = static_cast<std::int64_t>(cv::cuda::sqrSum(laplacian_)[0]),
            .dark = Count(2, cv::CMP_LE),
            .bright = Count(253, cv::CMP_GE)};
  }

  std::int64_t Count(int value, int comparison) {
    cv::cuda::compare(grey_, cv::Scalar(value), mask_, comparison);
    return cv::cuda::countNonZero(mask_);
  }

  const int ordinal_;
  const std::unique_ptr<LumaStatisticsStage> small_;
  cv::Ptr<cv::cuda::Filter> laplace_;
  cv::cuda::GpuMat grey_, values_, laplacian_, mask_;
};

}  // namespace

std::unique_ptr<LumaStatisticsStage> MakeLumaStatistics(
    int ordinal, std::unique_ptr<LumaStatisticsStage> small) {
  return std::make_unique<Statistics>(ordinal, std::move(small));
}

}  // namespace glint::opencv_cuda
