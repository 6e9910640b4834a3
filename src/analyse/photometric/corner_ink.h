// SPDX-License-Identifier: Apache-2.0
// A crease across a corner, followed by the ink that it lost.
#pragma once

#include <opencv2/core.hpp>
#include <optional>

#include "base/params.h"
#include "base/rounding.h"

namespace glint::photometric {

/// A line across a corner at the top left, from the left side up to the top.
struct CornerChord {
  double left = 0, top = 0;  ///< px from the corner, where it meets the sides
  double bow = 0;  ///< px that its middle lies further from the corner than a straight one's

  /// @param radians  between the top and the line's normal; @param distance  of the corner, px
  CornerChord(double radians, int distance, double bow_px = 0);

  double length() const;
  /// The pixel `along` px of its length from the left side, and `across` px further from the
  /// corner.
  cv::Point At(double along, int across = 0) const;
};

/// Where ink is gone along a chord. Grey values of the albedo.
struct CornerInkParams {
  /// of the chord: shorter ones are the rounded corners of printed borders
  GLINT_PARAM(double, min_length_px, 10, 10000) = 100;
  /// to either side of the chord's direction
  GLINT_PARAM(int, max_turn_deg, 0, 45) = 8;
  /// from one direction that is tried to the next
  GLINT_PARAM(int, turn_step_deg, 1, 45) = 2;
  /// towards and away from the corner
  GLINT_PARAM(int, max_shift_px, 0, 100) = 12;
  /// of its length, that its middle may lie off
  GLINT_PARAM(double, max_bow_share, 0, 0.2) = 0.045;
  /// from one bow that is tried to the next
  GLINT_PARAM(double, bow_step_share, 0.001, 0.2) = 0.015;
  /// from the chord to the places that it is compared with
  GLINT_PARAM(int, strip_px, 2, 20) = 4;
  /// brighter than both of them: ink is gone there
  GLINT_PARAM(double, min_spot_grey, 0, 255) = 4;
  /// of its length, where it is
  GLINT_PARAM(double, min_spots_share, 0, 1) = 0.35;
  /// likewise; with more it is a line of the print
  GLINT_PARAM(double, max_spots_share, 0, 1) = 0.75;
  /// mean over its length of how much brighter it is than both
  GLINT_PARAM(double, min_mean_grey, 0, 255) = 4;
  /// in that mean no place counts less
  GLINT_PARAM(double, min_place_grey, -255, 0) = -10;
  /// or more
  GLINT_PARAM(double, max_place_grey, 0, 255) = 20;
};

/// The bowed chord near one, along which most ink is gone; nothing where too little is.
/// @param grey      CV_32F: the albedo around the corner, which is at its top left
/// @param radians   of the chord near which is looked
/// @param distance  likewise, px
/// @param start_px  between the rim and either end, that is not looked at
std::optional<CornerChord> FindLostInkAcross(const cv::Mat& grey, double radians, int distance,
                                             int start_px, const CornerInkParams& params);

}  // namespace glint::photometric
