// SPDX-License-Identifier: Apache-2.0
// Whether print runs with a line: what the albedo shows across print is the same all along it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {

/// Of a difference in the albedo at the places along a line. Sums of integers: exact.
class Evenness {
 public:
  /// @param difference  1/64 grey
  void Add(std::int64_t difference) {
    ++count_;
    sum_ += difference;
    squares_ += difference * difference;
  }

  /// Grey; of at least one place.
  double Mean() const { return static_cast<double>(sum_) / static_cast<double>(count_) / kGrey; }

  /// How large the mean is beside the deviation along the line.
  /// @param noise_grey  added to the deviation, so that faint differences are not even by chance
  double Ratio(double noise_grey) const {
    const double mean = Mean();
    const double square =
        static_cast<double>(squares_) / static_cast<double>(count_) / (kGrey * kGrey);
    return std::abs(mean) / (std::sqrt(std::max(square - mean * mean, 0.0)) + noise_grey);
  }

 private:
  std::int64_t count_ = 0, sum_ = 0, squares_ = 0;
};

}  // namespace glint::photometric
