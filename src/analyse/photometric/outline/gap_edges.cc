// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/gap_edges.h"

#include <cstdint>
#include <opencv2/imgproc.hpp>

#include "analyse/photometric/outline/background.h"
#include "analyse/photometric/pixels/masks.h"

namespace glint::photometric {
namespace {

/// The pixels of the object so far from a gap, where no other gap is near.
cv::Mat PlacesBeside(const cv::Mat& gap, const cv::Mat& gaps, const cv::Mat& compared,
                     const GapEdgeParams& params) {
  cv::Mat reached, beyond, others;
  cv::dilate(gap, reached, Disc(params.beside_px));
  cv::dilate(gap, beyond, Disc(params.beside_px + 1));
  cv::dilate(gaps & ~gap, others, Disc(params.beside_px));
  return beyond & ~reached & ~others & compared;
}

/// Sums over the pixels of a mask around each pixel.
cv::Mat SumsAround(const cv::Mat& values, const cv::Mat& mask, int reach) {
  cv::Mat masked = cv::Mat::zeros(values.size(), CV_16U);
  values.copyTo(masked, mask);
  cv::Mat sums;
  const int side = 2 * reach + 1;
  cv::boxFilter(masked, sums, CV_32S, {side, side}, {-1, -1}, false, cv::BORDER_CONSTANT);
  return sums;
}

/// Whether most of a gap's boundary parts two colours. @param box  around it
bool EndsAtEdge(const cv::Mat& gap, const cv::Mat& places, const std::array<cv::Mat, 3>& lab,
                const cv::Rect& box, const GapEdgeParams& params) {
  cv::Mat inside;
  cv::erode(gap, inside, Disc(1));
  if (cv::countNonZero(inside) < params.min_inside_pixels) inside = gap;
  const cv::Mat count =
      SumsAround(cv::Mat(gap.size(), CV_16U, cv::Scalar(1)), inside, params.reach_px);
  std::array<cv::Mat, 3> sums;
  for (std::size_t c = 0; c < 3; ++c) sums[c] = SumsAround(lab[c](box), inside, params.reach_px);
  int asked = 0;
  int with_edge = 0;
  for (int y = 0; y < gap.rows; ++y) {
    for (int x = 0; x < gap.cols; ++x) {
      const int near = count.at<int>(y, x);
      if (places.at<std::uint8_t>(y, x) == 0 || near == 0) continue;
      double square = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        const double mean = static_cast<double>(sums[c].at<int>(y, x)) / near;
        const double step = (lab[c].at<std::uint16_t>(box.y + y, box.x + x) - mean) / kColourUnit;
        square += step * step;
      }
      ++asked;
      with_edge += square >= params.min_step_lab * params.min_step_lab ? 1 : 0;
    }
  }
  return asked < params.min_places || with_edge >= params.min_share * asked;
}

}  // namespace

cv::Mat GapsWithoutEdge(const cv::Mat& gaps, const std::array<cv::Mat, 3>& lab,
                        const GapEdgeParams& params) {
  const cv::Rect all({0, 0}, gaps.size());
  cv::Mat compared(gaps.size(), CV_8U, cv::Scalar(0));
  const int border = params.border_px;
  const cv::Rect inner(border, border, gaps.cols - 2 * border, gaps.rows - 2 * border);
  if ((inner & all).area() > 0) compared(inner & all).setTo(255);
  cv::Mat without(gaps.size(), CV_8U, cv::Scalar(0));
  const Components components = FindComponents(gaps, 8);
  const int around = params.beside_px + 2;
  for (int i = 1; i < components.count; ++i) {
    const cv::Mat whole = components.labels == i;
    const cv::Rect tight = cv::boundingRect(whole);
    const cv::Rect box = cv::Rect(tight.x - around, tight.y - around, tight.width + 2 * around,
                                  tight.height + 2 * around) &
                         all;
    const cv::Mat gap = whole(box);
    const cv::Mat places = PlacesBeside(gap, gaps(box), compared(box), params);
    if (!EndsAtEdge(gap, places, lab, box, params)) without |= whole;
  }
  return without;
}

}  // namespace glint::photometric
