// SPDX-License-Identifier: Apache-2.0
// The constants of the method: those of cv::calcOpticalFlowFarneback with pyr_scale 0.5, levels 3,
// winsize 15, iterations 3, poly_n 5, poly_sigma 1.2, flags 0.
#pragma once

#include <array>

namespace glint::farneback {

inline constexpr int kCoarserLevels = 3;       ///< pyramid levels above the full size, at most
inline constexpr int kSmallestLevelSide = 32;  ///< no coarser level has a shorter side, in pixels
inline constexpr int kIterations = 3;          ///< at each level
inline constexpr int kWindowRadius = 7;        ///< of the box over which a displacement is constant
inline constexpr int kPolyRadius = 5;          ///< of the neighbourhood that a polynomial describes
inline constexpr double kPolySigma = 1.2;      ///< of the Gaussian that weights it, in pixels

/// Weights of the coefficients in the outermost pixels of a level, where polynomials see replicated
/// pixels; 1 further inside.
inline constexpr std::array<float, 5> kBorderWeights = {0.14F, 0.14F, 0.4472F, 0.4472F, 0.4472F};

/// Added to the determinant of a window's sums, so that a flat window gives no displacement.
inline constexpr float kRegularisation = 1e-3F * (2 * kWindowRadius + 1) * (2 * kWindowRadius + 1) *
                                         (2 * kWindowRadius + 1) * (2 * kWindowRadius + 1);

/// What is kept of the polynomial around a pixel,
/// constant + 2 y_half y + 2 x_half x + 2 yy_half y^2 + 2 xx_half x^2 + 4 xy_quarter x y.
/// The method needs only half differences and means of two such polynomials: with the factors in
/// the coefficients they are plain differences and sums.
enum Coefficient { kY, kX, kYY, kXX, kXY };
inline constexpr int kCoefficients = 5;

/// The equations of a pixel, and their sums over a window: the symmetric matrix G and the vector h
/// of G d = h, whose solution d is the displacement.
enum WindowSum { kGyy, kGxy, kGxx, kHy, kHx };
inline constexpr int kWindowSums = 5;

/// Separable kernels that give the coefficients; index is the distance from the centre.
struct PolynomialKernels {
  PolynomialKernels();

  std::array<float, kPolyRadius + 1> smooth;     ///< even: the normalised Gaussian
  std::array<float, kPolyRadius + 1> slope;      ///< odd: half the first derivative
  std::array<float, kPolyRadius + 1> curvature;  ///< even, of zero sum: half the second-order part
};

/// The kernels, computed once.
const PolynomialKernels& Kernels();

}  // namespace glint::farneback
