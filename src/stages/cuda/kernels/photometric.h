// SPDX-License-Identifier: Apache-2.0
// The stages of `photometric`. Everything between the float functions of photometric_arithmetic.h
// is a sum, a comparison or a selection of integers, in whatever order.
#pragma once

#include "stages/cuda/kernel.h"
#include "stages/photometric_arithmetic.h"

namespace glint::cuda {

/// One view.
struct View {
  Image<const std::uint8_t> grey;
  Image<const std::uint8_t> valid;
};

/// Smooths every view; layer i view i.
struct SmoothViewsKernel {
  static constexpr KernelId kId = KernelId::kSmoothViews;
  using Shape = PixelShape;

  const View* views = nullptr;
  std::int16_t* out = nullptr;  ///< width x height per view, densely packed

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared&, Shape::Locals&) const {
    const Image<const std::uint8_t> grey = views[at.layer].grey;
    const auto [x, y] = PixelOf(at, grey.width);
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
    out[(std::int64_t{at.layer} * grey.height + y) * grey.width + x] =
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
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(at, median.width);
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

/// Gradient and curvature of the artwork.
struct ArtworkSlopesKernel {
  static constexpr KernelId kId = KernelId::kArtworkSlopes;
  using Shape = PixelShape;

  Image<const std::int16_t> grey;
  std::int32_t* gradient = nullptr;   ///< densely packed
  std::int32_t* curvature = nullptr;  ///< densely packed

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(at, grey.width);
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
struct LargestAroundKernel {
  static constexpr KernelId kId = KernelId::kLargestAround;
  using Shape = PixelShape;

  const std::int32_t* in = nullptr;  ///< densely packed
  Image<std::int32_t> out;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(at, out.width);
    if (x >= out.width || y >= out.height) return;
    std::int32_t largest = 0;
    for (int v = Larger(y - 1, 0); v <= Smaller(y + 1, out.height - 1); ++v) {
      for (int u = Larger(x - 1, 0); u <= Smaller(x + 1, out.width - 1); ++u) {
        const std::int32_t value = in[std::int64_t{v} * out.width + u];
        largest = largest < value ? value : largest;
      }
    }
    out.At(x, y) = largest;
  }
};

/// What the model of every view needs of the artwork.
struct PrepareModelKernel {
  static constexpr KernelId kId = KernelId::kPrepareModel;
  using Shape = PixelShape;

  Image<const std::int16_t> grey;
  Image<const std::int32_t> gradient;
  Image<const std::int32_t> curvature;
  NoiseModel noise;                ///< photometric::kAssumedNoise
  std::int16_t* coarse = nullptr;  ///< densely packed, as the others
  std::int16_t* veiled = nullptr;
  float* inverse_bound = nullptr;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(at, grey.width);
    if (x >= grey.width || y >= grey.height) return;
    const std::int64_t pixel = std::int64_t{y} * grey.width + x;
    coarse[pixel] = photometric::Coarse(grey.At(x, y));
    veiled[pixel] = photometric::Veiled(grey.At(x, y));
    inverse_bound[pixel] = photometric::InverseNoise(noise, gradient.At(x, y), curvature.At(x, y)) *
                           (1.0F / (3 * photometric::kGrey));
  }
};

/// One round of the local model: sums over 13x13 windows, and what they cannot explain; layer i
/// view i.
struct FitViewsKernel {
  static constexpr KernelId kId = KernelId::kFitViews;
  static constexpr int kRadius = photometric::kModelRadius;
  static constexpr int kSpan = kTileWidth + 2 * kRadius;
  static constexpr int kSums = 5;
  struct Shape {
    static constexpr int kThreads = 256;
    static constexpr int kPhases = 2;
    struct Shared {
      std::int32_t columns[kSums][kTileHeight][kSpan];  // sums of 13 rows
    };
    using Locals = Nothing;
  };

