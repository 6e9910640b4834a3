// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/lost_ink.h"

#include <cmath>
#include <cstdint>
#include <opencv2/core.hpp>

#include "base/mat.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// Marks the streaks beside one pixel of a ridge.
void MarkBeside(cv::Point at, int direction, const PrintContours& print,
                const LostInkParams& params, cv::Mat& marks) {
  const double angle = CV_PI * direction / kDirections;
  const double cosine = std::cos(angle), sine = std::sin(angle);
  for (int across = -params.across_px; across <= params.across_px; ++across) {
    for (int along = -params.along_px; along <= params.along_px; ++along) {
      const int x = at.x + static_cast<int>(std::lround(along * cosine - across * sine));
      const int y = at.y + static_cast<int>(std::lround(along * sine + across * cosine));
      if (print.streaks.HasNear(x, y, direction)) marks.at<std::uint8_t>(y, x) = 255;
    }
  }
}

}  // namespace

Plane FindLostInk(const Plane& ids, const Plane& directions, const PrintContours& print,
                  const LostInkParams& params) {
  cv::Mat marks(ids.height(), ids.width(), CV_8U, cv::Scalar(0));
  for (int y = 0; y < ids.height(); ++y) {
    const auto* id = ids.Row<std::int32_t>(y);
    const auto* direction = directions.Row<std::uint8_t>(y);
    for (int x = 0; x < ids.width(); ++x) {
      if (id[x] != 0) MarkBeside({x, y}, direction[x] % kDirections, print, params, marks);
    }
  }
  return AsPlane(marks);
}

}  // namespace glint::photometric
