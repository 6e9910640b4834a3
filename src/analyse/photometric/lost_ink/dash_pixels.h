// SPDX-License-Identifier: Apache-2.0
// The pixels that dashes of bare paper are made of.
#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <vector>

#include "base/params.h"
#include "base/thread_pool.h"

namespace glint::photometric {

/// How far a pixel is whiter than its sides. Object pixels.
struct DashRidgeParams {
  using Distances = std::array<int, 5>;

  /// from its middle to either side, where it is compared; the first two also for whether both
  /// sides are alike
  GLINT_PARAM(Distances, side_px, 1, 20) = {3, 4, 5, 7, 9};
  /// to either side, along the dash: it is averaged over so much
  GLINT_PARAM(int, along_px, 0, 10) = 2;
};

/// Which pixels are of a dash. Object pixels.
struct DashPixelParams {
  /// by which it is whiter than what lies to either side
  GLINT_PARAM(double, min_grey, 1, 255) = 14;
  /// of that, by which its sides may differ: paper shows in the midst of one print
  GLINT_PARAM(double, max_side_share, 0, 10) = 0.4;
  /// from the print beside it to paper, the part by which it is whiter: ink that is gone
  GLINT_PARAM(double, min_lost_share, 0, 1) = 0.25;
  /// by which paper is whiter than that print: on bare paper no ink can be lost
  GLINT_PARAM(double, min_ink_grey, 0, 255) = 40;
  /// that touch: fewer are noise
  GLINT_PARAM(int, min_pixels, 1, 1000) = 4;
  /// along the object's sides, where none is looked for
  GLINT_PARAM(int, rim_px, 0, 100) = 6;
};

/// By how much each pixel is whiter than its sides, in the direction in which it is most. Sums over
/// a dash's length: `per_grey` of them are a grey value.
struct DashRidges {
  cv::Mat contrast;  ///< CV_16S, 0 where it is less than asked
  cv::Mat sides;     ///< CV_16S: between both sides, twice the sums
  int per_grey = 1;
};

/// Measures ridges in all directions. Exact for any number of threads.
/// @param whiteness  CV_8U, WhitenessOf
/// @param min_grey   by which a pixel is whiter at least
DashRidges FindDashRidges(const cv::Mat& whiteness, double min_grey, const DashRidgeParams& params,
                          ThreadPool& pool);

/// The pixels where ink is gone, by one pixel and its sides, that touch, in the order of their
/// first ones. What comes to the rim ends before it.
/// @param surface  CV_8U, of that size: not 0 where the object is looked at
/// @param paper    how white bare paper is
std::vector<std::vector<cv::Point>> FindDashPixels(const cv::Mat& whiteness, const cv::Mat& surface,
                                                   const DashRidges& ridges, int paper,
                                                   const DashPixelParams& params);

}  // namespace glint::photometric
