// SPDX-License-Identifier: Apache-2.0
// What the albedo and a local model of the light do not explain of each view of `photometric`.
#pragma once

#include "stages/cuda/kernel.h"
#include "stages/cuda/kernels/photometric_view.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::cuda {

/// What the model of every view needs of the albedo.
struct PrepareModelKernel {
  static constexpr KernelId kId = KernelId::kPrepareModel;
  using Shape = PixelShape;

  Image<const std::int16_t> grey;
  Image<const std::int32_t> gradient;
  Image<const std::int32_t> curvature;
  ResidualParams params;
  std::int16_t* coarse = nullptr;  ///< densely packed, as the others
  std::int16_t* veiled = nullptr;
  float* inverse_bound = nullptr;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, grey.width);
    if (x >= grey.width || y >= grey.height) return;
    const std::int64_t pixel = std::int64_t{y} * grey.width + x;
    coarse[pixel] = photometric::Coarse(grey.At(x, y));
    veiled[pixel] = photometric::Veiled(grey.At(x, y), params.veil_percent);
    inverse_bound[pixel] = photometric::InverseBound(params, gradient.At(x, y), curvature.At(x, y));
  }
};

/// One round of the local model: sums over 13x13 windows, and what they cannot explain; layer i
/// view i.
struct FitViewsKernel {
  static constexpr KernelId kId = KernelId::kFitViews;
  static constexpr int kRadius = photometric::kModelRadius;
  static constexpr int kSpan = kTileWidth + 2 * kRadius;
  static constexpr int kSums = 5;
  struct Memory {
    std::int32_t columns[kSums][kTileHeight][kSpan];  // sums of 13 rows
  };
  using Shape = BlockShape<2, Memory>;

  const View* views = nullptr;  ///< null: one, the veiled albedo, valid on all of the surface
  Image<const std::uint8_t> surface;
  Image<const std::int16_t> albedo;
  float flat_variance_grey2 = 0;         ///< ResidualParams
  const std::int16_t* coarse = nullptr;  ///< densely packed, as all below
  const float* inverse_bound = nullptr;
  const std::int16_t* smoothed = nullptr;          ///< per view
  const std::uint8_t* weights_in = nullptr;        ///< per view; null: full weight where valid
  std::uint8_t* weights_out = nullptr;             ///< per view, of the next round; or else
  std::int16_t* curve = nullptr;                   ///< of the veiled albedo, or else
  const Image<std::int16_t>* residuals = nullptr;  ///< the result, per view

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    if constexpr (phase == 0) SumColumns(thread, shared);
    if constexpr (phase == 1) Fit(thread, shared);
  }

 private:
  GLINT_HOST_DEVICE bool IsValid(int view, int x, int y) const {
    return (views == nullptr || views[view].valid.At(x, y) != 0) && surface.At(x, y) != 0;
  }

  GLINT_HOST_DEVICE void SumColumns(const Thread& thread, Shape::Shared& shared) const {
    const int width = surface.width, height = surface.height;
    const Pixel corner =
        TileCorner(thread.block_x, CeilDiv(width, kTileWidth), kTileWidth, kTileHeight);
    for (int i = thread.index; i < kTileHeight * kSpan; i += Shape::kThreads) {
      const int row = i / kSpan, column = i % kSpan;
      const int x = corner.x + column - kRadius, y = corner.y + row;
      std::int32_t sums[kSums] = {0, 0, 0, 0, 0};
      const int end = Min(y + kRadius, height - 1);
      for (int v = Max(y - kRadius, 0); x >= 0 && x < width && v <= end; ++v) {
        const std::int64_t pixel = std::int64_t{v} * width + x;
        const std::int64_t in_view = std::int64_t{thread.block_y} * width * height + pixel;
        std::int32_t weight = 0;
        if (weights_in != nullptr) {
          weight = weights_in[in_view];
        } else if (IsValid(thread.block_y, x, v)) {
          weight = photometric::kFullWeight;
        }
        const std::int32_t m = coarse[pixel], value = photometric::Coarse(smoothed[in_view]);
        const std::int32_t weighted = weight * m;
        sums[0] += weight;
        sums[1] += weighted;
        sums[2] += weight * value;
        sums[3] += weighted * value;
        sums[4] += weighted * m;
      }
      for (int sum = 0; sum < kSums; ++sum) shared.columns[sum][row][column] = sums[sum];
    }
  }

  GLINT_HOST_DEVICE void Fit(const Thread& thread, const Shape::Shared& shared) const {
    const int width = surface.width, height = surface.height;
    const auto [x, y] = PixelOf(thread, width);
    if (x >= width || y >= height) return;
    const int row = thread.index / kTileWidth, column = thread.index % kTileWidth;
    std::int32_t sums[kSums];
    for (int sum = 0; sum < kSums; ++sum) {
      sums[sum] = 0;
      for (int i = 0; i <= 2 * kRadius; ++i) sums[sum] += shared.columns[sum][row][column + i];
    }
    const std::int64_t pixel = std::int64_t{y} * width + x;
    const std::int64_t in_view = std::int64_t{thread.block_y} * width * height + pixel;
    const photometric::WindowSums window{sums[0] == 0 ? 1 : sums[0], sums[1], sums[2], sums[3],
                                         sums[4]};
    const float rest =
        photometric::Rest(window, albedo.At(x, y), smoothed[in_view], flat_variance_grey2);
    const bool valid = IsValid(thread.block_y, x, y);
    if (curve != nullptr) {
      curve[pixel] = valid ? photometric::QuantiseCurve(rest) : std::int16_t{0};
    } else if (residuals == nullptr) {
      const std::int16_t next = photometric::RobustWeight(rest, inverse_bound[pixel]);
      weights_out[in_view] = static_cast<std::uint8_t>(valid ? next : 0);
    } else {
      const bool fits = valid && sums[0] >= photometric::kFullWeight;
      residuals[thread.block_y].At(x, y) = fits ? photometric::QuantiseRest(rest) : std::int16_t{0};
    }
  }
};

