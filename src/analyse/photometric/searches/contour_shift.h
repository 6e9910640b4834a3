// SPDX-License-Identifier: Apache-2.0
// Lines that are contours of the print, shifted in some views.
#pragma once

#include <span>
#include <vector>

#include "analyse/photometric/lines/line_paths.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"
#include "glint/stored_plane.h"

namespace glint::photometric {

/// What decides that a shift explains a line. Object pixels.
struct ContourShiftParams {
  /// around a line, that is looked at
  GLINT_PARAM(int, band_px, 1, 20) = 3;
  /// of squares that have a shift of their own in each view
  GLINT_PARAM(int, cell_px, 8, 500) = 32;
  /// of a line in such a square: fewer say nothing
  GLINT_PARAM(int, min_pixels, 3, 1000) = 12;
  /// per pixel, added to the squared gradients: noise of a plain print
  GLINT_PARAM(double, gradient_noise_grey2, 0.001, 1000) = 1;
  /// of the squared residuals in a square: with more a shift explains them
  GLINT_PARAM(double, max_explained_share, 0, 1) = 0.5;
  /// the same of a long line: shifts explain much of a few squares by chance, hardly of most of
  /// many
  GLINT_PARAM(double, max_long_explained_share, 0, 1) = 0.4;
  /// LinePath::length of one
  GLINT_PARAM(int, min_long_px, 1, 10000) = 200;
  /// of a line's pixels in such squares: with more it is a contour; it may cross others
  GLINT_PARAM(double, max_pixels_share, 0, 1) = 0.5;
};

/// How much of each line shifts of the print explain: the squared residuals around it that are
/// along the albedo's gradient, each square in each view with a shift of its own (B. D. Lucas and
/// T. Kanade, IJCAI 1981). Registration that was off by a pixel in a few views shows every contour
/// there as a line; damage knows nothing of the print's gradient.
/// @param lines      their paths and `ids`
/// @param residuals  kS16 on the host per view, 1/64 grey
/// @param valid      kU8 on the host per view
/// @param albedo     kS16 on the host, 1/64 grey
/// @return per path, of its pixels and those beside them: the share in squares that are explained;
///         0 where there is too little to say so
std::vector<double> ExplainedByShifts(const Lines& lines, std::span<const StoredPlane> residuals,
                                      std::span<const Plane> valid, const Plane& albedo,
                                      const ContourShiftParams& params, ThreadPool& pool);

/// The lines without those that shifts explain. Bare paper (LinePath::bare) has contours of its
/// own.
Lines DropShiftedContours(Lines lines, std::span<const StoredPlane> residuals,
                          std::span<const Plane> valid, const Plane& albedo,
                          const ContourShiftParams& params, ThreadPool& pool);

}  // namespace glint::photometric
