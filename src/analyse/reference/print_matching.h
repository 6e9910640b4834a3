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
  int fine_radius_px = 1;
  /// ... and of what is taken away from it
  int coarse_radius_px = 2;
  /// in which texture is correlated
  int window_radius_px = 6;
  /// its variance, grey values squared
  float min_texture = 16;
  /// of texture that is alike
  float min_correlation_square = 0.25F;
  /// whose texture decides for a flat place, times scale
  double voters_radius_px = 40;
  /// pixels that vote as the whole picture does
  float prior_px = 200;
  /// share of like texture from which on colours are compared
  float min_vote = 0.6F;
  /// around differing texture
  int differing_margin_px = 3;
  /// grey values per px at which a pixel counts half
  float half_slope = 8;
  /// of the smoothing before slopes are taken, times scale
  double slope_radius_px = 0.85;
  /// a value that the sensor may have cut off tells no colour
  int overexposed_grey = 250;

  GLINT_PARAMS(self, visit) {
    visit("fine_radius_px", self.fine_radius_px, 1, 100);
    visit("coarse_radius_px", self.coarse_radius_px, 1, 100);
    visit("window_radius_px", self.window_radius_px, 1, 1000);
    visit("min_texture", self.min_texture, 0, 65025);
    visit("min_correlation_square", self.min_correlation_square, 0, 1);
    visit("voters_radius_px", self.voters_radius_px, 1, 1000);
    visit("prior_px", self.prior_px, 0, 1000000);
    visit("min_vote", self.min_vote, 0, 1);
    visit("differing_margin_px", self.differing_margin_px, 0, 100);
    visit("half_slope", self.half_slope, 0.01, 255);
    visit("slope_radius_px", self.slope_radius_px, 0, 100);
    visit("overexposed_grey", self.overexposed_grey, 1, 255);
  }
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
