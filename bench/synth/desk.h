// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bench/synth/light.h"
#include "glint/plane.h"

namespace glint {

/// What lies under and around the object: wood, cloth, speckled stone or felt.
class Desk {
 public:
  /// @param scale  of the object (Surface::scale), so that the desk looks the same at every size
  Desk(double scale, std::uint32_t seed);

  /// Its colour at a point of the object's plane, object pixels. Repeats far away.
  Radiance At(double x, double y) const;

 private:
  double texels_per_pixel_;
  Plane texture_;  // kU8x3, gamma-coded, sides a power of two
};

}  // namespace glint