  const View* views = nullptr;  ///< null: one, the veiled artwork, valid on all of the surface
  Image<const std::uint8_t> surface;
  Image<const std::int16_t> artwork;
  const std::int16_t* coarse = nullptr;  ///< densely packed, as all below
  const float* inverse_bound = nullptr;
  const std::int16_t* smoothed = nullptr;          ///< per view
  const std::uint8_t* weights_in = nullptr;        ///< per view; null: full weight where valid
  std::uint8_t* weights_out = nullptr;             ///< per view, of the next round; or else
  std::int16_t* curve = nullptr;                   ///< of the veiled artwork, or else
  const Image<std::int16_t>* residuals = nullptr;  ///< the result, per view

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared& shared, Shape::Locals&) const {
    if constexpr (phase == 0) SumColumns(at, shared);
    if constexpr (phase == 1) Fit(at, shared);
  }

 private:
  GLINT_HOST_DEVICE bool IsValid(int view, int x, int y) const {
    return (views == nullptr || views[view].valid.At(x, y) != 0) && surface.At(x, y) != 0;
  }

  GLINT_HOST_DEVICE void SumColumns(const Thread& at, Shape::Shared& shared) const {
    const int width = surface.width, height = surface.height;
    const Pixel corner = TileCorner(at.block, Pieces(width, kTileWidth), kTileWidth, kTileHeight);
    for (int i = at.index; i < kTileHeight * kSpan; i += Shape::kThreads) {
      const int row = i / kSpan, column = i % kSpan;
      const int x = corner.x + column - kRadius, y = corner.y + row;
      std::int32_t sums[kSums] = {0, 0, 0, 0, 0};
      const int end = Smaller(y + kRadius, height - 1);
      for (int v = Larger(y - kRadius, 0); x >= 0 && x < width && v <= end; ++v) {
        const std::int64_t pixel = std::int64_t{v} * width + x;
        const std::int64_t in_view = std::int64_t{at.layer} * width * height + pixel;
        std::int32_t weight = 0;
        if (weights_in != nullptr) {
          weight = weights_in[in_view];
        } else if (IsValid(at.layer, x, v)) {
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

  GLINT_HOST_DEVICE void Fit(const Thread& at, const Shape::Shared& shared) const {
    const int width = surface.width, height = surface.height;
    const auto [x, y] = PixelOf(at, width);
    if (x >= width || y >= height) return;
    const int row = at.index / kTileWidth, column = at.index % kTileWidth;
    std::int32_t sums[kSums];
    for (int sum = 0; sum < kSums; ++sum) {
      sums[sum] = 0;
      for (int i = 0; i <= 2 * kRadius; ++i) sums[sum] += shared.columns[sum][row][column + i];
    }
    const std::int64_t pixel = std::int64_t{y} * width + x;
    const std::int64_t in_view = std::int64_t{at.layer} * width * height + pixel;
    const photometric::WindowSums window{.weight = sums[0] == 0 ? 1 : sums[0],
                                         .m = sums[1],
                                         .v = sums[2],
                                         .mv = sums[3],
                                         .mm = sums[4]};
    const float rest = photometric::Rest(window, artwork.At(x, y), smoothed[in_view]);
    const bool valid = IsValid(at.layer, x, y);
    if (curve != nullptr) {
      curve[pixel] = valid ? photometric::QuantiseCurve(rest) : std::int16_t{0};
    } else if (residuals == nullptr) {
      const std::int16_t next = photometric::RobustWeight(rest, inverse_bound[pixel]);
      weights_out[in_view] = static_cast<std::uint8_t>(valid ? next : 0);
    } else {
      const bool fits = valid && sums[0] >= photometric::kFullWeight;
      residuals[at.layer].At(x, y) = fits ? photometric::QuantiseRest(rest) : std::int16_t{0};
    }
  }
};

/// Takes the curve's share out of the residuals; layer i view i.
struct TakeOutCurveKernel {
  static constexpr KernelId kId = KernelId::kTakeOutCurve;
  static constexpr int kRadius = photometric::kModelRadius;
  static constexpr int kSpan = kTileWidth + 2 * kRadius;
  struct Shape {
    static constexpr int kThreads = 256;
    static constexpr int kPhases = 2;
    struct Shared {
      photometric::CurveSums columns[kTileHeight][kSpan];  // sums of 13 rows
    };
    using Locals = Nothing;
  };

  const View* views = nullptr;
  Image<const std::uint8_t> surface;
  const Image<std::int16_t>* residuals = nullptr;  ///< per view
  const float* inverse_bound = nullptr;            ///< densely packed, as all below
  const std::int16_t* curve = nullptr;
  std::int16_t* straight = nullptr;  ///< per view

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared& shared, Shape::Locals&) const {
    if constexpr (phase == 0) SumColumns(at, shared);
    if constexpr (phase == 1) Write(at, shared);
  }

 private:
  GLINT_HOST_DEVICE void SumColumns(const Thread& at, Shape::Shared& shared) const {
    const int width = surface.width, height = surface.height;
    const Pixel corner = TileCorner(at.block, Pieces(width, kTileWidth), kTileWidth, kTileHeight);
    for (int i = at.index; i < kTileHeight * kSpan; i += Shape::kThreads) {
      const int row = i / kSpan, column = i % kSpan;
      const int x = corner.x + column - kRadius, y = corner.y + row;
      photometric::CurveSums sums{.product = 0, .square = 0};
      const int end = Smaller(y + kRadius, height - 1);
      for (int v = Larger(y - kRadius, 0); x >= 0 && x < width && v <= end; ++v) {
        if (views[at.layer].valid.At(x, v) == 0 || surface.At(x, v) == 0) continue;
        const std::int64_t pixel = std::int64_t{v} * width + x;
        const std::int16_t rest = residuals[at.layer].At(x, v);
        const std::int32_t value = curve[pixel];
        const std::int32_t weighted =
            photometric::RobustWeight(static_cast<float>(rest), inverse_bound[pixel]) * value;
        sums.product += weighted * photometric::CoarseRest(rest);
        sums.square += weighted * value;
      }
      shared.columns[row][column] = sums;
    }
  }

  GLINT_HOST_DEVICE void Write(const Thread& at, const Shape::Shared& shared) const {
    const int width = surface.width, height = surface.height;
    const auto [x, y] = PixelOf(at, width);
    if (x >= width || y >= height) return;
    const int row = at.index / kTileWidth, column = at.index % kTileWidth;
    photometric::CurveSums sums{.product = 0, .square = 0};
    for (int i = 0; i <= 2 * kRadius; ++i) {
      sums.product += shared.columns[row][column + i].product;
      sums.square += shared.columns[row][column + i].square;
    }
    const std::int64_t pixel = std::int64_t{y} * width + x;
    straight[std::int64_t{at.layer} * width * height + pixel] =
        photometric::Straighten(residuals[at.layer].At(x, y), curve[pixel], sums);
  }
};

/// Copies densely packed residuals to their planes; layer i view i.
struct KeepResidualsKernel {
  static constexpr KernelId kId = KernelId::kKeepResiduals;
  using Shape = PixelShape;

  const std::int16_t* straight = nullptr;
  const Image<std::int16_t>* residuals = nullptr;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared&, Shape::Locals&) const {
    const Image<std::int16_t> out = residuals[at.layer];
    const auto [x, y] = PixelOf(at, out.width);
    if (x >= out.width || y >= out.height) return;
    out.At(x, y) = straight[(std::int64_t{at.layer} * out.height + y) * out.width + x];
  }
};

/// 1/32 sigma per 1/64 grey at every pixel.
struct ScaleOfNoiseKernel {
  static constexpr KernelId kId = KernelId::kScaleOfNoise;
  using Shape = PixelShape;

  Image<const std::int32_t> gradient;
  Image<const std::int32_t> curvature;
  NoiseModel noise;
  float* scale = nullptr;  ///< densely packed

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(at, gradient.width);
    if (x >= gradient.width || y >= gradient.height) return;
    constexpr float kUnits = static_cast<float>(photometric::kSigma) / photometric::kGrey;
    scale[std::int64_t{y} * gradient.width + x] =
        photometric::InverseNoise(noise, gradient.At(x, y), curvature.At(x, y)) * kUnits;
  }
};

/// The residuals in units of their noise; layer i view i.
struct ViewUnitsKernel {
  static constexpr KernelId kId = KernelId::kViewUnits;
  using Shape = PixelShape;

