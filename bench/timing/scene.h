// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "glint/plane.h"

namespace glint {

/// What benches work on: texture with grain that moves as a hand moves, the same on every machine.
struct BenchScene {
  /// @param frames  >= 2
  static BenchScene Make(Size size, int frames);

  Size size;
  std::vector<Plane> frames;  ///< kU8, consecutive
  std::vector<Plane> valid;   ///< kU8, one per frame: 255 where it is seen
  Plane surface;              ///< kU8: where the object is
};

}  // namespace glint
