// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <opencv2/core.hpp>

#include "analyse/reference/colour_model.h"
#include "analyse/reference/print_matching.h"
#include "base/params.h"
#include "base/thread_pool.h"

namespace glint::reference {

/// Which changes of colour are areas. Lengths times scale, areas times its square; strengths in
/// deviations of the levels.
struct ChangedAreaParams {
  /// of a changed pixel of an area ...
  GLINT_PARAM(float, min_strength, 0, 1000) = 2.5F;
  /// ... of parts of what is no area as a whole ...
  GLINT_PARAM(float, part_strength, 0, 1000) = 3.5F;
  /// ... and of parts of those
  GLINT_PARAM(float, inner_strength, 0, 1000) = 5;
  /// between the strengths of parts of one area
  GLINT_PARAM(float, alike_factor, 1, 1000) = 2.5F;
  /// of what is too thin to be an area
  GLINT_PARAM(double, opening_radius_px, 0, 100) = 2;
  /// of what ink may hide between two parts of an area
  GLINT_PARAM(double, bridge_radius_px, 0, 1000) = 7;
  /// ... and of an area that was found, times the root of its size ...
  GLINT_PARAM(double, cover_share, 0, 10) = 0.25;
  /// ... at most; not under bridge_radius_px
  GLINT_PARAM(double, max_cover_px, 0, 1000) = 25;
  /// that a pixel's weight is averaged over ...
  GLINT_PARAM(double, seen_radius_px, 0, 100) = 2;
  /// ... below which ink hides whether it changed
  GLINT_PARAM(float, min_seen, 0, 1) = 0.15F;
  /// of an area
  GLINT_PARAM(double, min_area_px, 0, 1000000) = 100;
  /// on both sides of an outline that a step is measured on
  GLINT_PARAM(double, side_radius_px, 1, 1000) = 6;
  /// outside the outline that belong to neither side, not scaled
  GLINT_PARAM(int, outline_margin_px, 0, 100) = 2;
  /// of the outline
  GLINT_PARAM(double, min_step, 0, 1000) = 1.6;
  /// of the outline that has such a step
  GLINT_PARAM(double, min_step_share, 0, 1) = 0.65;
  /// share of the outline at which a step can be measured
  GLINT_PARAM(double, min_measured, 0, 1) = 0.2;
  /// on each side for that, per squared radius
  GLINT_PARAM(float, min_weight, 0, 10) = 0.24F;
  /// of the share of pixels around the outline that lie off the print's contours: so many of the
  /// outline itself do
  GLINT_PARAM(double, min_free_share, 0, 10) = 0.85;
  /// `flat` there
  GLINT_PARAM(float, free_weight, 0, 1) = 0.35F;
  /// step * (area / evidence_area_px)^(1/4)
  GLINT_PARAM(double, min_evidence, 0, 1000) = 2.8;
  /// see min_evidence
  GLINT_PARAM(double, evidence_area_px, 1, 1000000) = 1000;
  /// share of the outline beside what is not compared ...
  GLINT_PARAM(double, max_beside_other, 0, 1) = 0.5;
  /// ... from which on an area must be so large
  GLINT_PARAM(double, min_area_beside_other_px, 0, 1000000) = 1500;
};

/// The areas that changed their colour. Where the change is strong, pieces that are about as strong
/// as each other and that only ink keeps apart - on black nothing can be seen to change - are one.
/// Such an area is kept if it
/// - ends in a step along most of its outline (light and gloss change smoothly, a stain ends);
/// - has an outline that takes no notice of the print's contours (what a wrong model of the print's
///   colours or a shift leaves lies along them);
/// - is the more pronounced the smaller it is, and no mere speck beside what cannot be compared.
/// What is inside an area that fails is judged again by itself, where it is stronger.
/// @return CV_8U, 0 and 255
cv::Mat FindChangedAreas(const ColourChange& change, const PrintMatch& match, double scale,
                         ThreadPool& pool, const ChangedAreaParams& params = {});

}  // namespace glint::reference
