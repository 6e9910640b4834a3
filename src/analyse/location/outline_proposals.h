// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyse/location/outline_judge.h"

namespace glint {

/// An outline that one frame proposes.
struct JudgedOutline {
  Quadrilateral corners{};  ///< small pixels, clockwise
  double score = 0;         ///< 0..1, by its own frame alone
};

/// The outlines that the edges of one frame allow, best first, no two nearly the same: four
/// straight lines that meet in turn near their ends, judged by their sides and by what lies beyond
/// their corners.
/// @param gradient  that `edges` are of
std::vector<JudgedOutline> ProposeOutlines(const EdgeMap& edges, const ColourGradient& gradient,
                                           const ObjectSearchParams& params);

}  // namespace glint
