// SPDX-License-Identifier: Apache-2.0
// Where a warp reads, for every backend: the same double operations in the same order, then
// integers, so that backends that use these functions give the same bytes.
#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace glint::warp {

/// Positions and bilinear weights are in units of 2^-10 px.
inline constexpr int kFractionBits = 10;
inline constexpr int kOnePixel = 1 << kFractionBits;

/// The w that stands for points behind the camera: any u or v but 0 then lies far outside.
inline constexpr double kJustInFront = 0x1p-500;

/// A place in the source, units of 2^-10 px.
struct Place {
  std::int32_t x = 0;
  std::int32_t y = 0;
};

/// `position` within -2 .. side + 1, which every place outside the source can stand for; what is no
/// number becomes -2. Rounded to 2^-10 px, halves up.
GLINT_HOST_DEVICE inline std::int32_t Quantise(double position, double side) {
  const double above = position > -2.0 ? position : -2.0;
  const double inside = above < side + 1.0 ? above : side + 1.0;
  // Truncation rounds down once the value is positive, which the added 2 px make it.
  return static_cast<std::int32_t>(inside * kOnePixel + (2.0 * kOnePixel + 0.5)) - 2 * kOnePixel;
}

/// Where output pixel (x, y) reads. Points behind the camera (w <= 0) read from beyond the edge
/// that the points just in front of it read from.
/// @param h       normalised by TowardsViewer
/// @param source  its size
GLINT_HOST_DEVICE inline Place PlaceOf(const double* h, double x, double y, double width,
                                       double height) {
  const double u = (h[0] * x + h[1] * y) + h[2];
  const double v = (h[3] * x + h[4] * y) + h[5];
  const double w = (h[6] * x + h[7] * y) + h[8];
  const double inverse = 1.0 / (w > kJustInFront ? w : kJustInFront);
  return {Quantise(u * inverse, width), Quantise(v * inverse, height)};
}

/// Shares of the four neighbours in a bilinear mix; they add up to 2^(2 * kFractionBits).
struct Weights {
  int of00 = 0;  ///< of the upper left one
  int of01 = 0;  ///< of the upper right one
  int of10 = 0;
  int of11 = 0;

  GLINT_HOST_DEVICE explicit Weights(Place place)
      : Weights(place.x & (kOnePixel - 1), place.y & (kOnePixel - 1)) {}

  /// The mix, rounded to nearest, halves up.
  GLINT_HOST_DEVICE std::uint8_t Mix(int v00, int v01, int v10, int v11) const {
    constexpr int kHalf = 1 << (2 * kFractionBits - 1);
    const int sum = of00 * v00 + of01 * v01 + of10 * v10 + of11 * v11;
    return static_cast<std::uint8_t>((sum + kHalf) >> (2 * kFractionBits));
  }

 private:
  GLINT_HOST_DEVICE Weights(int fx, int fy)
      : of00((kOnePixel - fx) * (kOnePixel - fy)),
        of01(fx * (kOnePixel - fy)),
        of10((kOnePixel - fx) * fy),
        of11(fx * fy) {}
};

}  // namespace glint::warp
