// SPDX-License-Identifier: Apache-2.0
// What the sample of sample_report.h looks like.
#pragma once

#include <cstdint>

#include "glint/report.h"

namespace glint {

/// Numbers that look random; D. Lehmer's generator with the constants of std::minstd_rand.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : state_(seed * 2 + 1) {}
  int Roll(int low, int high) {
    state_ = static_cast<std::uint32_t>(std::uint64_t{state_} * 48271 % 2147483647);
    return low + static_cast<int>(state_ % static_cast<std::uint32_t>(high - low + 1));
  }

 private:
  std::uint32_t state_;
};

/// The pictures of a drawn page with damage 1 .. `regions`: rectified, mask, labels and score.
ScanPictures DrawDamagedPage(Size size, int regions, std::uint32_t seed);

/// The page on the desk as the camera sees it.
/// @param frame_from_page  affine
Plane Film(const Plane& page, Size frame_size, const Homography& frame_from_page);

}  // namespace glint
