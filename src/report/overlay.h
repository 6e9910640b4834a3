// SPDX-License-Identifier: Apache-2.0
// Pictures drawn from what a scan found.
#pragma once

#include <cstdint>

#include "glint/plane.h"

namespace glint {

/// What an overlay shows. Planes of one size.
struct OverlayMarks {
  Plane mask;     ///< kU8, 0 and 255: damage
  Plane labels;   ///< kS32: region ids
  Plane changed;  ///< kU8: where only the colour differs from a good copy; or empty
  Plane unknown;  ///< kU8: where nothing can be told; or empty
};

/// The rectified picture with the damage tinted red, changed colours blue, every region outlined in
/// yellow, and what is unknown hatched light and dark, so that it shows on any print. The outline
/// lies on the pixels just outside the region, so that it hides no damage.
/// @param rectified  kU8x3, of the size of the marks
Plane DrawOverlay(const Plane& rectified, const OverlayMarks& marks);

/// One colour.
struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb&) const = default;
};

/// The colour of a score: from black over violet, red and orange to pale yellow, ever brighter, so
/// that it also reads in grey and with any colour vision. The scale is fixed, 0..1, and not
/// stretched to the picture: heat maps of two scans can be compared.
/// @param score  in units of 2^-20, clamped to 0..2^20
Rgb HeatColour(std::int32_t score);

/// The scores in colours. @param score  kS32 in units of 2^-20. @return kU8x3
Plane DrawHeatmap(const Plane& score);

/// A copy of a part of a picture; what lies outside the picture is cut off.
/// @return an empty plane when nothing is left
Plane Crop(const Plane& plane, int x, int y, Size size);

}  // namespace glint