  const View* views = nullptr;
  Image<const std::uint8_t> surface;
  const Image<const std::int16_t>* residuals = nullptr;
  const float* scale = nullptr;
  std::int16_t* rest = nullptr;  ///< per view, densely packed
  std::uint8_t* seen = nullptr;  ///< per view: 1 where valid

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(at, surface.width);
    if (x >= surface.width || y >= surface.height) return;
    const std::int64_t pixel = std::int64_t{y} * surface.width + x;
    const std::int64_t in_view = std::int64_t{at.layer} * surface.width * surface.height + pixel;
    rest[in_view] = photometric::Normalise(residuals[at.layer].At(x, y), scale[pixel]);
    seen[in_view] = views[at.layer].valid.At(x, y) != 0 && surface.At(x, y) != 0 ? 1 : 0;
  }
};

/// How views are divided into groups of neighbours.
struct Grouping {
  int views = 0;
  int groups = 0;

  GLINT_HOST_DEVICE int Begin(int group) const {
    return photometric::GroupBegin(group, groups, views);
  }
};

/// Adds one view to each group, calmed where the noise within 25x25 is high: the view `index` of
/// its group, if there is one. Layer i for group i.
struct AddCalmedKernel {
  static constexpr KernelId kId = KernelId::kAddCalmed;
  static constexpr int kRadius = photometric::kNoiseRadius;
  static constexpr int kSpan = kTileWidth + 2 * kRadius;
  struct Shape {
    static constexpr int kThreads = 256;
    static constexpr int kPhases = 2;
    struct Shared {
      std::uint16_t noise[kTileHeight][kSpan];  // sums of 25 rows
      std::uint16_t count[kTileHeight][kSpan];
    };
    using Locals = Nothing;
  };

