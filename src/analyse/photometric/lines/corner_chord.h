// SPDX-License-Identifier: Apache-2.0
// Lines across the object's corners.
#pragma once

#include <array>
#include <functional>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "analyse/photometric/lines/found_lines.h"
#include "base/thread_pool.h"

namespace glint::photometric {

/// A line across a corner at the top left, from the left side up to the top. Pixels.
struct CornerChord {
  double left, top;  ///< from the corner, where it meets the sides
  double length;     ///< from there to there

  /// @param radians   between the top and the line's normal, more than 0 and less than π / 2
  /// @param distance  of the corner
  CornerChord(double radians, int distance);

  /// A pixel of it. @param along  px from the left side, 0 to `length`
  cv::Point At(int along) const;
};

/// A corner of the object.
struct Corner {
  bool right = false, bottom = false;

  /// The square part of the object that is around it. @param object  its size
  cv::Rect BoxIn(cv::Size object, int side_px) const;

  /// Turns a part of a picture so that this corner is at the top left.
  cv::Mat Turned(const cv::Mat& part) const;

  /// A chord across it, from rim to rim. @param object  its size
  StraightLine LineOf(const CornerChord& chord, cv::Size object) const;
};

/// All of them, row by row.
inline constexpr std::array<Corner, 4> kCorners = {{{.right = false, .bottom = false},
                                                    {.right = true, .bottom = false},
                                                    {.right = false, .bottom = true},
                                                    {.right = true, .bottom = true}}};

/// Looks for a line across each corner.
/// @param find  thread-safe
/// @return the surest first
std::vector<FoundLine> FindAcrossCorners(
    const std::function<std::optional<FoundLine>(const Corner&)>& find, ThreadPool& pool);

}  // namespace glint::photometric
