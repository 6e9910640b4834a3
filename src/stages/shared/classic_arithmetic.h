// SPDX-License-Identifier: Apache-2.0
// What `classic` computes at one pixel, for every backend: exact integers up to the fusion, then
// float operations in one fixed order (no contraction, IEEE division and square root), then units
// of 2^-20. The maxima and sums between them are of integers, so their order does not matter, and
// backends that use these functions give the same bytes.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/host_device.h"
#include "glint/stage_params.h"

namespace glint::classic {

/// Pictures that the temporal sums of one fusion hold without overflow.
inline constexpr int kMaxPictures = 255;

/// Pixels around the middle one that DetailStage reads.
inline constexpr int kDetailRadius = 2;

/// Coordinate inside 0 .. count - 1 that stands for `i` outside: ... 2 1 | 0 1 2 ... (reflect-101).
GLINT_HOST_DEVICE inline int Reflect101(int i, int count) {
  if (count == 1) return 0;
  while (i < 0 || i >= count) i = i < 0 ? -i : 2 * count - 2 - i;
  return i;
}

/// Length of the 3x3 Laplacian 0 1 0 / 1 -4 1 / 0 1 0, 0..1020. Rows point at the middle column.
GLINT_HOST_DEVICE inline std::int32_t AbsLaplacian(const std::uint8_t* above,
                                                   const std::uint8_t* row,
                                                   const std::uint8_t* below) {
  const std::int32_t value = above[0] + below[0] + row[-1] + row[1] - 4 * row[0];
  return value < 0 ? -value : value;
}

/// gx^2 + gy^2 of the 3x3 Sobel operator, 0..2'080'800. Rows point at the middle column.
GLINT_HOST_DEVICE inline std::int32_t SquaredGradient(const std::uint8_t* above,
                                                      const std::uint8_t* row,
                                                      const std::uint8_t* below) {
  const std::int32_t gx = (above[1] - above[-1]) + 2 * (row[1] - row[-1]) + (below[1] - below[-1]);
  const std::int32_t gy =
      (below[-1] - above[-1]) + 2 * (below[0] - above[0]) + (below[1] - above[1]);
  return gx * gx + gy * gy;
}

/// 625 times the variance of a 5x5 window, 0..10'160'156.
GLINT_HOST_DEVICE inline std::int32_t Variance625(std::int32_t sum, std::int32_t square_sum) {
  return 25 * square_sum - sum * sum;
}

/// Canny at three thresholds as one weight, in hundredths.
/// @param e0,e1,e2  0 or 255
GLINT_HOST_DEVICE inline std::int32_t EdgeWeight(const ClassicFusionParams& params, std::uint8_t e0,
                                                 std::uint8_t e1, std::uint8_t e2) {
  return (e0 & params.weak_edges_percent) + (e1 & params.middle_edges_percent) +
         (e2 & params.strong_edges_percent);
}

/// pictures^2 times the variance of a pixel's grey over the pictures, 0..1'057'222'656.
/// Wraps in between, which unsigned arithmetic defines; the result is exact.
/// @param pictures  1..kMaxPictures
GLINT_HOST_DEVICE inline std::int32_t TemporalVariance(std::uint32_t pictures, std::uint32_t sum,
                                                       std::uint32_t square_sum) {
  return static_cast<std::int32_t>(pictures * square_sum - sum * sum);
}

/// Largest values of one picture's maps.
struct Maxima {
  std::int32_t edges = 0;      ///< of EdgeWeight
  std::int32_t laplacian = 0;  ///< of AbsLaplacian
  std::int32_t gradient = 0;   ///< of SquaredGradient
  std::int32_t variance = 0;   ///< of Variance625
};

/// What one unit of each map (or of its square root) adds to the score.
struct Weights {
  float edges = 0;
  float laplacian = 0;
  float gradient = 0;
  float deviation = 0;
};

/// Share of the score divided by the map's maximum; 0 for a map that is 0 everywhere.
inline float PerUnit(double share, double maximum) {
  return maximum > 0 ? static_cast<float>(share / maximum) : 0.0F;
}

/// The weights that make each map's maximum contribute its share. Computed once per picture, on the
/// host.
inline Weights WeightsFor(const ClassicFusionParams& params, const Maxima& maxima) {
  Weights weights;
  weights.edges = PerUnit(params.edges_share, maxima.edges);
  weights.laplacian = PerUnit(params.laplacian_share, maxima.laplacian);
  weights.gradient =
      PerUnit(params.gradient_share, std::sqrt(static_cast<double>(maxima.gradient)));
  weights.deviation =
      PerUnit(params.deviation_share, std::sqrt(static_cast<double>(maxima.variance)));
  return weights;
}

/// How the largest score over two or more pictures and their temporal variance are joined.
struct TemporalWeights {
  float best = 1;
  float temporal = 0;  ///< per unit of TemporalVariance
};

/// @param largest  largest TemporalVariance
inline TemporalWeights TemporalWeightsFor(const ClassicFusionParams& params, std::int32_t largest) {
  return {static_cast<float>(1 - params.temporal_share), PerUnit(params.temporal_share, largest)};
}

/// Score of one pixel in one picture, 0..1 (rounding may exceed 1 by an ulp or two).
GLINT_HOST_DEVICE inline float PictureScore(const Weights& weights, std::int32_t edges,
                                            std::int32_t laplacian, std::int32_t gradient,
                                            std::int32_t variance) {
  const float e = weights.edges * static_cast<float>(edges);
  const float l = weights.laplacian * static_cast<float>(laplacian);
  const float g = weights.gradient * sqrtf(static_cast<float>(gradient));
  const float d = weights.deviation * sqrtf(static_cast<float>(variance));
  return ((e + l) + g) + d;
}

/// Joins the largest score over two or more pictures with the temporal variance.
GLINT_HOST_DEVICE inline float WithTemporal(float best, const TemporalWeights& weights,
                                            std::int32_t temporal) {
  return weights.best * best + weights.temporal * static_cast<float>(temporal);
}

/// A score 0..1 in units of 2^-kScoreBits, rounded half up.
GLINT_HOST_DEVICE inline std::int32_t QuantiseScore(float score) {
  constexpr float kOne = 1 << kScoreBits;
  const float scaled = score * kOne + 0.5F;
  return static_cast<std::int32_t>(scaled < kOne ? scaled : kOne);
}

__extension__ using Int128 = __int128;

/// Exact sums of a score plane; those of parts add up in any order.
struct ScoreSums {
  std::int64_t pixels = 0;
  std::int64_t sum = 0;
  Int128 square_sum = 0;

  ScoreSums& operator+=(const ScoreSums& other) {
    pixels += other.pixels;
    sum += other.sum;
    square_sum += other.square_sum;
    return *this;
  }
};

/// The score that a marked pixel exceeds: floor of mean + deviations * standard deviation.
/// Computed on the host. @param sums  of at least one pixel
inline std::int64_t MaskThreshold(const ScoreSums& sums, double deviations) {
  const Int128 spread = sums.pixels * sums.square_sum - Int128{sums.sum} * sums.sum;
  const double scaled =
      static_cast<double>(sums.sum) + deviations * std::sqrt(static_cast<double>(spread));
  return static_cast<std::int64_t>(std::floor(scaled / static_cast<double>(sums.pixels)));
}

}  // namespace glint::classic
