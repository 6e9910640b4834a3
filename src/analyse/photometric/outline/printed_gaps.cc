// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/printed_gaps.h"

#include <cstddef>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <vector>

#include "analyse/photometric/outline/view_coherence.h"
#include "analyse/photometric/pixels/masks.h"
#include "base/mat.h"

namespace glint::photometric {
namespace {

/// That part of the views which show all of it.
std::vector<cv::Mat> ViewsOf(const cv::Rect& box, std::span<const Plane> greys,
                             std::span<const Plane> valid) {
  std::vector<cv::Mat> views;
  for (std::size_t i = 0; i < greys.size(); ++i) {
    if (cv::countNonZero(AsMat(valid[i])(box)) == box.area()) views.push_back(AsMat(greys[i])(box));
  }
  return views;
}

/// Structure over the views of those of a gap's pixels, if enough views show them all.
std::optional<CoherenceSums> StructureOf(const cv::Mat& pixels, std::span<const Plane> greys,
                                         std::span<const Plane> valid,
                                         const PrintedGapParams& params) {
  const int reach = params.coherence.detail_px;
  cv::Rect box = cv::boundingRect(pixels);
  box = cv::Rect(box.x - reach, box.y - reach, box.width + 2 * reach, box.height + 2 * reach) &
        cv::Rect({0, 0}, pixels.size());
  const std::vector<cv::Mat> views = ViewsOf(box, greys, valid);
  if (views.size() < params.min_views) return std::nullopt;
  return ViewCoherence(views, params.coherence).In({{0, 0}, box.size()}, pixels(box));
}

/// A gap without its boundary.
cv::Mat InsideOf(const cv::Mat& gap, int boundary_px) {
  // At the object's rim a gap has no boundary: the table goes on there.
  cv::Mat inside;
  cv::erode(gap, inside, Square(boundary_px), {-1, -1}, 1, cv::BORDER_CONSTANT, cv::Scalar(255));
  return inside;
}

bool IsPrinted(const cv::Mat& gap, std::span<const Plane> greys, std::span<const Plane> valid,
               double surroundings, const PrintedGapParams& params) {
  cv::Mat inside = InsideOf(gap, params.boundary_px);
  const bool thin = cv::countNonZero(inside) < params.min_pixels;
  if (surroundings > (thin ? params.max_thin_surroundings : params.max_surroundings)) return false;
  if (thin) inside = InsideOf(gap, params.thin_boundary_px);
  if (cv::countNonZero(inside) < params.min_pixels) return false;
  const auto sums = StructureOf(inside, greys, valid, params);
  if (!sums) return false;
  const double structure = sums->all / sums->pixels;
  if (thin && structure > params.max_thin_structure_grey2) return false;
  const double moving = 1 - sums->Share();
  return structure >= params.min_structure_grey2 && moving <= 1 - params.min_inside &&
         moving <= params.max_moving_share * (1 - surroundings);
}

}  // namespace

void GiveBackPrintedGaps(std::span<const Plane> greys, std::span<const Plane> valid,
                         double surroundings, const PrintedGapParams& params, Outline& outline) {
  const cv::Mat damage = AsMat(outline.damage);
  const Components gaps = FindComponents(damage, 8);
  for (int i = 1; i < gaps.count; ++i) {
    const cv::Mat gap = gaps.labels == i;
    if (!outline.torn.empty() && cv::countNonZero(AsMat(outline.torn) & gap) > 0) continue;
    if (!IsPrinted(gap, greys, valid, surroundings, params)) continue;
    AsMat(outline.damage).setTo(0, gap);
    AsMat(outline.body).setTo(255, gap);
  }
}

}  // namespace glint::photometric
