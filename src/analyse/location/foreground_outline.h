// SPDX-License-Identifier: Apache-2.0
// The outline of what is unlike the border of a picture.
#pragma once

#include <opencv2/core/mat.hpp>
#include <optional>

#include "base/params.h"
#include "glint/report.h"

namespace glint {

/// What is taken for the ground that an object lies on. Lengths are small pixels, colours CIE Lab
/// of 8 bits.
struct ForegroundParams {
  /// of the picture's longer side: of the band along its border whose colours are the ground's
  GLINT_PARAM(double, band_share, 0.005, 0.4) = 0.05;
  /// from one pixel of the band to the next that is looked at
  GLINT_PARAM(int, band_step_px, 1, 16) = 2;
  /// of the ground
  GLINT_PARAM(int, colours, 1, 32) = 6;
  /// times that these are moved to the mean of what is nearest to them
  GLINT_PARAM(int, rounds, 1, 1000) = 20;
  /// of the band: a rarer colour is what else comes to the border
  GLINT_PARAM(double, min_colour_share, 0, 1) = 0.03;
  /// sigma of the blur: grain is no colour
  GLINT_PARAM(double, blur_px, 0.1, 50) = 2;
  /// added to the spread of each colour
  GLINT_PARAM(double, spread, 0.1, 100) = 3;
  /// of a colour's spread, from which on a pixel is unlike it
  GLINT_PARAM(double, min_deviations, 0.1, 100) = 2.5;
  /// of the opening that takes specks off, and of the closing after it
  GLINT_PARAM(int, opening_px, 1, 99) = 5;
  /// see `opening_px`
  GLINT_PARAM(int, closing_px, 1, 99) = 9;
  /// of the picture: smaller parts do not count
  GLINT_PARAM(double, min_part_share, 0, 1) = 0.003;
  /// that a side of the outline is moved to an edge
  GLINT_PARAM(int, refit_px, 1, 100) = 8;
};

/// The least quadrilateral, or nearly, around a convex polygon: of its edges those are left out,
/// one after the other, that add least area.
/// @param polygon  CV_32FC2 or CV_32SC2, its corners in order
/// @return clockwise on the picture or not, as the polygon; nothing where no four edges close
std::optional<Quadrilateral> QuadrilateralAround(const cv::Mat& polygon);

/// What is unlike the border of a picture, as an object that lies on a table is unlike the table
/// (Y. Wei et al., "Geodesic saliency using background priors", ECCV 2012): it is found without
/// edges, but has to leave the border free for the most part.
/// @param rgb  CV_8UC3
/// @return CV_8U: 255 where no colour of the border is, 0 elsewhere
cv::Mat FindForeground(const cv::Mat& rgb, const ForegroundParams& params);

/// The quadrilateral around all of it. @param foreground  FindForeground
/// @return clockwise, small pixels; nothing where there is no foreground
std::optional<Quadrilateral> OutlineOfForeground(const cv::Mat& foreground);

}  // namespace glint
