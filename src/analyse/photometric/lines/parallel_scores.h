// SPDX-License-Identifier: Apache-2.0
// The scores of one straight line and of those beside it.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "analyse/photometric/evidence/line_response.h"
#include "analyse/photometric/lines/found_lines.h"

namespace glint::photometric {

/// The residuals of all groups of views around some place.
struct ResponseWindow {
  std::vector<cv::Mat> groups;  ///< LineResponse::Groups
  cv::Point corner;             ///< where they begin on the object
};

/// @param box  object pixels; what of it is outside is left out
ResponseWindow WindowOf(const LineResponse& response, const cv::Rect& box, cv::Size object);

/// What a group of views sums to along a line and along its parallels to either side.
/// @param line       within the window; its parallels may leave it
/// @param beside_px  how many parallels there are to either side, a pixel from one to the next
/// @param group      of `window`
/// @return `2 * beside_px + 1` sums, the line's own in the middle; NaN where one is not seen whole
std::vector<float> ParallelSums(const StraightLine& line, int beside_px,
                                const ResponseWindow& window, const cv::Mat& group);

/// The score of a line and of its parallels to either side, each compared with all of them.
/// @param line       within the window; its parallels may leave it
/// @param beside_px  how many parallels there are to either side, a pixel from one to the next
/// @param thin_px    from each to those whose mean is taken off it (LineSurroundings::thin)
/// @return `2 * beside_px + 1` scores (LineResponse::ScoreOf), the line's own in the middle
std::vector<double> ParallelScores(const StraightLine& line, int beside_px,
                                   const ResponseWindow& window, const LineResponse& response,
                                   int thin_px = 0);

}  // namespace glint::photometric
