// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "glint/stages.h"

namespace glint {

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

  /// The same for places between the pixels: output pixel i is believed to lie at (at_x[i],
  /// at_y[i]).
  void FillAt(const Homography& h, const double* at_x, const double* at_y, Size source);
};

}  // namespace glint
