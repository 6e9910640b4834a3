// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/corner_chord.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/rounding.h"

namespace glint::photometric {

CornerChord::CornerChord(double radians, int distance)
    : left(distance / std::cos(radians)),
      top(distance / std::sin(radians)),
      length(std::hypot(left, top)) {}

cv::Point CornerChord::At(int along) const {
  const double share = along / length;
  return {RoundToInt(top * share), RoundToInt(left * (1 - share))};
}

cv::Rect Corner::BoxIn(cv::Size object, int side_px) const {
  return {right ? object.width - side_px : 0, bottom ? object.height - side_px : 0, side_px,
          side_px};
}

cv::Mat Corner::Turned(const cv::Mat& part) const {
  cv::Mat turned = part.clone();
  if (right) cv::flip(turned, turned, 1);
  if (bottom) cv::flip(turned, turned, 0);
  return turned;
}

StraightLine Corner::LineOf(const CornerChord& chord, cv::Size object) const {
  return {.x = right ? object.width - 1.0 : 0,
          .y = bottom ? object.height - 1 - chord.left : chord.left,
          .cosine = (right ? -chord.top : chord.top) / chord.length,
          .sine = (bottom ? chord.left : -chord.left) / chord.length,
          .begin = 0,
          .end = static_cast<int>(chord.length)};
}

std::vector<FoundLine> FindAcrossCorners(
    const std::function<std::optional<FoundLine>(const Corner&)>& find, ThreadPool& pool) {
  std::array<std::optional<FoundLine>, kCorners.size()> corners;
  pool.ParallelFor(std::ssize(corners), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    corners[at] = find(kCorners[at]);
  });
  std::vector<FoundLine> found;
  for (const auto& corner : corners) {
    if (corner) found.push_back(*corner);
  }
  std::ranges::stable_sort(found, std::greater<>(), &FoundLine::score);
  return found;
}

}  // namespace glint::photometric
