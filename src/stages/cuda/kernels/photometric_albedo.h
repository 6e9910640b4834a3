// SPDX-License-Identifier: Apache-2.0
// The albedo of `photometric`: the median of smoothed views, and how much it changes there.
//
// In all kernels of `photometric`, everything between the float functions of
// photometric_arithmetic.h is a sum, a comparison or a selection of integers, in whatever order.
#pragma once

#include "stages/cuda/kernel.h"
#include "stages/cuda/kernels/photometric_view.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::cuda {

/// Smooths every view; layer i view i.
struct SmoothViewsKernel {
  static constexpr KernelId kId = KernelId::kSmoothViews;
  using Shape = PixelShape;

  const View* views = nullptr;
  std::int16_t* out = nullptr;  ///< width x height per view, densely packed

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const Image<const std::uint8_t> grey = views[thread.block_y].grey;
    const auto [x, y] = PixelOf(thread, grey.width);
    if (x >= grey.width || y >= grey.height) return;
    constexpr int kReach = photometric::kSmoothReach;
    const std::uint8_t* rows[2 * kReach + 1];
    for (int j = -kReach; j <= kReach; ++j) {
      rows[j + kReach] = grey.Row(photometric::Reflect101(y + j, grey.height));
    }
    std::uint16_t columns[2 * kReach + 1];
    for (int i = -kReach; i <= kReach; ++i) {
      const int column = photometric::Reflect101(x + i, grey.width);
      columns[i + kReach] = photometric::SmoothColumn(
          rows[0][column], rows[1][column], rows[2][column], rows[3][column], rows[4][column]);
    }
    out[(std::int64_t{thread.block_y} * grey.height + y) * grey.width + x] =
        photometric::SmoothRow(columns + kReach);
  }
};

/// The median over the views of each pixel, of smoothed views or of magnitudes. Found by halving
/// the range of values: no memory but the views'.
struct MedianOfViewsKernel {
  static constexpr KernelId kId = KernelId::kMedianOfViews;
  using Shape = PixelShape;

  const View* views = nullptr;
  int count = 0;
  Image<const std::uint8_t> surface;
  const std::int16_t* values = nullptr;  ///< per view; may be negative: the magnitude counts
  const Image<const std::int16_t>* planes = nullptr;  ///< the same instead of `values`
  std::int16_t none = 0;                              ///< where no view is valid
  Image<std::int16_t> median;
  Image<std::uint8_t> counts;  ///< valid views; may be null

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, median.width);
    if (x >= median.width || y >= median.height) return;
    const int seen = surface.At(x, y) != 0 ? CountUpTo(x, y, kLargest) : 0;
    if (counts.data != nullptr) counts.At(x, y) = static_cast<std::uint8_t>(seen);
    median.At(x, y) = seen == 0 ? none : Select(x, y, photometric::MedianRank(seen));
  }

 private:
  static constexpr int kLargest = 32767;

  GLINT_HOST_DEVICE int Value(int view, int x, int y) const {
    const int value = planes != nullptr
                          ? planes[view].At(x, y)
                          : values[(std::int64_t{view} * median.height + y) * median.width + x];
    return value < 0 ? -value : value;
  }

  /// How many valid views have a value up to `limit`.
  GLINT_HOST_DEVICE int CountUpTo(int x, int y, int limit) const {
    int found = 0;
    for (int i = 0; i < count; ++i) {
      if (views[i].valid.At(x, y) != 0 && Value(i, x, y) <= limit) ++found;
    }
    return found;
  }

  /// The value of a rank: the smallest that more than `rank` values do not exceed.
  GLINT_HOST_DEVICE std::int16_t Select(int x, int y, int rank) const {
    int low = 0, high = kLargest;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (CountUpTo(x, y, middle) > rank) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return static_cast<std::int16_t>(low);
  }
};

/// Gradient and curvature of the albedo.
struct AlbedoDerivativesKernel {
  static constexpr KernelId kId = KernelId::kAlbedoDerivatives;
  using Shape = PixelShape;

  Image<const std::int16_t> grey;
  std::int32_t* gradient = nullptr;   ///< densely packed
  std::int32_t* curvature = nullptr;  ///< densely packed

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, grey.width);
    if (x >= grey.width || y >= grey.height) return;
    std::int16_t around[3][3];
    for (int j = 0; j < 3; ++j) {
      const std::int16_t* row = grey.Row(photometric::Reflect101(y + j - 1, grey.height));
      for (int i = 0; i < 3; ++i)
        around[j][i] = row[photometric::Reflect101(x + i - 1, grey.width)];
    }
    const std::int64_t pixel = std::int64_t{y} * grey.width + x;
    gradient[pixel] = photometric::SquaredGradient(around[0] + 1, around[1] + 1, around[2] + 1);
    curvature[pixel] = photometric::AbsLaplacian(around[0] + 1, around[1] + 1, around[2] + 1);
  }
};

/// The largest value in 3x3; what lies outside takes no part.
struct MaxFilterKernel {
  static constexpr KernelId kId = KernelId::kMaxFilter;
  using Shape = PixelShape;

  const std::int32_t* in = nullptr;  ///< densely packed
  Image<std::int32_t> out;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, out.width);
    if (x >= out.width || y >= out.height) return;
    std::int32_t largest = 0;
    for (int v = Max(y - 1, 0); v <= Min(y + 1, out.height - 1); ++v) {
      for (int u = Max(x - 1, 0); u <= Min(x + 1, out.width - 1); ++u) {
        const std::int32_t value = in[std::int64_t{v} * out.width + u];
        largest = largest < value ? value : largest;
      }
    }
    out.At(x, y) = largest;
  }
};

}  // namespace glint::cuda
