// SPDX-License-Identifier: Apache-2.0
// What a luma sample of a video means, for decoders, the CPU's stages and CUDA kernels alike.
#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace glint {

/// The luma of one sample, kU8 and full range: of a sample Y of d bits, rounded half up and clamped
/// to 0..255,
///   limited range:  (Y - 16 * 2^(d-8)) * 255 / (219 * 2^(d-8))
///   full range:     Y * 255 / (2^d - 1)
/// (ITU-T H.273, 8.3) in integer arithmetic, so that everybody gives the same bytes.
/// @param sample  0 .. 2^depth - 1
/// @param depth   bits, 8..16
GLINT_HOST_DEVICE inline std::uint8_t FullRangeLuma(int sample, int depth, bool full_range) {
  const int black = full_range ? 0 : 16 << (depth - 8);
  const int range = full_range ? (1 << depth) - 1 : 219 << (depth - 8);
  const int above = sample - black;
  if (above <= 0) return 0;
  if (above >= range) return 255;
  return static_cast<std::uint8_t>((above * 510 + range) / (range * 2));  // below 2^26
}

}  // namespace glint
