// SPDX-License-Identifier: Apache-2.0
// Where a warp reads, for every backend: the same double operations in the same order, then
// integers, so that backends that use these functions give the same bytes.
#pragma once

#include <cstdint>

#include "glint/stages.h"

#ifdef __CUDACC__
#define GLINT_HOST_DEVICE __host__ __device__
#else
#define GLINT_HOST_DEVICE
#endif

namespace glint::warp {

/// Positions and bilinear weights are in units of 2^-10 px.
inline constexpr int kFractionBits = 10;
inline constexpr int kOnePixel = 1 << kFractionBits;

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
  // 2^-500 stands for "just in front of the camera": any u but 0 then lies far outside.
  const double inverse = 1.0 / (w > 0x1p-500 ? w : 0x1p-500);
  return {Quantise(u * inverse, width), Quantise(v * inverse, height)};
}

/// The homography with the sign that makes w positive in the middle of the output: h and -h are the
/// same map, but only one has the picture in front of the camera.
inline Homography TowardsViewer(const Homography& h, Size output) {
  const double x = (output.width - 1) / 2.0;
  const double y = (output.height - 1) / 2.0;
  Homography signed_h = h;
  if ((h[6] * x + h[7] * y) + h[8] < 0) {
    for (double& value : signed_h) value = -value;
  }
  return signed_h;
}

/// Bilinear mix of four neighbours. @param fx,fy  0 .. kOnePixel - 1
GLINT_HOST_DEVICE inline std::uint8_t Mix(int v00, int v01, int v10, int v11, int fx, int fy) {
  const int top = v00 * (kOnePixel - fx) + v01 * fx;
  const int bottom = v10 * (kOnePixel - fx) + v11 * fx;
  constexpr int kHalf = 1 << (2 * kFractionBits - 1);
  return static_cast<std::uint8_t>((top * (kOnePixel - fy) + bottom * fy + kHalf) >>
                                   (2 * kFractionBits));
}

}  // namespace glint::warp
