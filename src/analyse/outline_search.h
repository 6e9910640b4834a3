// SPDX-License-Identifier: Apache-2.0
// Which four lines of a picture are the sides of the object.
#pragma once

#include <vector>

#include "analyse/outline_lines.h"
#include "analyse/outline_params.h"
#include "glint/report.h"

namespace glint {

/// A possible outline of the object in one small picture.
struct OutlineCandidate {
  Quadrilateral corners{};  ///< small pixels, clockwise; may lie outside the picture
  double support = 0;       ///< 0..1: share of its sides with evidence that they part two things
  double score = 0;         ///< OutlineScore with the area as a share of the picture
};

/// What an outline is worth: large ones with much support. A candidate does not gain by reaching
/// beyond the object: twice the length at the same evidence halves the support of two sides, which
/// costs more than the area brings.
/// @param support  geometric mean over the four sides, 0..1
double OutlineScore(double support, double area);

/// The outlines that the lines of the picture allow, best first, no two nearly the same.
/// Every two pairs of opposite lines make a candidate. Its support is the evidence along its sides,
/// the parts next to the corners left out (they may be round, worn or missing), and evidence with
/// the same colours on both sides of the outline (grain of the table, say) does not count. Of
/// outlines with like support the larger one ranks first, so that a frame printed on the object is
/// not taken for its outline.
std::vector<OutlineCandidate> FindOutlines(const SmallPicture& picture, std::size_t count,
                                           const EdgeParams& edges = {},
                                           const OutlineLineParams& lines = {},
                                           const QuadrilateralParams& params = {});

}  // namespace glint
