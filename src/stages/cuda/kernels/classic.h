// SPDX-License-Identifier: Apache-2.0
// Morphology, warps, local structure and the fusion of `classic`.
#pragma once

#include "stages/cuda/kernel.h"
#include "stages/shared/classic_arithmetic.h"
#include "stages/shared/warp_coordinates.h"

namespace glint::cuda {

/// A row of a structuring element's cells: pixels (x + begin .. x + end - 1, y + dy).
struct ElementSpan {
  std::int32_t dy = 0;
  std::int32_t begin = 0;
  std::int32_t end = 0;
};

/// The smallest or largest value under an element; what lies outside takes no part.
struct MorphologyPassKernel {
  static constexpr KernelId kId = KernelId::kMorphologyPass;
  using Shape = PixelShape;

  Image<const std::uint8_t> in;
  Image<std::uint8_t> out;
  const ElementSpan* spans = nullptr;
  int span_count = 0;
  bool largest = false;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, in.width);
    if (x >= in.width || y >= in.height) return;
    int found = largest ? 0 : 255;
    for (int i = 0; i < span_count; ++i) {
      const ElementSpan span = spans[i];
      const int row = y + span.dy;
      if (row < 0 || row >= in.height) continue;
      const std::uint8_t* values = in.Row(row);
      const int end = Min(x + span.end, in.width);
      for (int at_x = Max(x + span.begin, 0); at_x < end; ++at_x) {
        const int value = values[at_x];
        found = largest ? Max(found, value) : Min(found, value);
      }
    }
    out.At(x, y) = static_cast<std::uint8_t>(found);
  }
};

/// a - b, at least 0.
struct DifferenceKernel {
  static constexpr KernelId kId = KernelId::kDifference;
  using Shape = PixelShape;

  Image<const std::uint8_t> a;
  Image<const std::uint8_t> b;
  Image<std::uint8_t> out;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, out.width);
    if (x >= out.width || y >= out.height) return;
    out.At(x, y) = static_cast<std::uint8_t>(Max(a.At(x, y) - b.At(x, y), 0));
  }
};

/// Resampling through a homography. Images of `channels` bytes per pixel; their widths are in
/// pixels.
struct WarpKernel {
  static constexpr KernelId kId = KernelId::kWarp;
  using Shape = PixelShape;

  Image<const std::uint8_t> source;
  Image<std::uint8_t> out;
  double h[9];  ///< warp::TowardsViewer
  int channels = 1;
  bool linear = true;
  bool replicate = true;  ///< at the source's edge; else `border` lies beyond it
  std::uint8_t border = 0;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, out.width);
    if (x >= out.width || y >= out.height) return;
    const warp::Place place = warp::PlaceOf(h, x, y, source.width, source.height);
    std::uint8_t* to = out.Row(y) + std::ptrdiff_t{x} * channels;
    for (int c = 0; c < channels; ++c) to[c] = linear ? Linear(place, c) : Nearest(place, c);
  }

 private:
  GLINT_HOST_DEVICE std::uint8_t Value(int x, int y, int channel) const {
    const int inner_x = ClampIndex(x, source.width), inner_y = ClampIndex(y, source.height);
    if (!replicate && (inner_x != x || inner_y != y)) return border;
    return source.Row(inner_y)[std::ptrdiff_t{inner_x} * channels + channel];
  }

  GLINT_HOST_DEVICE std::uint8_t Nearest(warp::Place place, int channel) const {
    return Value((place.x + warp::kOnePixel / 2) >> warp::kFractionBits,
                 (place.y + warp::kOnePixel / 2) >> warp::kFractionBits, channel);
  }

  GLINT_HOST_DEVICE std::uint8_t Linear(warp::Place place, int channel) const {
    const int x = place.x >> warp::kFractionBits, y = place.y >> warp::kFractionBits;
    return warp::Weights(place).Mix(Value(x, y, channel), Value(x + 1, y, channel),
                                    Value(x, y + 1, channel), Value(x + 1, y + 1, channel));
  }
};

