// SPDX-License-Identifier: Apache-2.0
// Where lines end, and in which direction they would go on.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "analyse/photometric/lines/line_paths.h"

namespace glint::photometric {

/// Where a line ends, and the direction in which it would go on. Object pixels.
struct LineEnd {
  double x = 0, y = 0;
  double radians = 0;
};

/// The pixels of each line, row by row, by Lines::ids.
std::vector<std::vector<cv::Point>> LinePixels(const Lines& lines);

/// The end of a line on one side of its principal axis.
/// @param pixels  of the line, at least one
/// @param side    1 or -1
/// @param end_px  of it, whose principal axis is its direction there
LineEnd EndOf(const std::vector<cv::Point>& pixels, int side, int end_px);

}  // namespace glint::photometric
