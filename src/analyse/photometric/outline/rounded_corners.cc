// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/rounded_corners.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace glint::photometric {
namespace {

/// How far a corner's background begins from a side: what lies before it is blurred. Not from both,
/// or it would not be connected with the background around.
struct Offset {
  int across = 0, down = 0;
};

cv::Mat Moved(const cv::Mat& corner, Offset by) {
  cv::Mat moved(corner.size(), CV_8U, cv::Scalar(0));
  const cv::Size rest(corner.cols - by.across, corner.rows - by.down);
  corner(cv::Rect({0, 0}, rest)).copyTo(moved(cv::Rect({by.across, by.down}, rest)));
  return moved;
}

/// Of what two masks cover together, what both do.
double Overlap(const cv::Mat& a, const cv::Mat& b) {
  return static_cast<double>(cv::countNonZero(a & b)) / std::max(cv::countNonZero(a | b), 1);
}

std::vector<Offset> OffsetsUpTo(int most) {
  std::vector<Offset> offsets{{}};
  for (int by = 1; by <= most; ++by) {
    offsets.push_back({by, 0});
    offsets.push_back({0, by});
  }
  return offsets;
}

/// From the corner's sides to the end of the arc; 0 if its background does not look like that.
int RadiusOf(const cv::Mat& gap, double scale, const RoundedCornerParams& params) {
  // A square without the quarter circle in it.
  constexpr double kShareOfSquare = 1 - std::numbers::pi / 4;
  const double likely = std::sqrt(cv::countNonZero(gap) / kShareOfSquare);
  const double least = params.min_radius_px * scale, largest = params.max_radius_px * scale;
  const int first = std::max(static_cast<int>(likely * (1 - params.radius_doubt)), 1);
  // Moved, it stays inside.
  const int last = std::min(static_cast<int>(std::ceil(likely * (1 + params.radius_doubt))),
                            std::min(gap.cols, gap.rows) - params.max_offset_px);
  double most = 0;
  int best = 0;
  for (int radius = first; radius <= last; ++radius) {
    const cv::Mat corner = OutsideRoundedCorner(gap.size(), radius);
    for (const Offset offset : OffsetsUpTo(params.max_offset_px)) {
      const double overlap = Overlap(gap, Moved(corner, offset));
      if (overlap <= most) continue;
      most = overlap;
      best = radius + std::max(offset.across, offset.down);
    }
  }
  return most >= params.min_overlap && best >= least && best <= largest ? best : 0;
}

}  // namespace

cv::Mat OutsideRoundedCorner(cv::Size size, int radius) {
  cv::Mat outside(size, CV_8U, cv::Scalar(0));
  for (int y = 0; y < std::min(radius, size.height); ++y) {
    for (int x = 0; x < std::min(radius, size.width); ++x) {
      const double across = radius - x - 0.5, down = radius - y - 0.5;
      if (across * across + down * down > radius * radius) outside.at<std::uint8_t>(y, x) = 255;
    }
  }
  return outside;
}

int RadiusOfRoundedCorners(std::span<const cv::Mat> gaps, double scale,
                           const RoundedCornerParams& params) {
  std::vector<int> radii;
  for (const cv::Mat& gap : gaps) {
    if (const int radius = RadiusOf(gap, scale, params)) radii.push_back(radius);
  }
  std::ranges::sort(radii);
  for (std::size_t i = 0; i + 1 < radii.size(); ++i) {
    if (radii[i + 1] <= params.max_ratio * radii[i]) return radii[i];
  }
  return 0;
}

}  // namespace glint::photometric