/// The maps of DetailStage.
struct DetailKernel {
  static constexpr KernelId kId = KernelId::kDetail;
  static constexpr int kRadius = classic::kDetailRadius;
  static constexpr int kSpanX = kTileWidth + 2 * kRadius;
  static constexpr int kSpanY = kTileHeight + 2 * kRadius;
  struct Memory {
    std::uint8_t grey[kSpanY][kSpanX];
  };
  using Shape = BlockShape<2, Memory>;

  Image<const std::uint8_t> grey;
  Image<std::int32_t> laplacian;
  Image<std::int32_t> gradient;
  Image<std::int32_t> variance;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    if constexpr (phase == 0) Load(thread, shared);
    if constexpr (phase == 1) Write(thread, shared);
  }

 private:
  GLINT_HOST_DEVICE void Load(const Thread& thread, Shape::Shared& shared) const {
    const Pixel corner =
        TileCorner(thread.block_x, CeilDiv(grey.width, kTileWidth), kTileWidth, kTileHeight);
    for (int i = thread.index; i < kSpanX * kSpanY; i += Shape::kThreads) {
      const int row = i / kSpanX, column = i % kSpanX;
      shared.grey[row][column] =
          grey.At(classic::Reflect101(corner.x + column - kRadius, grey.width),
                  classic::Reflect101(corner.y + row - kRadius, grey.height));
    }
  }

  GLINT_HOST_DEVICE void Write(const Thread& thread, const Shape::Shared& shared) const {
    const auto [x, y] = PixelOf(thread, grey.width);
    if (x >= grey.width || y >= grey.height) return;
    const int column = thread.index % kTileWidth + kRadius,
              row = thread.index / kTileWidth + kRadius;
    const std::uint8_t* above = &shared.grey[row - 1][column];
    const std::uint8_t* here = &shared.grey[row][column];
    const std::uint8_t* below = &shared.grey[row + 1][column];
    laplacian.At(x, y) = classic::AbsLaplacian(above, here, below);
    gradient.At(x, y) = classic::SquaredGradient(above, here, below);
    std::int32_t sum = 0, square_sum = 0;
    for (int j = -kRadius; j <= kRadius; ++j) {
      for (int i = -kRadius; i <= kRadius; ++i) {
        const std::int32_t value = shared.grey[row + j][column + i];
        sum += value;
        square_sum += value * value;
      }
    }
    variance.At(x, y) = classic::Variance625(sum, square_sum);
  }
};

/// One picture of a fusion.
struct FusionPicture {
  Image<const std::uint8_t> grey;
  Image<const std::uint8_t> edges[3];
  Image<const std::int32_t> laplacian;
  Image<const std::int32_t> gradient;
  Image<const std::int32_t> variance;
  classic::Weights weights;

  GLINT_HOST_DEVICE std::int32_t EdgeWeight(const ClassicFusionParams& params, int x, int y) const {
    return classic::EdgeWeight(params, edges[0].At(x, y), edges[1].At(x, y), edges[2].At(x, y));
  }
};

/// The variance of a pixel's grey over all pictures, scaled.
GLINT_HOST_DEVICE inline std::int32_t TemporalVariance(const FusionPicture* pictures, int count,
                                                       int x, int y) {
  std::uint32_t sum = 0, square_sum = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t value = pictures[i].grey.At(x, y);
    sum += value;
    square_sum += value * value;
  }
  return classic::TemporalVariance(static_cast<std::uint32_t>(count), sum, square_sum);
}

/// Largest values of each picture's maps; layer i for picture i, and one layer more for the
/// temporal variance.
struct FusionMaximaKernel {
  static constexpr KernelId kId = KernelId::kFusionMaxima;
  static constexpr int kMaxima = 4;  ///< per picture: edges, Laplacian, gradient, variance
  struct Memory {
    std::int32_t largest[kMaxima];
  };
  /// With 64 registers instead of 86, four blocks fit where two did; nothing is spilled.
  struct Shape : BlockShape<3, Memory> {
    static constexpr int kBlocksAtOnce = 4;
  };

