// SPDX-License-Identifier: Apache-2.0
// Frames of a printed rectangle on a table, drawn by formula, with known corners.
#pragma once

#include <cstdint>
#include <optional>

#include "analyse/quadrilateral.h"
#include "analyse/register.h"
#include "glint/report.h"
#include "glint/video.h"

namespace glint {

enum class Table { kPlain, kGrain, kBusy };

/// What a frame shows. Lengths of the object in hundredths of its width.
struct DrawnScene {
  Size frame{640, 480};
  /// Where the object's edges run, TL, TR, BR, BL of its artwork; nothing shows the table alone.
  std::optional<Quadrilateral> edges;
  int height = 72;  ///< of the object, the same in all its views
  Table table = Table::kPlain;
  double round_corners = 0;   ///< radius
  double missing_corner = 0;  ///< legs of the triangle that is gone at the top right
  bool finger = false;        ///< covers the middle of the left side
  bool inner_frame = false;   ///< a border as bright as the table, with a dark picture in it
  bool equal_luma = false;    ///< table and border differ in colour, hardly in brightness
  bool blank = false;         ///< no artwork
  std::uint32_t seed = 1;     ///< of the noise
};

/// The frame, antialiased, with noise. Deterministic.
VideoFrame DrawFrame(const DrawnScene& scene, std::int64_t index);

/// A frame that shows this picture, kU8x3.
VideoFrame FrameOf(const Plane& rgb, std::int64_t index);

/// Mean distance of the object's edges as located from the true ones at the corners, in frame
/// pixels, whatever corner comes first.
double CornerError(const LocatedObject& located, const Quadrilateral& edges);

/// An object that was located exactly here.
LocatedObject ObjectAt(const Quadrilateral& corners, std::int64_t frame);

/// Largest distance by which the registered corners miss the true ones, frame pixels.
double Missed(const RegisteredView& view, const LocatedObject& object, const Quadrilateral& truth);

}  // namespace glint
