// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>

#include "stages/cpu/farneback/row_buffer.h"
#include "stages/shared/farneback/parameters.h"

namespace glint::farneback {

/// Columns that are worked on at a time, at most. All rows in use of a tile of this width, packed
/// closely, fit a second-level cache of 1 MB; half as wide a tile would compute a sixth of its
/// columns twice. Rows with room for 2048 columns took 15 % longer. No result depends on it.
inline constexpr int kTileColumns = 480;

/// Rows of several planes, like RowBuffer, wide enough for a tile and what its windows reach. The
/// distance of planes is a constant, which makes addresses cheap.
class TileRows {
 public:
  static constexpr int kWidth = kTileColumns + 2 * (kIterations + 1) * kWindowRadius;
  static constexpr std::ptrdiff_t kPlaneStride = RowBuffer::PlaneStride(kWidth);

  TileRows(int rows, int planes) : planes_(planes), rows_(rows * planes, 1, kWidth) {
    assert(rows_.row_stride() == kPlaneStride);
  }

  /// First float of the first plane of a row; the next plane is kPlaneStride further.
  float* Row(int row) { return rows_.Row(row * planes_); }

 private:
  int planes_;
  RowBuffer rows_;
};

}  // namespace glint::farneback