  const FusionPicture* pictures = nullptr;
  int count = 0;
  ClassicFusionParams params;
  std::int32_t* maxima = nullptr;  ///< kMaxima per picture, then the temporal one; cleared before

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    const bool temporal = thread.block_y == count;
    const int values = temporal ? 1 : kMaxima;
    if constexpr (phase == 0) {
      if (thread.index < kMaxima) shared.largest[thread.index] = 0;
    }
    if constexpr (phase == 1) {
      const auto [x, y] = PixelOf(thread, pictures[0].grey.width);
      if (x >= pictures[0].grey.width || y >= pictures[0].grey.height) return;
      if (temporal) {
        AtomicMax(shared.largest, TemporalVariance(pictures, count, x, y));
      } else {
        const FusionPicture& picture = pictures[thread.block_y];
        AtomicMax(shared.largest, picture.EdgeWeight(params, x, y));
        AtomicMax(shared.largest + 1, picture.laplacian.At(x, y));
        AtomicMax(shared.largest + 2, picture.gradient.At(x, y));
        AtomicMax(shared.largest + 3, picture.variance.At(x, y));
      }
    }
    if constexpr (phase == 2) {
      if (thread.index < values)
        AtomicMax(maxima + std::ptrdiff_t{thread.block_y} * kMaxima + thread.index,
                  shared.largest[thread.index]);
    }
  }
};

/// The fused score.
struct FusionScoreKernel {
  static constexpr KernelId kId = KernelId::kFusionScore;
  /// As of FusionMaximaKernel.
  struct Shape : PixelShape {
    static constexpr int kBlocksAtOnce = 4;
  };

  const FusionPicture* pictures = nullptr;  ///< with their weights
  int count = 0;
  ClassicFusionParams params;
  classic::TemporalWeights temporal_weights;
  Image<std::int32_t> score;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, score.width);
    if (x >= score.width || y >= score.height) return;
    float best = 0;
    for (int i = 0; i < count; ++i) {
      const FusionPicture& picture = pictures[i];
      const float value = classic::PictureScore(
          picture.weights, picture.EdgeWeight(params, x, y), picture.laplacian.At(x, y),
          picture.gradient.At(x, y), picture.variance.At(x, y));
      best = best < value ? value : best;
    }
    if (count > 1) {
      best = classic::WithTemporal(best, temporal_weights, TemporalVariance(pictures, count, x, y));
    }
    score.At(x, y) = classic::QuantiseScore(best);
  }
};

/// Exact sums of a score plane: of scores, and of their squares in two parts that cannot overflow.
struct ScoreSumsKernel {
  static constexpr KernelId kId = KernelId::kScoreSums;
  static constexpr int kSums = 3;  ///< scores; squares / 2^kPartBits; the rest of that
  static constexpr int kPartBits = 20;
  using Shape = BlockShape<3, BlockSums<kSums>>;

  Image<const std::int32_t> score;
  std::uint64_t* sums = nullptr;  ///< cleared before

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    if constexpr (phase == 0) {
      const auto [x, y] = PixelOf(thread, score.width);
      const bool inside = x < score.width && y < score.height;
      const std::int64_t value = inside ? score.At(x, y) : 0;
      const auto square = static_cast<std::uint64_t>(value * value);
      shared.Put(thread.index, 0, static_cast<std::uint64_t>(value));
      shared.Put(thread.index, 1, square >> kPartBits);
      shared.Put(thread.index, 2, square & ((1U << kPartBits) - 1));
    }
    if constexpr (phase == 1) shared.Reduce(thread.index);
    if constexpr (phase == 2) shared.AtomicAddTo(thread.index, sums);
  }
};

/// Where the score exceeds a limit.
struct ScoreMaskKernel {
  static constexpr KernelId kId = KernelId::kScoreMask;
  using Shape = PixelShape;

  Image<const std::int32_t> score;
  std::int32_t limit = 0;
  Image<std::uint8_t> mask;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, mask.width);
    if (x >= mask.width || y >= mask.height) return;
    mask.At(x, y) = score.At(x, y) > limit ? 255 : 0;
  }
};

}  // namespace glint::cuda