  int width = 0;
  int height = 0;
  Grouping grouping;
  int index = 0;
  const std::int16_t* rest = nullptr;  ///< ViewUnitsKernel
  const std::uint8_t* seen = nullptr;
  std::int16_t* sums = nullptr;    ///< per group, densely packed; cleared before the first
  std::uint8_t* counts = nullptr;  ///< the same

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared& shared, Shape::Locals&) const {
    const int view = grouping.Begin(at.layer) + index;
    if (view >= grouping.Begin(at.layer + 1)) return;
    const std::int64_t first = std::int64_t{view} * width * height;
    if constexpr (phase == 0) SumColumns(at, rest + first, seen + first, shared);
    if constexpr (phase == 1) Add(at, rest + first, seen + first, shared);
  }

 private:
  GLINT_HOST_DEVICE void SumColumns(const Thread& at, const std::int16_t* rests,
                                    const std::uint8_t* seens, Shape::Shared& shared) const {
    const Pixel corner = TileCorner(at.block, Pieces(width, kTileWidth), kTileWidth, kTileHeight);
    for (int i = at.index; i < kTileHeight * kSpan; i += Shape::kThreads) {
      const int row = i / kSpan, column = i % kSpan;
      const int x = corner.x + column - kRadius, y = corner.y + row;
      int noise = 0, count = 0;
      const int end = Smaller(y + kRadius, height - 1);
      for (int v = Larger(y - kRadius, 0); x >= 0 && x < width && v <= end; ++v) {
        const std::int64_t pixel = std::int64_t{v} * width + x;
        noise += photometric::Magnitude(rests[pixel]);
        count += seens[pixel];
      }
      shared.noise[row][column] = static_cast<std::uint16_t>(noise);
      shared.count[row][column] = static_cast<std::uint16_t>(count);
    }
  }

  GLINT_HOST_DEVICE void Add(const Thread& at, const std::int16_t* rests, const std::uint8_t* seens,
                             const Shape::Shared& shared) const {
    const auto [x, y] = PixelOf(at, width);
    if (x >= width || y >= height) return;
    const std::int64_t pixel = std::int64_t{y} * width + x;
    if (seens[pixel] == 0) return;
    const int row = at.index / kTileWidth, column = at.index % kTileWidth;
    int noise = 0, count = 0;
    for (int i = 0; i <= 2 * kRadius; ++i) {
      noise += shared.noise[row][column + i];
      count += shared.count[row][column + i];
    }
    const std::int16_t calm = photometric::Calm(rests[pixel], static_cast<std::uint16_t>(noise),
                                                static_cast<std::uint16_t>(count));
    const std::int64_t in_group = std::int64_t{at.layer} * width * height + pixel;
    sums[in_group] = static_cast<std::int16_t>(sums[in_group] + calm);
    counts[in_group] = static_cast<std::uint8_t>(counts[in_group] + 1);
  }
};

