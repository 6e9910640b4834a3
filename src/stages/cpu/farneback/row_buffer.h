// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "base/large_memory.h"

namespace glint::farneback {

/// Rows of floats, each row a group of planes side by side. Planes have room for `kPadding` floats
/// on either side, so that whole vectors may be loaded and stored across their ends; their first
/// float is aligned to 64 bytes.
class RowBuffer {
 public:
  static constexpr int kPadding = 32;

  /// Floats from one plane to the next: an odd number of cache lines, so that the same column of
  /// many rows does not compete for a few places in the cache.
  static constexpr std::ptrdiff_t PlaneStride(int width) {
    return ((width + 2 * kPadding + kLine - 1) / kLine | 1) * std::ptrdiff_t{kLine};
  }

  RowBuffer() = default;
  /// All zero. Throws std::bad_alloc when memory is out.
  RowBuffer(int rows, int planes, int width)
      : planes_(planes),
        stride_(PlaneStride(width)),
        floats_(static_cast<std::size_t>(rows) * planes * stride_),
        memory_(floats_ * sizeof(float)) {}

  /// First float of one plane of one row.
  float* Row(int row, int plane = 0) { return First() + Offset(row, plane); }
  const float* Row(int row, int plane = 0) const { return First() + Offset(row, plane); }

  /// Floats from one plane to the next, and from one row to the next.
  std::ptrdiff_t plane_stride() const { return stride_; }
  std::ptrdiff_t row_stride() const { return stride_ * planes_; }
  bool empty() const { return memory_.data() == nullptr; }

 private:
  static constexpr int kLine = 16;  // floats in a cache line

  std::ptrdiff_t Offset(int row, int plane) const {
    assert(row >= 0 && plane >= 0 && plane < planes_);
    const std::ptrdiff_t offset = (std::ptrdiff_t{row} * planes_ + plane) * stride_ + kPadding;
    assert(static_cast<std::size_t>(offset) < floats_);
    return offset;
  }

  float* First() const { return reinterpret_cast<float*>(memory_.data()); }

  int planes_ = 0;
  std::ptrdiff_t stride_ = 0;
  std::size_t floats_ = 0;
  LargeMemory memory_;
};

}  // namespace glint::farneback
