// SPDX-License-Identifier: Apache-2.0
// Which straight lines a picture has, in numbers. Lengths are small pixels unless said otherwise.
#pragma once

#include <cstddef>

#include "base/params.h"

namespace glint {

/// Which straight lines a picture has.
struct SegmentParams {
  /// Sobel units: of a crest of the gradient that a segment goes over
  GLINT_PARAM(float, min_crest_sobel, 0, 5000) = 14;
  /// of the angle between a crest and its segment: 15 degrees
  GLINT_PARAM(double, crest_cosine, 0, 1) = 0.966;
  /// mean distance of a segment's crests from the straight line
  GLINT_PARAM(double, max_rms_px, 0.1, 10) = 1;
  /// shorter segments are left out
  GLINT_PARAM(double, min_length_px, 2, 1000) = 10;
  /// the ones with the most edge that are joined
  GLINT_PARAM(std::size_t, max_segments, 4, 100000) = 900;
  /// distance of segments that lie on one straight line
  GLINT_PARAM(double, collinear_px, 0.1, 100) = 2.5;
  /// of the angle between them: 4 degrees
  GLINT_PARAM(double, collinear_cosine, 0, 1) = 0.99756;
  /// between two segments of one line; or max_gap_share
  GLINT_PARAM(double, max_gap_px, 0, 1000) = 8;
  /// of the longer one's length, where that is more than max_gap_px
  GLINT_PARAM(double, max_gap_share, 0, 10) = 0.35;
  /// of the longer one's length: no wider gap, however short both are
  GLINT_PARAM(double, max_short_gap_share, 0, 10) = 0.9;
  /// that one round of joining leaves
  GLINT_PARAM(std::size_t, max_joined, 4, 100000) = 400;
  /// of one frame
  GLINT_PARAM(std::size_t, max_lines, 4, 1000) = 110;
};

}  // namespace glint