/// Takes the curve's share out of the residuals; layer i view i.
struct RemoveToneCurveKernel {
  static constexpr KernelId kId = KernelId::kRemoveToneCurve;
  static constexpr int kRadius = photometric::kModelRadius;
  static constexpr int kSpan = kTileWidth + 2 * kRadius;
  struct Memory {
    // Sums of 13 rows.
    std::int32_t product[kTileHeight][kSpan];
    std::int32_t square[kTileHeight][kSpan];
  };
  using Shape = BlockShape<2, Memory>;

  const View* views = nullptr;
  Image<const std::uint8_t> surface;
  const Image<std::int16_t>* residuals = nullptr;  ///< per view
  const float* inverse_bound = nullptr;            ///< densely packed, as all below
  const std::int16_t* curve = nullptr;
  float curve_doubt_grey2 = 0;       ///< ResidualParams
  std::int16_t* straight = nullptr;  ///< per view

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    if constexpr (phase == 0) SumColumns(thread, shared);
    if constexpr (phase == 1) Write(thread, shared);
  }

 private:
  GLINT_HOST_DEVICE void SumColumns(const Thread& thread, Shape::Shared& shared) const {
    const int width = surface.width, height = surface.height;
    const Pixel corner =
        TileCorner(thread.block_x, CeilDiv(width, kTileWidth), kTileWidth, kTileHeight);
    for (int i = thread.index; i < kTileHeight * kSpan; i += Shape::kThreads) {
      const int row = i / kSpan, column = i % kSpan;
      const int x = corner.x + column - kRadius, y = corner.y + row;
      photometric::CurveSums sums{0, 0};
      const int end = Min(y + kRadius, height - 1);
      for (int v = Max(y - kRadius, 0); x >= 0 && x < width && v <= end; ++v) {
        if (views[thread.block_y].valid.At(x, v) == 0 || surface.At(x, v) == 0) continue;
        const std::int64_t pixel = std::int64_t{v} * width + x;
        const std::int16_t rest = residuals[thread.block_y].At(x, v);
        const std::int32_t value = curve[pixel];
        const std::int32_t weighted =
            photometric::RobustWeight(static_cast<float>(rest), inverse_bound[pixel]) * value;
        sums.product += weighted * photometric::CoarseRest(rest);
        sums.square += weighted * value;
      }
      shared.product[row][column] = sums.product;
      shared.square[row][column] = sums.square;
    }
  }

  GLINT_HOST_DEVICE void Write(const Thread& thread, const Shape::Shared& shared) const {
    const int width = surface.width, height = surface.height;
    const auto [x, y] = PixelOf(thread, width);
    if (x >= width || y >= height) return;
    const int row = thread.index / kTileWidth, column = thread.index % kTileWidth;
    photometric::CurveSums sums{0, 0};
    for (int i = 0; i <= 2 * kRadius; ++i) {
      sums.product += shared.product[row][column + i];
      sums.square += shared.square[row][column + i];
    }
    const std::int64_t pixel = std::int64_t{y} * width + x;
    straight[std::int64_t{thread.block_y} * width * height + pixel] = photometric::Straighten(
        residuals[thread.block_y].At(x, y), curve[pixel], sums, curve_doubt_grey2);
  }
};

/// Copies densely packed residuals to their planes; layer i view i.
struct StoreResidualsKernel {
  static constexpr KernelId kId = KernelId::kStoreResiduals;
  using Shape = PixelShape;

  const std::int16_t* straight = nullptr;
  const Image<std::int16_t>* residuals = nullptr;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const Image<std::int16_t> out = residuals[thread.block_y];
    const auto [x, y] = PixelOf(thread, out.width);
    if (x >= out.width || y >= out.height) return;
    out.At(x, y) = straight[(std::int64_t{thread.block_y} * out.height + y) * out.width + x];
  }
};

}  // namespace glint::cuda
