// SPDX-License-Identifier: Apache-2.0
// How the lengths of flow vectors are summed: as integers, so that the order does not matter.
#pragma once

#include <cmath>
#include <cstdint>

namespace glint {

/// Length of one flow vector in units of 2^-20 px, rounded to nearest (halves up); lengths over
/// 2^20 px, and vectors that are no numbers, count as 2^20 px.
inline std::int64_t QuantisedLength(float x, float y) {
  constexpr double kLongest = 1 << 20;
  const double length = std::sqrt(double{x} * x + double{y} * y);
  return static_cast<std::int64_t>((length < kLongest ? length : kLongest) * 1048576.0 + 0.5);
}

/// Mean length in pixels. @param pixels  >= 1
inline double MeanOfQuantisedLengths(std::int64_t sum, std::int64_t pixels) {
  return static_cast<double>(sum) / 1048576.0 / static_cast<double>(pixels);
}

}  // namespace glint
