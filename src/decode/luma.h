// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/luma_arithmetic.h"
#include "decode/orientation.h"
#include "decode/pixel_layout.h"
#include "glint/plane.h"

namespace glint {

/// The coded size of a frame.
inline Size SizeOf(const AVFrame& frame) { return {frame.width, frame.height}; }

/// Makes the luma planes of one video's frames: kU8, full range (FullRangeLuma), as displayed.
class LumaMaker {
 public:
  /// What the plane of a full-range 8-bit frame that needs no turning is.
  enum class Memory {
    kMayShare,  ///< the decoder's buffer, without a copy
    kOwn,       ///< a copy, for buffers that somebody else could still write
  };
  explicit LumaMaker(Orientation orientation, Memory memory = Memory::kMayShare)
      : orientation_(orientation), memory_(memory) {}

  /// The luma of a frame.
  Plane Make(const std::shared_ptr<const AVFrame>& frame, const PixelLayout& layout,
             bool full_range);

 private:
  const std::vector<std::uint8_t>& Table(int depth, bool full_range);

  Orientation orientation_;
  Memory memory_;
  int table_depth_ = 0;
  bool table_full_range_ = false;
  std::vector<std::uint8_t> table_;  // 8-bit value of every sample of table_depth_ bits
};

}  // namespace glint