/// Divides each group's sum by the root of the number of views; layer i group i.
struct RootMeansKernel {
  static constexpr KernelId kId = KernelId::kRootMeans;
  using Shape = PixelShape;

  int width = 0;
  int height = 0;
  std::int16_t* sums = nullptr;
  const std::uint8_t* counts = nullptr;
  const std::int32_t* root_weights = nullptr;  ///< photometric::RootWeight of 0 .. 255

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(at, width);
    if (x >= width || y >= height) return;
    const std::int64_t in_group = (std::int64_t{at.layer} * height + y) * width + x;
    sums[in_group] = photometric::RootMean(sums[in_group], root_weights[counts[in_group]]);
  }
};

/// Smooths each group; layer i group i.
struct SmoothGroupsKernel {
  static constexpr KernelId kId = KernelId::kSmoothGroups;
  using Shape = PixelShape;

  int width = 0;
  int height = 0;
  const std::int16_t* means = nullptr;
  std::int16_t* out = nullptr;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(at, width);
    if (x >= width || y >= height) return;
    constexpr int kReach = photometric::kGroupReach;
    const std::int64_t group = std::int64_t{at.layer} * width * height;
    const std::int16_t* rows[2 * kReach + 1];
    for (int j = -kReach; j <= kReach; ++j) {
      const int row = photometric::Reflect101(y + j, height);
      rows[j + kReach] = means + group + std::int64_t{row} * width;
    }
    std::int32_t columns[2 * kReach + 1];
    for (int i = -kReach; i <= kReach; ++i) {
      const int u = photometric::Reflect101(x + i, width);
      columns[i + kReach] = photometric::GroupColumn(rows[0][u], rows[1][u], rows[2][u], rows[3][u],
                                                     rows[4][u], rows[5][u], rows[6][u]);
    }
    out[group + std::int64_t{y} * width + x] = photometric::GroupRow(columns + kReach);
  }
};

/// Where the taps of the line filters lie.
struct LineTapTable {
  std::int8_t x[photometric::kDirections][photometric::kLineTaps];
  std::int8_t y[photometric::kDirections][photometric::kLineTaps];
};

/// The best line through every pixel.
struct FindLinesKernel {
  static constexpr KernelId kId = KernelId::kFindLines;
  using Shape = PixelShape;

