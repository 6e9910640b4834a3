// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/params.h"

namespace glint {

/// What is a strip of one colour that is printed along a side, outside of the outline found so far.
/// Lengths are small pixels.
struct PrintedStripParams {
  /// frames in which it is looked for
  GLINT_PARAM(std::size_t, frames, 1, 64) = 8;
  /// of a strip: narrower ones are blur
  GLINT_PARAM(int, min_width_px, 1, 100) = 4;
  /// of the outline's diagonal: wider ones are proposed by themselves
  GLINT_PARAM(double, max_width_share, 0, 0.5) = 0.05;
  /// by which it may be wider at one end than at the other
  GLINT_PARAM(int, turn_px, 0, 20) = 2;
  /// places along a side
  GLINT_PARAM(std::size_t, places, 2, 1000) = 32;
  /// of a side at each end, without them
  GLINT_PARAM(double, corner_share, 0, 0.49) = 0.08;
  /// to either side of a line, where the colours are that it parts
  GLINT_PARAM(double, step_px, 1, 20) = 2;
  /// by which light may scale a colour
  GLINT_PARAM(double, max_light_ratio, 1, 100) = 2;
  /// of a colour from all that light makes of the other one, RGB: that is another colour
  GLINT_PARAM(double, min_hue, 0, 442) = 8;
  /// likewise: more says no more
  GLINT_PARAM(double, plain_hue, 0, 442) = 30;
  /// of the places of its outer side, where another colour begins
  GLINT_PARAM(double, min_edges, 0, 1) = 0.7;
  /// places across it at either end
  GLINT_PARAM(std::size_t, end_places, 1, 100) = 6;
  /// of its width at each end, without them
  GLINT_PARAM(double, end_corner_share, 0, 0.49) = 0.1;
  /// of these, where another colour begins, at the end that has more
  GLINT_PARAM(double, min_end_edges, 0, 1) = 0.6;
  /// of its length, beyond its corners, where its outer edge must not go on
  GLINT_PARAM(double, beyond_share, 0.01, 1) = 0.12;
  /// of the places there, where another colour begins
  GLINT_PARAM(double, max_beyond_edges, 0, 1) = 0.35;
};

}  // namespace glint
