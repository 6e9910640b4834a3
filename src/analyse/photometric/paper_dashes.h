// SPDX-License-Identifier: Apache-2.0
// Dashes of bare paper amid print, where ink broke off a crease or was scratched away.
#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <vector>

#include "analyse/photometric/paper_dots.h"
#include "base/params.h"
#include "base/thread_pool.h"

namespace glint::photometric {

/// What is a dash of paper, by its whiteness (WhitenessOf). Object pixels.
struct PaperDashParams {
  using Distances = std::array<int, 5>;

  /// by which it is whiter than what lies to either side
  GLINT_PARAM(double, min_grey, 1, 255) = 14;
  /// from its middle to either side, where it is compared; the first two also for whether both
  /// sides are alike
  GLINT_PARAM(Distances, side_px, 1, 20) = {3, 4, 5, 7, 9};
  /// to either side, along the dash: it is averaged over so much
  GLINT_PARAM(int, along_px, 0, 10) = 2;
  /// of that, by which its sides may differ: paper shows in the midst of one print
  GLINT_PARAM(double, max_side_share, 0, 10) = 0.4;
  /// of the object's pixels, that are no whiter than its paper
  GLINT_PARAM(double, paper_quantile, 0.5, 1) = 0.97;
  /// from the print beside it to paper, the part by which it is whiter: ink that is gone
  GLINT_PARAM(double, min_lost_share, 0, 1) = 0.25;
  /// by which paper is whiter than that print: on bare paper no ink can be lost
  GLINT_PARAM(double, min_ink_grey, 0, 255) = 40;

  /// that touch: fewer are noise
  GLINT_PARAM(int, min_pixels, 1, 1000) = 4;
  /// of a dash, as even a bar as its pixels spread
  GLINT_PARAM(double, min_length_px, 1, 100) = 3;
  /// of that, by its width
  GLINT_PARAM(double, min_elongation, 1, 10) = 1.3;
  /// of that bar
  GLINT_PARAM(double, max_width_px, 1, 20) = 4.5;
  /// along the object's sides, where none is looked for
  GLINT_PARAM(int, rim_px, 0, 100) = 6;
  /// beside it, where little may be as white: what is printed rarely comes alone
  GLINT_PARAM(double, beside_px, 1, 50) = 12;
  /// from its middle to where that begins
  GLINT_PARAM(double, beside_from_px, 0, 50) = 3.5;
  /// of those pixels, that have to be less white
  GLINT_PARAM(double, beside_quantile, 0.5, 1) = 0.95;
  /// of a disc that bare paper has room for where it is a margin or a ground, not a stroke: a dash
  /// that reaches one is still alone
  GLINT_PARAM(int, ground_radius_px, 1, 100) = 6;
  /// around such paper, where it fades into the ink
  GLINT_PARAM(int, ground_edge_px, 0, 20) = 2;
  /// of its own pixels, that are no whiter than what is compared with them
  GLINT_PARAM(double, own_quantile, 0, 1) = 0.8;
  /// of its own contrast, by which they have to be
  GLINT_PARAM(double, min_alone_share, 0, 1) = 0.5;
  /// by which any channel may be darker than the brighter side's: where two colours meet, their
  /// mixture is paler than both, yet no paper
  GLINT_PARAM(double, max_channel_drop, 0, 255) = 8;
  /// of its gain in the channel that gains most, by which its sides' colours may differ
  GLINT_PARAM(double, max_side_colour_share, 0, 10) = 0.9;
  /// from its pixels to either side, where most of it should be gone
  GLINT_PARAM(int, edge_px, 1, 20) = 2;
  /// to there
  GLINT_PARAM(int, beyond_edge_px, 2, 20) = 4;
  /// of its whiteness over what lies beyond its edge, the part that is gone there: ink breaks off
  /// with an edge, a brush's stroke is soft
  GLINT_PARAM(double, min_sharpness, 0, 2) = 0.6;
  /// what is too small to have a direction
  GLINT_PARAM(PaperDotParams, dots);
};

/// A dash: its middle, its direction, and how much whiter than its sides it is at most.
struct PaperDash {
  double x = 0, y = 0;
  double cosine = 1, sine = 0;
  double length = 0;                    ///< px
  double contrast = 0;                  ///< grey values
  cv::Vec3d ink = cv::Vec3d(0, 0, 0);   ///< R, G, B of its sides
  cv::Vec3d gain = cv::Vec3d(0, 0, 0);  ///< of its own colour over that
  double side_share = 0;                ///< of its largest gain, by which its sides differ
  double sides_differ = 0;              ///< grey values, in the channel where they differ most
  double sharpness = 0;                 ///< PaperDashParams::min_sharpness

  bool operator==(const PaperDash&) const = default;
};

/// Dashes and dots of paper, and the paper that bears no ink.
struct PaperDashes {
  std::vector<PaperDash> dashes;          ///< by their first pixels, row by row
  cv::Mat bare;                           ///< CV_8U, 0 and 255: where no ink can be lost
  std::vector<cv::Point> dots;            ///< row by row; some are of dashes
  cv::Vec3d colour = cv::Vec3d(0, 0, 0);  ///< R, G, B of paper: the mean of what is as white
  cv::Mat whiteness;                      ///< CV_8U: WhitenessOf
};

/// Finds dashes of paper. Neither light nor relief is asked: what is found here looks the same in
/// every view. Exact for any number of threads.
/// @param colour   CV_8UC3, R, G, B: the object, the median of its views
/// @param surface  CV_8U, of that size: not 0 where the object is looked at
PaperDashes FindPaperDashes(const cv::Mat& colour, const cv::Mat& surface,
                            const PaperDashParams& params, ThreadPool& pool);

}  // namespace glint::photometric
