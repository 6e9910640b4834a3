// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "glint/stages.h"

namespace glint {

/// How a row of a sheet is displaced: what warp::BetweenNodes makes of the nodes above and below
/// it, every warp::kDisplacementStep pixels, the one behind its last pixel included.
struct DisplacedRow {
  int row = 0;
  std::vector<std::int32_t> x, y;  ///< 1 / (kDisplacementUnit * kDisplacementStep) px
};

/// Where the pixels of one output row read, in the units of warp::Place.
struct WarpPlaces {
  std::vector<std::int32_t> x;
  std::vector<std::int32_t> y;

  explicit WarpPlaces(int width)
      : x(static_cast<std::size_t>(width)), y(static_cast<std::size_t>(width)) {}

  /// Fills in row `row`: warp::PlaceOf for every pixel, with the best instruction set of this
  /// machine.
  /// @param h       normalised by warp::TowardsViewer
  /// @param source  size of the source
  void Fill(const Homography& h, int row, Size source);

  /// The same of a sheet: warp::Displaced for every pixel, in x and in y.
  void FillDisplaced(const Homography& h, const DisplacedRow& row, Size source);
};

}  // namespace glint
