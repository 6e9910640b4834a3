// SPDX-License-Identifier: Apache-2.0
// Dashes of bare paper amid print, where ink broke off a crease or was scratched away.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "analyse/photometric/lost_ink/dash_features.h"
#include "analyse/photometric/lost_ink/dash_measures.h"
#include "analyse/photometric/lost_ink/dash_pixels.h"
#include "analyse/photometric/lost_ink/paper_dots.h"
#include "base/params.h"
#include "base/thread_pool.h"

namespace glint::photometric {

/// What is plainly a dash of paper. Object pixels.
struct PlainDashParams {
  /// which pixels are of one
  GLINT_PARAM(DashPixelParams, pixels);
  /// of a dash, as even a bar as its pixels spread
  GLINT_PARAM(double, min_length_px, 1, 100) = 3;
  /// of that, by its width
  GLINT_PARAM(double, min_elongation, 1, 10) = 1.3;
  /// of that bar
  GLINT_PARAM(double, max_width_px, 1, 20) = 4.5;
  /// MeasuredDash::alone
  GLINT_PARAM(double, min_alone_share, 0, 1) = 0.5;
  /// by which any channel may be darker than the brighter side's: where two colours meet, their
  /// mixture is paler than both, yet no paper
  GLINT_PARAM(double, max_channel_drop, 0, 255) = 8;
  /// of its gain in the channel that gains most, by which its sides' colours may differ
  GLINT_PARAM(double, max_side_colour_share, 0, 10) = 0.9;
  /// MeasuredDash::sharpness
  GLINT_PARAM(double, min_sharpness, 0, 2) = 0.6;
};

/// What may be a dash, told by its evidence (dash_model.h).
struct CandidateDashParams {
  /// which pixels are of one
  GLINT_PARAM(DashPixelParams, pixels) = {.min_grey = 10,
                                          .max_side_share = 0.8,
                                          .min_lost_share = 0.15,
                                          .min_ink_grey = 30,
                                          .min_pixels = 3,
                                          .rim_px = 3};
  /// DashEvidence: what has less is none
  GLINT_PARAM(double, min_evidence, -100, 100) = -2;
};

/// What is a dash of paper, by its whiteness (WhitenessOf).
struct PaperDashParams {
  /// of the object's pixels, that are no whiter than its paper
  GLINT_PARAM(double, paper_quantile, 0.5, 1) = 0.97;
  /// how far it is whiter than its sides
  GLINT_PARAM(DashRidgeParams, ridges);
  /// how it is measured
  GLINT_PARAM(DashMeasureParams, measures);
  /// what is one for certain
  GLINT_PARAM(PlainDashParams, plain);
  /// what may be one
  GLINT_PARAM(CandidateDashParams, candidates);
  /// what is too small to have a direction
  GLINT_PARAM(PaperDotParams, dots);
};

/// Dashes and dots of paper, and the paper that bears no ink.
struct PaperDashes {
  std::vector<PaperDash> dashes;  ///< plain ones, by their first pixels, row by row
  std::vector<PaperDash>
      candidates{};               ///< in the same order, with evidence; most plain ones are some
  cv::Mat bare;                   ///< CV_8U, 0 and 255: where no ink can be lost
  std::vector<cv::Point> dots{};  ///< row by row; some are of dashes
  cv::Vec3d colour = cv::Vec3d(0, 0, 0);  ///< R, G, B of paper: the mean of what is as white
  cv::Mat whiteness{};                    ///< CV_8U: WhitenessOf
};

/// What may be dashes, and what the model is told of each.
struct DashCandidates {
  std::vector<MeasuredDash> measured;  ///< by their first pixels, row by row
  std::vector<DashFeatures> features;
};

/// Finds what may be dashes, whatever speaks for them: what bench/lost_ink learns from.
/// @param colour, surface  as of FindPaperDashes
DashCandidates FindDashCandidates(const cv::Mat& colour, const cv::Mat& surface,
                                  const PaperDashParams& params, ThreadPool& pool);

/// Finds dashes of paper. Neither light nor relief is asked: what is found here looks the same in
/// every view. Exact for any number of threads.
/// @param colour   CV_8UC3, R, G, B: the object, the median of its views
/// @param surface  CV_8U, of that size: not 0 where the object is looked at
PaperDashes FindPaperDashes(const cv::Mat& colour, const cv::Mat& surface,
                            const PaperDashParams& params, ThreadPool& pool);

}  // namespace glint::photometric
