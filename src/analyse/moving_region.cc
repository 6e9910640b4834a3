// SPDX-License-Identifier: Apache-2.0
#include "analyse/moving_region.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/quadrilateral.h"
#include "base/mat.h"
#include "base/median.h"
#include "base/status_macros.h"

namespace glint {
namespace {

/// Median of one component of the flow.
float MedianOf(const cv::Mat& flow, int component) {
  std::vector<float> values;
  values.reserve(flow.total());
  for (int y = 0; y < flow.rows; ++y) {
    for (int x = 0; x < flow.cols; ++x) values.push_back(flow.at<cv::Vec2f>(y, x)[component]);
  }
  return UpperMedian(values);
}

/// 255 where the flow differs from the median.
cv::Mat Moving(const cv::Mat& flow, const MovingRegionParams& params) {
  const cv::Vec2f median(MedianOf(flow, 0), MedianOf(flow, 1));
  cv::Mat moving(flow.size(), CV_8U);
  for (int y = 0; y < flow.rows; ++y) {
    for (int x = 0; x < flow.cols; ++x) {
      const cv::Vec2f v = flow.at<cv::Vec2f>(y, x) - median;
      moving.at<std::uint8_t>(y, x) =
          v.dot(v) > params.min_motion_px * params.min_motion_px ? 255 : 0;
    }
  }
  const cv::Mat disc =
      cv::getStructuringElement(cv::MORPH_ELLIPSE, {params.opening_px, params.opening_px});
  cv::morphologyEx(moving, moving, cv::MORPH_OPEN, disc);
  cv::morphologyEx(moving, moving, cv::MORPH_CLOSE, disc);
  return moving;
}

}  // namespace

absl::StatusOr<std::optional<Quadrilateral>> FindMovingRegion(const Plane& frame,
                                                              const Plane& other, StageSet& stages,
                                                              const MovingRegionParams& params) {
  GLINT_ASSIGN_OR_RETURN(const auto previous, stages.backend->Upload(frame));
  GLINT_ASSIGN_OR_RETURN(const auto next, stages.backend->Upload(other));
  GLINT_ASSIGN_OR_RETURN(const auto field, stages.flow->Field(previous, next));
  GLINT_ASSIGN_OR_RETURN(const auto flow, stages.backend->Download(field));

  cv::Mat labels;
  cv::Mat statistics;
  cv::Mat centres;
  const int count =
      cv::connectedComponentsWithStats(Moving(AsMat(flow), params), labels, statistics, centres);
  int largest = 0;
  for (int label = 1; label < count; ++label) {
    if (largest == 0 ||
        statistics.at<int>(label, cv::CC_STAT_AREA) > statistics.at<int>(largest, cv::CC_STAT_AREA))
      largest = label;
  }
  std::optional<Quadrilateral> region;
  if (largest == 0) return region;
  const double share =
      statistics.at<int>(largest, cv::CC_STAT_AREA) / static_cast<double>(frame.size().area());
  if (share < params.min_area_share || share > params.max_area_share) return region;
  std::vector<cv::Point> pixels;
  cv::findNonZero(labels == largest, pixels);
  cv::Point2f corners[4];
  cv::minAreaRect(pixels).points(corners);
  region.emplace();
  for (std::size_t i = 0; i < 4; ++i) (*region)[i] = {corners[i].x, corners[i].y};
  if (Area(*region) < 0) std::ranges::reverse(*region);
  return region;
}

}  // namespace glint
