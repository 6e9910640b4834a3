// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <opencv2/core.hpp>

#include "analyse/reference/fields.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::reference {

/// Where two pictures show the same print, so that colours may be compared.
struct PrintMatchParams {
  /// of the smoothing before texture is taken ...
  GLINT_PARAM(int, fine_radius_px, 1, 100) = 1;
  /// ... and of what is taken away from it
  GLINT_PARAM(int, coarse_radius_px, 1, 100) = 2;
  /// in which texture is correlated
  GLINT_PARAM(int, window_radius_px, 1, 1000) = 6;
  /// its variance, grey values squared
  GLINT_PARAM(float, min_texture, 0, 65025) = 16;
  /// of texture that is alike
  GLINT_PARAM(float, min_correlation_square, 0, 1) = 0.25F;
  /// whose texture decides for a flat place, times scale
  GLINT_PARAM(double, voters_radius_px, 1, 1000) = 40;
  /// pixels that vote as the whole picture does
  GLINT_PARAM(float, prior_px, 0, 1000000) = 200;
  /// share of like texture from which on colours are compared
  GLINT_PARAM(float, min_vote, 0, 1) = 0.6F;
  /// around differing texture
  GLINT_PARAM(int, differing_margin_px, 0, 100) = 3;
  /// grey values per px at which a pixel counts half
  GLINT_PARAM(float, half_slope, 0.01, 255) = 8;
  /// of the smoothing before slopes are taken, times scale
  GLINT_PARAM(double, slope_radius_px, 0, 100) = 0.85;
  /// a value that the sensor may have cut off tells no colour
  GLINT_PARAM(int, overexposed_grey, 1, 255) = 250;
};

/// Where two pictures show the same print, so that their colours may be compared.
struct PrintMatch {
  cv::Mat compared;  ///< CV_8U, 0 and 255
  Field flat;        ///< 0..1: how little the print changes there, 0 where nothing is compared.
                     ///< On a contour a little blur or shift changes the colour, in a flat not
  double share = 0;  ///< of the textured places that look alike
};

/// Fine texture (contours, hatching, lettering) of both pictures is correlated in windows.
/// Where one has texture that the other lacks, the print itself differs - lettering that is not in
/// the artwork, another crop - and no colour is compared there, nor around it where most textured
/// places differ; flat places are judged by those around them, or by all when there are none.
/// @param now,then  kU8x3 on the host, one size
/// @param where     kU8, the same size: not 0 where both show the object
PrintMatch MatchPrints(const Plane& now, const Plane& then, const Plane& where, double scale,
                       ThreadPool& pool, const PrintMatchParams& params = {});

}  // namespace glint::reference
