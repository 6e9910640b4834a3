// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analyse/location/outline_judge.h"

namespace glint {

/// An outline that one frame proposes.
struct JudgedOutline {
  Quadrilateral corners{};  ///< small pixels, clockwise
  double score = 0;         ///< 0..1, by its own frame alone
  bool foreground = false;  ///< it is that of the frame's foreground
};

/// The outlines that the edges of one frame allow, best first, no two nearly the same: four
/// straight lines that meet in turn near their ends, judged by their sides and by what lies beyond
/// their corners.
/// @param gradient  that `edges` are of
std::vector<JudgedOutline> ProposeOutlines(const EdgeMap& edges, const ColourGradient& gradient,
                                           const ObjectSearchParams& params);

/// The quadrilateral around the foreground, its sides moved to edges near them, if it looks like an
/// outline: an object of which no four edges are straight lines may be plain to see.
/// @param foreground  CV_8U: not 0 where it is
std::optional<JudgedOutline> ProposeForeground(const EdgeMap& edges, const cv::Mat& foreground,
                                               const ObjectSearchParams& params);

}  // namespace glint
