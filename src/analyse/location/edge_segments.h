// SPDX-License-Identifier: Apache-2.0
// Straight pieces of the edges of one small picture.
#pragma once

#include <vector>

#include "analyse/location/edge_segment_params.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/outline_lines.h"

namespace glint {

/// A straight line with ends, and how much of it is edge.
struct EdgeLine {
  OutlineSide ends;    ///< small pixels
  double covered = 0;  ///< pixels of it with an edge
};

/// Straight pieces of edges: neighbouring pixels on the crest of the gradient that point the same
/// way (R. Grompone von Gioi et al., "LSD: a fast line segment detector", 2010, on crests alone).
std::vector<EdgeLine> FindSegments(const ColourGradient& gradient, const SegmentParams& params);

/// Joins segments that lie on one straight line with gaps that are short against them; those with
/// the most edge first, at most params.max_lines.
std::vector<EdgeLine> JoinSegments(const std::vector<EdgeLine>& segments,
                                   const SegmentParams& params);

}  // namespace glint
