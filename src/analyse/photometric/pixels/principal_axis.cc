// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/pixels/principal_axis.h"

#include <cmath>

namespace glint::photometric {

PrincipalAxis::PrincipalAxis(std::span<const cv::Point> points) {
  const auto count = static_cast<double>(points.size());
  for (const cv::Point at : points) {
    x += at.x / count;
    y += at.y / count;
  }
  double xx = 0, xy = 0, yy = 0;
  for (const cv::Point at : points) {
    xx += (at.x - x) * (at.x - x);
    xy += (at.x - x) * (at.y - y);
    yy += (at.y - y) * (at.y - y);
  }
  const double radians = 0.5 * std::atan2(2 * xy, xx - yy);
  cosine = std::cos(radians);
  sine = std::sin(radians);
}

}  // namespace glint::photometric
