// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/line_ends.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "analyse/photometric/pixels/principal_axis.h"

namespace glint::photometric {
std::vector<std::vector<cv::Point>> LinePixels(const Lines& lines) {
  std::vector<std::vector<cv::Point>> pixels(lines.paths.size());
  for (int y = 0; y < lines.ids.height(); ++y) {
    const auto* row = lines.ids.Row<std::int32_t>(y);
    for (int x = 0; x < lines.ids.width(); ++x) {
      if (row[x] != 0) pixels[static_cast<std::size_t>(row[x] - 1)].emplace_back(x, y);
    }
  }
  return pixels;
}

LineEnd EndOf(const std::vector<cv::Point>& pixels, int side, int end_px) {
  const PrincipalAxis whole(pixels);
  const auto along = [&](cv::Point at) { return side * whole.Along(at); };
  const cv::Point last = *std::ranges::max_element(pixels, {}, along);
  std::vector<cv::Point> near;
  for (const cv::Point at : pixels) {
    if (along(at) >= along(last) - end_px) near.push_back(at);
  }
  const PrincipalAxis axis(near);
  const double outwards = axis.cosine * whole.cosine + axis.sine * whole.sine >= 0 ? side : -side;
  return {.x = static_cast<double>(last.x),
          .y = static_cast<double>(last.y),
          .radians = std::atan2(outwards * axis.sine, outwards * axis.cosine)};
}

}  // namespace glint::photometric
