// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// A finger at one point.
struct FingerTexel {
  float cover = 0;               ///< 1 where the finger hides what lies behind it
  std::array<float, 3> light{};  ///< R, G, B that it sends to the eye, linear
};

/// A finger over the object in one frame: a capsule. Object pixels.
struct Finger {
  Point root, tip;
  double radius = 0;  ///< 0: none is in the picture

  FingerTexel At(double x, double y) const;
};

/// A finger that reaches in from the left or right side and withdraws, again and again, each time a
/// little elsewhere along that side. It covers at most about 4 % of the object.
/// @param object  its size @return per frame
std::vector<Finger> ReachIn(Size object, int frames, int frames_per_s, std::uint32_t seed);

}  // namespace glint
