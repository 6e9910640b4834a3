// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <span>

namespace glint::photometric {

/// The line that is nearest to points: their mean and a direction (K. Pearson, "On Lines and Planes
/// of Closest Fit", Philosophical Magazine 1901). In doubles, summed in the points' order.
struct PrincipalAxis {
  double x = 0, y = 0, cosine = 1, sine = 0;

  /// @param points  at least one
  explicit PrincipalAxis(std::span<const cv::Point> points);

  /// How far along it a point is, from the mean.
  double Along(cv::Point at) const { return (at.x - x) * cosine + (at.y - y) * sine; }
};

}  // namespace glint::photometric
