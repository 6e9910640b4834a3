// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace glint {

/// The nearest integer, halves away from zero: std::lround for values that an int holds, without
/// the call that a compiler makes of it. Exact: what truncation cuts off is a double.
inline int RoundToInt(double value) {
  const int whole = static_cast<int>(value);
  const double rest = value - whole;
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

}  // namespace glint
