// SPDX-License-Identifier: Apache-2.0
// What `photometric` computes at one pixel, for every backend (docs/adr/0006-photometric-
// arithmetic.md). Sums over windows, views and lines are of integers, so their order does not
// matter; between them stand float operations in one fixed order (no contraction, IEEE division and
// square root) whose results are rounded to integers again.
#pragma once

#include <cmath>
#include <cstdint>

#include "glint/stage_params.h"
#include "stages/shared/classic_arithmetic.h"

namespace glint::photometric {

using classic::Reflect101;

/// Integer nearest to `value`, halves away from zero. @param value  |value| < 2^31
GLINT_HOST_DEVICE inline std::int32_t Round(float value) {
  return static_cast<std::int32_t>(value + __builtin_copysignf(0.5F, value));
}

GLINT_HOST_DEVICE inline float Limit(float value, float bound) {
  const float low = value < -bound ? -bound : value;
  return low > bound ? bound : low;
}

// ---------------------------------------------------------------- views and albedo

/// Units of a smoothed view per grey value.
inline constexpr int kGrey = 64;

/// Gaussian of sigma 0.8: taps 128, 58, 6 of 256, from its middle outwards.
inline constexpr int kSmoothReach = 2;

/// One column of the smoothing, 0..65280. Rows y - 2 .. y + 2, reflect-101.
GLINT_HOST_DEVICE inline std::uint16_t SmoothColumn(std::uint8_t a, std::uint8_t b, std::uint8_t c,
                                                    std::uint8_t d, std::uint8_t e) {
  return static_cast<std::uint16_t>(128 * c + 58 * (b + d) + 6 * (a + e));
}

/// The smoothed view, 0..16320, from the columns x - 2 .. x + 2, reflect-101.
GLINT_HOST_DEVICE inline std::int16_t SmoothRow(const std::uint16_t* column) {
  const std::uint32_t sum = 128U * column[0] + 58U * (std::uint32_t{column[-1]} + column[1]) +
                            6U * (std::uint32_t{column[-2]} + column[2]);
  return static_cast<std::int16_t>((sum + 512) >> 10);
}

/// Rank of the median among `count` ascending values.
GLINT_HOST_DEVICE inline int MedianRank(int count) { return count / 2; }

/// Albedo where no view is valid.
inline constexpr std::int16_t kUnseenGrey = 128 * kGrey;

/// Units of a squared gradient per (grey per pixel)^2.
inline constexpr std::int32_t kGradientUnit = 128 * 128;

/// Squared length of the Sobel gradient, 1/kGradientUnit. Rows point at the middle column;
/// reflect-101.
GLINT_HOST_DEVICE inline std::int32_t SquaredGradient(const std::int16_t* above,
                                                      const std::int16_t* row,
                                                      const std::int16_t* below) {
  const std::int32_t gx = (above[1] - above[-1]) + 2 * (row[1] - row[-1]) + (below[1] - below[-1]);
  const std::int32_t gy =
      (below[-1] - above[-1]) + 2 * (below[0] - above[0]) + (below[1] - above[1]);
  const std::int32_t x = (gx + 2) >> 2, y = (gy + 2) >> 2;
  return x * x + y * y;
}

/// |3x3 Laplacian|, 1/64 grey.
GLINT_HOST_DEVICE inline std::int32_t AbsLaplacian(const std::int16_t* above,
                                                   const std::int16_t* row,
                                                   const std::int16_t* below) {
  const std::int32_t value = above[0] + below[0] + row[-1] + row[1] - 4 * row[0];
  return value < 0 ? -value : value;
}

// ---------------------------------------------------------------- noise

/// 1 / sigma, per grey value, of the residual at a pixel of the albedo.
GLINT_HOST_DEVICE inline float InverseNoise(const NoiseModel& model, std::int32_t gradient,
                                            std::int32_t curvature) {
  const float g = static_cast<float>(gradient) * (1.0F / kGradientUnit);
  const float c = static_cast<float>(curvature) * (1.0F / kGrey);
  return 1.0F / sqrtf((model.base + model.gradient * g) + model.curvature * (c * c));
}

// ---------------------------------------------------------------- local linear model

/// Of the windows in which the light is fitted, pixels: sums of 13x13 weighted products just fit
/// into 32 bits.
inline constexpr int kModelRadius = 6;
inline constexpr int kModelRounds = 2;  ///< of that fit, with new weights each

/// Weight of a pixel that the model explains.
inline constexpr int kFullWeight = 16;

/// Values that the window's sums are made of: quarter grey around 128, so that 169 weighted
/// products fit into 32 bits. -512..508.
GLINT_HOST_DEVICE inline std::int16_t Coarse(std::int16_t grey) {
  return static_cast<std::int16_t>(((grey + 8) >> 4) - 512);
}

/// Weighted sums over a window of the albedo m and the view v, in Coarse() units. Exact.
struct WindowSums {
  std::int32_t weight, m, v, mv, mm;
};

/// View minus model, 1/64 grey. @param sums  of a window with some weight
GLINT_HOST_DEVICE inline float Rest(const WindowSums& sums, std::int16_t albedo, std::int16_t view,
                                    float flat_variance_grey2) {
  // Towards the albedo's own relative contrast where the window is flat: gain = (cov + e * mean v
  // / mean m) / (var + e), all in quarter grey.
  const float flat = 16.0F * flat_variance_grey2;
  const float inverse = 1.0F / static_cast<float>(sums.weight);
  const float m = static_cast<float>(sums.m) * inverse;
  const float v = static_cast<float>(sums.v) * inverse;
  const float covariance = static_cast<float>(sums.mv) * inverse - m * v;
  const float variance = static_cast<float>(sums.mm) * inverse - m * m;
  const float dark = m + 512.0F;
  const float mean_m = dark < 4.0F ? 4.0F : dark;
  const float mean_v = v + 512.0F;
  const float gain = (covariance * mean_m + flat * mean_v) / ((variance + flat) * mean_m);
  const float fine_m = static_cast<float>(albedo) * (1.0F / 16) - 512.0F;
  const float fine_v = static_cast<float>(view) * (1.0F / 16) - 512.0F;
  return ((fine_v - v) - gain * (fine_m - m)) * 16.0F;
}

/// 1 / (outlier_sigmas * sigma) per 1/64 grey, of the assumed noise at a pixel of the albedo.
GLINT_HOST_DEVICE inline float InverseBound(const ResidualParams& params, std::int32_t gradient,
                                            std::int32_t curvature) {
  return InverseNoise(params.assumed_noise, gradient, curvature) *
         (1.0F / (params.outlier_sigmas * kGrey));
}

/// How much a pixel counts in the next round, 0..kFullWeight: 1 / (1 + (rest * inverse_bound)^4).
GLINT_HOST_DEVICE inline std::int16_t RobustWeight(float rest, float inverse_bound) {
  const float t = rest * inverse_bound;
  const float t2 = t * t;
  return static_cast<std::int16_t>(Round(static_cast<float>(kFullWeight) / (1.0F + t2 * t2)));
}

/// A residual as it is kept, 1/64 grey.
GLINT_HOST_DEVICE inline std::int16_t QuantiseRest(float rest) {
  return static_cast<std::int16_t>(Round(Limit(rest, 255.0F * kGrey)));
}

// ---------------------------------------------------------------- the camera's curve

// Highlights add light, and a camera's grey values are about the root of light, so that a highlight
// lifts dark tones more than bright ones: no gain and offset of a window of several dark tones
// explains that. How such a change looks is known, though: like the albedo under a veil of light,
// as far as gain and offset do not explain that. As much of it as a window of a view shows is taken
// out of the residual (R. Frisch and F. V. Waugh, Econometrica 1933: the same as if it had taken
// part in the regression).

/// The albedo under a veil of so much of white, 1/64 grey.
GLINT_HOST_DEVICE inline std::int16_t Veiled(std::int16_t albedo, float veil_percent) {
  const float veil = veil_percent / 100 * 255 * 255;
  const float grey = static_cast<float>(albedo) * (1.0F / kGrey);
  return static_cast<std::int16_t>(Round(sqrtf(grey * grey + veil) * kGrey));
}

/// Units per grey value of the sums below, and the largest magnitude of what they add up: 169
/// weighted products fit into 32 bits.
inline constexpr int kCurveGrey = 16;
inline constexpr int kLargestCurve = 511;

/// What gain and offset do not explain of the veiled albedo, 1/16 grey. @param rest  1/64 grey
GLINT_HOST_DEVICE inline std::int16_t QuantiseCurve(float rest) {
  constexpr float kUnits = static_cast<float>(kCurveGrey) / kGrey;
  return static_cast<std::int16_t>(Round(Limit(rest * kUnits, kLargestCurve)));
}

/// A residual in 1/16 grey.
GLINT_HOST_DEVICE inline std::int16_t CoarseRest(std::int16_t rest) {
  const int value = (rest + 2) >> 2;
  const int low = value < -kLargestCurve ? -kLargestCurve : value;
  return static_cast<std::int16_t>(low > kLargestCurve ? kLargestCurve : low);
}

/// Weighted sums over a window of 13x13: curve * CoarseRest(), and curve^2. Exact.
struct CurveSums {
  std::int32_t product, square;
};

/// The residual without the window's share of the curve, 1/64 grey. A residual of 0, which may mean
/// that nothing fitted, stays.
GLINT_HOST_DEVICE inline std::int16_t Straighten(std::int16_t rest, std::int16_t curve,
                                                 const CurveSums& sums, float curve_doubt_grey2) {
  // Where tones are too alike to tell, nothing.
  const float unsure = curve_doubt_grey2 * (kFullWeight * kCurveGrey * kCurveGrey);
  constexpr float kUnits = static_cast<float>(kGrey) / kCurveGrey;
  const float share = static_cast<float>(sums.product) / (static_cast<float>(sums.square) + unsure);
  const float change = (static_cast<float>(curve) * kUnits) * share;
  const std::int16_t straight = QuantiseRest(static_cast<float>(rest) - change);
  return static_cast<std::int16_t>(rest == 0 ? 0 : straight);
}

// ---------------------------------------------------------------- residual in units of its noise

inline constexpr int kNoiseRadius = 12;  ///< of the window whose residuals tell their noise, px

/// Units per sigma of a residual.
inline constexpr int kSigma = 32;

/// A residual in 1/32 of its expected noise, -256..256.
/// @param scale  kSigma / kGrey / sigma
GLINT_HOST_DEVICE inline std::int16_t Normalise(std::int16_t rest, float scale,
                                                float max_residual_sigmas) {
  return static_cast<std::int16_t>(
      Round(Limit(static_cast<float>(rest) * scale, max_residual_sigmas * kSigma)));
}

/// What a residual adds to the noise around. 625 of up to 3 sigma fit into 16 bits.
GLINT_HOST_DEVICE inline std::uint16_t Magnitude(std::int16_t rest, int max_noise_sigmas) {
  const int value = rest < 0 ? -rest : rest;
  const int most = max_noise_sigmas * kSigma;
  return static_cast<std::uint16_t>(value < most ? value : most);
}

/// The residual where the noise around exceeds the usual divided by how much it does, in 1/128
/// sigma, -1024..1024.
/// @param noise,count  sums of Magnitude and of valid pixels over the window, count >= 1
GLINT_HOST_DEVICE inline std::int16_t Attenuate(std::int16_t rest, std::uint16_t noise,
                                                std::uint16_t count, float usual_noise_sigmas) {
  const float usual = static_cast<float>(count) * (usual_noise_sigmas * kSigma);
  const float seen = static_cast<float>(noise);
  const float factor = usual / (usual > seen ? usual : seen);
  return static_cast<std::int16_t>(Round(4.0F * static_cast<float>(rest) * factor));
}

// ---------------------------------------------------------------- groups of neighbouring views

/// First view of group `group` of `groups`; the first groups are one larger where they do not
/// divide evenly.
GLINT_HOST_DEVICE inline int GroupBegin(int group, int groups, int views) {
  const int larger = views % groups;
  return group * (views / groups) + (group < larger ? group : larger);
}

/// 2^12 / sqrt(n), rounded: the weight of a sum of n residuals.
inline std::int32_t RootWeight(int n) {
  return n == 0 ? 0 : static_cast<std::int32_t>(std::lround(4096 / std::sqrt(double(n))));
}

/// The sum of n residuals / sqrt(n), 1/128 sigma.
GLINT_HOST_DEVICE inline std::int16_t RootMean(std::int16_t sum, std::int32_t root_weight) {
  const std::int32_t value = (sum * root_weight + 2048) >> 12;
  return static_cast<std::int16_t>(value);
}

/// Gaussian of sigma 1.0: taps 102, 62, 14, 1 of 256, from its middle outwards.
inline constexpr int kGroupReach = 3;

/// One column of the groups' smoothing, exact. Values y - 3 .. y + 3, reflect-101.
GLINT_HOST_DEVICE inline std::int32_t GroupColumn(int a, int b, int c, int d, int e, int f, int g) {
  return 102 * d + 62 * (c + e) + 14 * (b + f) + (a + g);
}

/// Largest value of a smoothed group: 8 sigma in 1/32. Line responses then fit into 16 bits.
inline constexpr std::int32_t kLargestGroup = 8 * kSigma;

/// The smoothed group in 1/32 sigma, from the columns x - 3 .. x + 3, reflect-101.
GLINT_HOST_DEVICE inline std::int16_t GroupRow(const std::int32_t* column) {
  const std::int32_t sum = 102 * column[0] + 62 * (column[-1] + column[1]) +
                           14 * (column[-2] + column[2]) + (column[-3] + column[3]);
  const std::int32_t value = (sum + (1 << 17)) >> 18;
  const std::int32_t low = value < -kLargestGroup ? -kLargestGroup : value;
  return static_cast<std::int16_t>(low > kLargestGroup ? kLargestGroup : low);
}

// ---------------------------------------------------------------- lines

inline constexpr int kDirections = kLineDirections;

/// Taps of a line filter lie every 2 px along the line, up to 10 px to either side.
inline constexpr int kLineTaps = 5;  ///< to either side of the middle one
inline constexpr int kLineReach = 2 * kLineTaps;

/// Gaussians of sigma 5 and 2 along the line, unit energy, in 1/32.
inline constexpr int kLongTaps[kLineTaps + 1] = {15, 14, 11, 7, 4, 2};
inline constexpr int kShortTaps[3] = {24, 15, 3};

/// Where a tap lies from the middle, pixels.
struct TapPlace {
  int x, y;
};

/// Place of tap 1..kLineTaps on one side; the other side mirrors it.
inline TapPlace LineTap(int direction, int tap) {
  const double angle = 3.14159265358979323846 * direction / kDirections;
  const double along = 2.0 * tap;
  return {static_cast<int>(std::lround(along * std::cos(angle))),
          static_cast<int>(std::lround(along * std::sin(angle)))};
}

/// Response of the long filter, 1/256 sigma. @param pairs  the middle value, and the sums of the
/// values at each tap and its mirror image; all together at most 2^15 in magnitude
GLINT_HOST_DEVICE inline std::int16_t LongResponse(std::int16_t middle, std::int16_t pair1,
                                                   std::int16_t pair2, std::int16_t pair3,
                                                   std::int16_t pair4, std::int16_t pair5) {
  const auto sum = static_cast<std::int16_t>(kLongTaps[0] * middle + kLongTaps[1] * pair1 +
                                             kLongTaps[2] * pair2 + kLongTaps[3] * pair3 +
                                             kLongTaps[4] * pair4 + kLongTaps[5] * pair5);
  return static_cast<std::int16_t>((sum + 2) >> 2);
}

/// Response of the short filter, 1/256 sigma.
GLINT_HOST_DEVICE inline std::int16_t ShortResponse(std::int16_t middle, std::int16_t pair1,
                                                    std::int16_t pair2) {
  const auto sum = static_cast<std::int16_t>(kShortTaps[0] * middle + kShortTaps[1] * pair1 +
                                             kShortTaps[2] * pair2);
  return static_cast<std::int16_t>((sum + 2) >> 2);
}

/// Root mean square in 1/16. @param square_sum,count  over the groups, count >= 1
GLINT_HOST_DEVICE inline std::int32_t RootMeanSquare(std::int32_t square_sum, int count) {
  const float mean = static_cast<float>(square_sum) / static_cast<float>(count);
  return Round(sqrtf(mean) * 16.0F);
}

// ---------------------------------------------------------------- ridges

/// Whether a pixel is no crest beside a place across the line.
/// @param own,other  energies of both, in the same unit
GLINT_HOST_DEVICE inline bool IsSuppressed(const RidgeParams& params, int distance,
                                           std::int64_t own, std::int64_t other) {
  return distance <= params.near_px
             ? own < other
             : distance <= params.halo_px && 100 * own < params.halo_percent * other;
}

/// A place between four pixels, in 1/32 px.
struct BilinearTap {
  int x, y;           ///< the upper left one of the four
  std::int32_t w[4];  ///< weights of (x,y), (x+1,y), (x,y+1), (x+1,y+1), 1/1024 together
};

/// The place `distance` px across a line of this direction (negative: on the other side).
inline BilinearTap AcrossLine(int direction, int distance) {
  const double angle = 3.14159265358979323846 * direction / kDirections;
  const int x = static_cast<int>(std::lround(-std::sin(angle) * distance * 32));
  const int y = static_cast<int>(std::lround(std::cos(angle) * distance * 32));
  const int fx = x & 31, fy = y & 31;
  return {x >> 5, y >> 5, {(32 - fx) * (32 - fy), fx * (32 - fy), (32 - fx) * fy, fx * fy}};
}

}  // namespace glint::photometric
