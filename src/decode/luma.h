// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "decode/orientation.h"
#include "decode/pixel_layout.h"
#include "glint/plane.h"

namespace glint {

/// The coded size of a frame.
inline Size SizeOf(const AVFrame& frame) { return {frame.width, frame.height}; }

/// Makes the luma planes of one video's frames: kU8, full range, as displayed.
///
/// A sample Y of d bits becomes, rounded half up and clamped to 0..255,
///   limited range:  (Y - 16 * 2^(d-8)) * 255 / (219 * 2^(d-8))
///   full range:     Y * 255 / (2^d - 1)
/// in integer arithmetic, so that every build gives the same bytes.
class LumaMaker {
 public:
  explicit LumaMaker(Orientation orientation) : orientation_(orientation) {}

  /// The luma of a frame. Full-range 8-bit frames that need no turning are not copied: the plane
  /// then keeps the decoder's buffer.
  Plane Make(const std::shared_ptr<AVFrame>& frame, const PixelLayout& layout, bool full_range);

 private:
  const std::vector<std::uint8_t>& Table(int depth, bool full_range);

  Orientation orientation_;
  int table_depth_ = 0;
  bool table_full_range_ = false;
  std::vector<std::uint8_t> table_;  // 8-bit value of every sample of table_depth_ bits
};

/// One sample by the rule above.
/// @param sample  0 .. 2^depth - 1
std::uint8_t FullRangeLuma(int sample, int depth, bool full_range);

}  // namespace glint
