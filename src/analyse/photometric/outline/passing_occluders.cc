// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/passing_occluders.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/pixels/masks.h"
#include "base/mat.h"
#include "base/median.h"

namespace glint::photometric {
namespace {

/// A part of a picture, made small where it is large: what is asked of it are means.
cv::Mat SmallPart(const cv::Mat& picture, const cv::Rect& box, int max_side_px, bool is_mask) {
  const double scale = static_cast<double>(max_side_px) / std::max(box.width, box.height);
  if (scale >= 1) return picture(box).clone();
  cv::Mat small;
  cv::resize(picture(box), small, {}, scale, scale, is_mask ? cv::INTER_NEAREST : cv::INTER_AREA);
  return small;
}

/// That part of the views which show all of it, small, each as bright as the first one.
/// @param beside  CV_8U, of their size: where their brightness is compared
std::vector<cv::Mat> ViewsOf(const cv::Rect& box, const cv::Mat& beside,
                             std::span<const Plane> greys, std::span<const Plane> valid,
                             int max_side_px) {
  std::vector<cv::Mat> views;
  double brightness = 0;
  for (std::size_t i = 0; i < greys.size(); ++i) {
    if (cv::countNonZero(AsMat(valid[i])(box)) != box.area()) continue;
    cv::Mat view = SmallPart(AsMat(greys[i]), box, max_side_px, false);
    const double mean = std::max(1.0, cv::mean(view, beside)[0]);
    if (views.empty()) brightness = mean;
    view.convertTo(view, CV_8U, brightness / mean);
    views.push_back(view);
  }
  return views;
}

cv::Mat MedianOf(const std::vector<cv::Mat>& views) {
  cv::Mat median(views[0].size(), CV_8U);
  std::vector<std::uint8_t> values(views.size());
  for (int y = 0; y < median.rows; ++y) {
    for (int x = 0; x < median.cols; ++x) {
      for (std::size_t i = 0; i < views.size(); ++i) values[i] = views[i].at<std::uint8_t>(y, x);
      median.at<std::uint8_t>(y, x) = UpperMedian(values);
    }
  }
  return median;
}

double MeanDifference(const cv::Mat& a, const cv::Mat& b, const cv::Mat& where) {
  cv::Mat difference;
  cv::absdiff(a, b, difference);
  return cv::mean(difference, where)[0];
}

/// How plain an edge a picture has along most of a boundary: the median of the squared gradient
/// there. Contours of the print cross it, too.
int SquaredEdgeAlong(const cv::Mat& boundary, const cv::Mat& picture) {
  cv::Mat dx, dy;
  cv::Sobel(picture, dx, CV_16S, 1, 0);
  cv::Sobel(picture, dy, CV_16S, 0, 1);
  std::vector<int> along;
  for (int y = 0; y < boundary.rows; ++y) {
    for (int x = 0; x < boundary.cols; ++x) {
      if (boundary.at<std::uint8_t>(y, x) == 0) continue;
      const int across = dx.at<std::int16_t>(y, x), down = dy.at<std::int16_t>(y, x);
      along.push_back(across * across + down * down);
    }
  }
  return along.empty() ? 0 : UpperMedian(along);
}

/// Of some views the most that agree with one of them on what is inside.
std::vector<cv::Mat> LargestAgreement(const std::vector<cv::Mat>& views, const cv::Mat& median,
                                      const cv::Mat& inside, const PassingOccluderParams& params) {
  std::vector<cv::Mat> largest;
  for (const cv::Mat& one : views) {
    const double most = params.max_apart_share * MeanDifference(one, median, inside);
    std::vector<cv::Mat> agreeing;
    std::ranges::copy_if(views, std::back_inserter(agreeing), [&](const cv::Mat& other) {
      return MeanDifference(one, other, inside) <= most;
    });
    if (agreeing.size() > largest.size()) largest = std::move(agreeing);
  }
  return largest;
}

/// Whether some views show the object where the others show a gap.
bool IsClosedInSome(const cv::Mat& gap, std::span<const Plane> greys, std::span<const Plane> valid,
                    const PassingOccluderParams& params) {
  cv::Mat around;
  cv::dilate(gap, around, Square(params.beside_px));
  const cv::Rect box = cv::boundingRect(around);
  const cv::Mat inside = SmallPart(gap, box, params.max_side_px, true);
  const cv::Mat beside = SmallPart(around, box, params.max_side_px, true) & ~inside;
  if (cv::countNonZero(inside) == 0 || cv::countNonZero(beside) == 0) return false;
  const std::vector<cv::Mat> views = ViewsOf(box, beside, greys, valid, params.max_side_px);
  if (views.size() < 2 * params.min_views) return false;
  const cv::Mat median = MedianOf(views);
  std::vector<cv::Mat> others;
  for (const cv::Mat& view : views) {
    if (MeanDifference(view, median, inside) >= params.min_unlike_grey) others.push_back(view);
  }
  if (others.size() < params.min_views) return false;
  const std::vector<cv::Mat> agreeing = LargestAgreement(others, median, inside, params);
  if (agreeing.size() < params.min_views) return false;
  const cv::Mat shown = MedianOf(agreeing);
  cv::Mat boundary;
  cv::dilate(inside, boundary, Square(1));
  boundary &= ~inside;
  const double most = params.max_edge_share * params.max_edge_share;
  return SquaredEdgeAlong(boundary, shown) <= most * SquaredEdgeAlong(boundary, median);
}

}  // namespace

void CoverClosedGaps(std::span<const Plane> greys, std::span<const Plane> valid,
                     const PassingOccluderParams& params, Outline& outline) {
  const Components gaps = FindComponents(AsMat(outline.damage), 8);
  for (int i = 1; i < gaps.count; ++i) {
    const cv::Mat gap = gaps.labels == i;
    if (!outline.torn.empty() && cv::countNonZero(AsMat(outline.torn) & gap) > 0) continue;
    if (!IsClosedInSome(gap, greys, valid, params)) continue;
    AsMat(outline.damage).setTo(0, gap);
    AsMat(outline.body).setTo(255, gap);
    cv::Mat covered;
    cv::dilate(gap, covered, Disc(params.margin_px));
    AsMat(outline.covered).setTo(255, covered & AsMat(outline.body));
  }
}

}  // namespace glint::photometric
