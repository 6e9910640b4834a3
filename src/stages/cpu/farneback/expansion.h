// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "stages/cpu/farneback/row_buffer.h"
#include "stages/cpu/farneback/tile_rows.h"
#include "stages/shared/farneback/geometry.h"

namespace glint::farneback {

/// What the flow needs of one frame: at each level of its pyramid, the polynomial around every
/// pixel. Filled by Expand; used for the pair with the frame before and the pair with the one
/// after.
struct Expansion {
  enum class Levels { kAll, kCoarse };

  Expansion() = default;
  /// @param which  kCoarse: all but the finest, whose rows are made while they are used
  explicit Expansion(const Geometry& geometry, Levels which = Levels::kAll);

  std::vector<RowBuffer> levels;  ///< finest first: one row per row of pixels, one plane per
                                  ///< Coefficient; empty where it is not kept
};

/// Two frames, expanded, and the flow from one to the other as far as it is known.
struct FramePair {
  const Geometry& geometry;
  const Plane& previous_luma;  ///< where the finest level of `previous` is not kept
  const Expansion& previous;
  const Expansion& next;
  std::vector<RowBuffer>& coarse_flow;  ///< per level but the finest: planes x, y
};

/// Room for FramePair::coarse_flow.
std::vector<RowBuffer> CoarseFlow(const Geometry& geometry);

/// Working memory of one part of the work.
struct Scratch {
  explicit Scratch(const Geometry& geometry);

  // Expansion of a frame.
  RowBuffer image;      ///< the latest rows of the level's image, in turn
  RowBuffer reduction;  ///< a row of the frame while it is reduced; and the same by phase
  RowBuffer vertical;   ///< a row after the vertical kernels

  // Flow of a pair.
  RowBuffer streamed;    ///< the latest rows of an expansion that is not kept, in turn
  RowBuffer coarse_row;  ///< planes x, y: the coarser flow between two of its rows
  TileRows flow_rows;    ///< planes x, y: what enters each iteration, and the result
  TileRows sums;         ///< per iteration: the latest rows of matrices, in turn, and the
                         ///< latest sums of three of them, in turn
  TileRows window;       ///< a row of vertical sums; and of sums of three of those
};

inline constexpr int kPhaseRoom = 192;    ///< in Scratch::reduction, for its split by phase
inline constexpr int kImageRows = 16;     ///< in Scratch::image; a power of two over 2 kPolyRadius
inline constexpr int kStreamedRows = 16;  ///< in Scratch::streamed: all that iterations lag behind
inline constexpr int kMatrixRows = 3;     ///< in Scratch::sums, per iteration
inline constexpr int kTripleRows = 13;    ///< in Scratch::sums: 5 of them, 3 rows apart, make 15

}  // namespace glint::farneback