  const View* views = nullptr;
  Grouping grouping;
  const std::int16_t* groups = nullptr;  ///< SmoothGroupsKernel; 0 lies outside
  LineTapTable taps;
  Image<const std::uint8_t> counts;  ///< valid views
  Image<std::int32_t> energy;
  Image<std::int32_t> point;
  Image<std::uint8_t> direction;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(at, energy.width);
    if (x >= energy.width || y >= energy.height) return;
    std::int32_t best_long = -1, best_short = 0;
    int best = 0;
    for (int d = 0; d < photometric::kDirections; ++d) {
      std::int32_t long_sum = 0, short_sum = 0;
      for (int group = 0; group < grouping.groups; ++group) {
        AddResponses(group, d, x, y, long_sum, short_sum);
      }
      if (long_sum > best_long) {  // ties to the lower direction
        best_long = long_sum;
        best_short = short_sum;
        best = d;
      }
    }
    const bool enough = counts.At(x, y) >= LineEvidenceStage::kMinViews;
    const int seen = Larger(GroupsThatSee(x, y), 1);
    energy.At(x, y) = enough ? photometric::RootMeanSquare(best_long, seen) : 0;
    point.At(x, y) = enough ? photometric::RootMeanSquare(best_short, seen) : 0;
    direction.At(x, y) = static_cast<std::uint8_t>(best);
  }

 private:
  GLINT_HOST_DEVICE int Value(const std::int16_t* group, int x, int y) const {
    if (x < 0 || y < 0 || x >= energy.width || y >= energy.height) return 0;
    return group[std::int64_t{y} * energy.width + x];
  }

  GLINT_HOST_DEVICE void AddResponses(int group, int d, int x, int y, std::int32_t& long_sum,
                                      std::int32_t& short_sum) const {
    const std::int16_t* values = groups + std::int64_t{group} * energy.width * energy.height;
    std::int16_t pairs[photometric::kLineTaps];
    for (int t = 0; t < photometric::kLineTaps; ++t) {
      const int dx = taps.x[d][t], dy = taps.y[d][t];
      pairs[t] =
          static_cast<std::int16_t>(Value(values, x + dx, y + dy) + Value(values, x - dx, y - dy));
    }
    const auto middle = static_cast<std::int16_t>(Value(values, x, y));
    const std::int32_t l =
        photometric::LongResponse(middle, pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]);
    const std::int32_t s = photometric::ShortResponse(middle, pairs[0], pairs[1]);
    long_sum += l * l;
    short_sum += s * s;
  }

  GLINT_HOST_DEVICE int GroupsThatSee(int x, int y) const {
    int seen = 0;
    for (int group = 0; group < grouping.groups; ++group) {
      int any = 0;
      for (int i = grouping.Begin(group); i < grouping.Begin(group + 1); ++i) {
        any |= views[i].valid.At(x, y);
      }
      seen += any != 0 ? 1 : 0;
    }
    return seen;
  }
};

/// The places across a line, at distances 1, -1, 2, -2, ... px.
struct AcrossTable {
  static constexpr int kPlaces = 2 * photometric::kRidgeReach;
  photometric::BetweenPixels places[photometric::kDirections][kPlaces];
};

/// The pixels along the crest of line evidence.
struct MarkRidgesKernel {
  static constexpr KernelId kId = KernelId::kMarkRidges;
  using Shape = PixelShape;

  Image<const std::int32_t> energy;
  Image<const std::int32_t> point;
  Image<const std::uint8_t> direction;
  const AcrossTable* across = nullptr;
  std::int32_t above_energy = 0;
  std::int32_t above_point = 0;
  Image<std::uint8_t> out;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(at, out.width);
    if (x >= out.width || y >= out.height) return;
    const bool strong = energy.At(x, y) > above_energy && point.At(x, y) > above_point;
    out.At(x, y) = strong && IsRidge(x, y) ? 255 : 0;
  }

 private:
  /// 1024 times the energy between four pixels; what lies outside is 0.
  GLINT_HOST_DEVICE std::int64_t EnergyAt(const photometric::BetweenPixels& place, int x,
                                          int y) const {
    std::int64_t sum = 0;
    for (int corner = 0; corner < 4; ++corner) {
      const int u = x + place.x + (corner & 1), v = y + place.y + (corner >> 1);
      if (u < 0 || v < 0 || u >= energy.width || v >= energy.height) continue;
      sum += std::int64_t{place.w[corner]} * energy.At(u, v);
    }
    return sum;
  }

  GLINT_HOST_DEVICE bool IsRidge(int x, int y) const {
    constexpr int kNear = 2 * photometric::kRidgeNear;
    const std::int64_t own = std::int64_t{1024} * energy.At(x, y);
    const auto& places = across->places[direction.At(x, y) % photometric::kDirections];
    for (int i = 0; i < AcrossTable::kPlaces; ++i) {
      const std::int64_t other = EnergyAt(places[i], x, y);
      if (i < kNear ? own < other : 100 * own < photometric::kHaloPercent * other) return false;
    }
    return true;
  }
};

}  // namespace glint::cuda
