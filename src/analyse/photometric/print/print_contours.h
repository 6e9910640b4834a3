// SPDX-License-Identifier: Apache-2.0
// Where the print has lines of its own, by direction.
#pragma once

#include <cstdint>
#include <vector>

#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/photometric_stages.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What counts as a line of the print.
struct PrintContourParams {
  /// across a line, of an edge or a thin line
  GLINT_PARAM(double, min_contrast_grey, 0, 255) = 6;
  /// from a line to the strips beside it
  GLINT_PARAM(int, step_px, 1, 50) = 5;
  /// between the strips to either side of a contour
  GLINT_PARAM(double, min_step_grey, 0, 255) = 12;
  /// of a thin dark line; a thin bright one may be lost ink
  GLINT_PARAM(double, min_dark_grey, 0, 255) = 6;
  /// by which a streak is brighter than either side: lost ink
  GLINT_PARAM(double, min_streak_grey, 0, 255) = 22;
  /// around a contour or a thin dark line
  GLINT_PARAM(int, near_px, 0, 20) = 2;
  /// of a thin dark stroke that a line lies on
  GLINT_PARAM(double, min_stroke_grey, 0, 255) = 2;
  /// around such a stroke
  GLINT_PARAM(int, near_stroke_px, 0, 20) = 1;
};

/// Per pixel a bit for each of the LineEvidenceStage::kDirections.
class DirectionMask {
 public:
  DirectionMask() = default;
  explicit DirectionMask(Size size) : size_(size), bits_(static_cast<std::size_t>(size.area())) {}

  Size size() const { return size_; }
  std::uint16_t* Row(int y) {
    return bits_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width);
  }
  const std::uint16_t* Row(int y) const {
    return bits_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width);
  }
  /// Whether the bit of a direction is set; nothing is outside.
  bool Has(int x, int y, int direction) const {
    return x >= 0 && y >= 0 && x < size_.width && y < size_.height &&
           ((Row(y)[x] >> direction) & 1) != 0;
  }
  /// The same for a direction or one of its two neighbours.
  bool HasNear(int x, int y, int direction) const;

 private:
  Size size_;
  std::vector<std::uint16_t> bits_;
};

/// The lines of the print, each averaged along its direction over a line filter's length.
struct PrintContours {
  Plane albedo;            ///< kS16 on the host: what they are contours of; empty: not known
  DirectionMask contrast;  ///< the albedo differs across a line here
  DirectionMask contours;  ///< a contour or a thin dark line lies near: the print's own
  DirectionMask strokes;   ///< a thin dark stroke, however faint, lies here: ink under a veil of
                           ///< light changes more than what is around it
  DirectionMask streaks;   ///< a thin bright streak: paper where ink was lost, or white print
};

/// @param albedo  kS16 on the host, 1/64 grey. Exact.
PrintContours FindPrintContours(const Plane& albedo, const PrintContourParams& params,
                                ThreadPool& pool);

}  // namespace glint::photometric
