// SPDX-License-Identifier: Apache-2.0
// How the lengths of flow vectors are summed: as integers, so that the order does not matter.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/host_device.h"

namespace glint {

inline constexpr float kLengthUnits = 65536;    ///< units in which lengths are summed, per pixel
inline constexpr float kLongestLength = 16384;  ///< pixels; longer vectors count as this

/// Length of one flow vector in units of 2^-16 px, rounded to nearest (halves up); what is longer
/// than kLongestLength, or no number, counts as that.
GLINT_HOST_DEVICE inline std::int64_t QuantisedLength(float x, float y) {
  const float length = sqrtf(x * x + y * y);
  const float units = (length < kLongestLength ? length : kLongestLength) * kLengthUnits;
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): lengths are positive, and every backend adds 0.5F
  return static_cast<std::int64_t>(units + 0.5F);
}

/// Mean length in pixels. @param pixels  >= 1
inline double MeanOfQuantisedLengths(std::int64_t sum, std::int64_t pixels) {
  return static_cast<double>(sum) / double{kLengthUnits} / static_cast<double>(pixels);
}

}  // namespace glint
