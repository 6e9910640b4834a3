// SPDX-License-Identifier: Apache-2.0
// Resampling of a sheet that is not flat.
#pragma once

#include "stages/cuda/kernel.h"
#include "stages/shared/sheet_warp_arithmetic.h"

namespace glint::cuda {

struct SheetWarpKernel {
  static constexpr KernelId kId = KernelId::kSheetWarp;
  using Shape = PixelShape;

  Image<const std::uint8_t> source;
  Image<std::uint8_t> out;
  double h[9];                            ///< warp::TowardsViewer
  const std::int16_t* nodes_x = nullptr;  ///< Displacement, densely packed
  const std::int16_t* nodes_y = nullptr;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, out.width);
    if (x >= out.width || y >= out.height) return;
    const warp::Place place =
        warp::PlaceOf(h, warp::Displaced(x, Between(nodes_x, x, y)),
                      warp::Displaced(y, Between(nodes_y, x, y)), source.width, source.height);
    const int left = place.x >> warp::kFractionBits, top = place.y >> warp::kFractionBits;
    out.At(x, y) = warp::Weights(place).Mix(Value(left, top), Value(left + 1, top),
                                            Value(left, top + 1), Value(left + 1, top + 1));
  }

 private:
  GLINT_HOST_DEVICE std::int32_t Between(const std::int16_t* nodes, int x, int y) const {
    constexpr int kStep = warp::kDisplacementStep;
    const int columns = (out.width - 1) / kStep + 2;
    const std::int16_t* top = nodes + std::ptrdiff_t{y / kStep} * columns + x / kStep;
    return warp::BetweenNodes(top, top + columns, x % kStep, y % kStep);
  }

  GLINT_HOST_DEVICE std::uint8_t Value(int x, int y) const {
    return source.At(ClampIndex(x, source.width), ClampIndex(y, source.height));
  }
};

}  // namespace glint::cuda
