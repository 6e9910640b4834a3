// SPDX-License-Identifier: Apache-2.0
// Every number that decides how a scan differs from a good copy, a struct per step.
#pragma once

#include <array>

#include "analyse/coarse_to_fine.h"
#include "analyse/rectify.h"
#include "base/params.h"

namespace glint {
namespace reference {

/// How the object is found in the picture of a good copy, and when it is believed.
struct CopyRegistrationParams {
  /// of the copy with the object, of whose print it may show a part only
  GLINT_PARAM(CoarseToFineParams, fit) = {.min_recognised = 0.15};
  /// the copy's pixels per pixel of the object, over which it is halved
  GLINT_PARAM(double, halving_scale, 1, 100) = 2.2;
  /// over which it is blurred, so that no detail is left out by chance
  GLINT_PARAM(double, blurring_scale, 1, 100) = 1.1;
  /// of a side: smaller ones show no object
  GLINT_PARAM(int, min_picture_px, 1, 10000) = 32;
  /// below that it shows too little to compare
  GLINT_PARAM(double, min_scale, 0, 1) = 0.15;
  /// on each level
  GLINT_PARAM(int, max_steps, 1, 100) = 5;
  /// limit of the equalisation that a second try is made with
  GLINT_PARAM(double, clahe_contrast, 0.1, 100) = 3;
  /// of that equalisation, along each side of the picture
  GLINT_PARAM(int, clahe_tiles, 1, 100) = 8;
};

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

/// How the scan's colours are explained by the good copy's. Radii times scale.
struct ColourModelParams {
  /// of the smoothing that texture is what is left of, when blur is matched
  GLINT_PARAM(int, blur_texture_radius_px, 1, 100) = 3;
  using BlurVariances = std::array<float, 9>;
  /// of the blurs that are tried, ascending
  GLINT_PARAM(BlurVariances, blur_variances_px2, 0.01, 100) = {0.15F, 0.3F, 0.5F, 0.75F, 1,
                                                               1.4F,  2,    3,    4};
  /// before colours are compared
  GLINT_PARAM(double, smoothing_radius_px, 0, 100) = 0.85;
  /// of the windows of the light
  GLINT_PARAM(double, light_radius_px, 1, 10000) = 110;
  /// of the first guess at it
  GLINT_PARAM(double, first_light_radius_px, 1, 10000) = 100;
  /// of the fit
  GLINT_PARAM(int, rounds, 1, 30) = 7;
  /// of the pixels that the colour matrix is fitted to
  GLINT_PARAM(int, fit_stride_px, 1, 100) = 4;
  /// of those
  GLINT_PARAM(float, min_fit_weight, 0, 1) = 0.05F;
  /// weight of unchanged colours, relative to the pixels'
  GLINT_PARAM(double, colour_prior, 0, 1) = 1e-4;
  /// squared colour difference at which a gain counts half
  GLINT_PARAM(float, gain_prior, 0, 1) = 2e-4F;
  /// the same of the variance of luma
  GLINT_PARAM(float, luma_prior, 0, 1) = 1e-3F;
  /// of the light
  GLINT_PARAM(float, min_gain, 0, 1) = 0.1F;
  /// of the light
  GLINT_PARAM(float, max_gain, 1, 1000) = 8;
  /// linear light that noise amounts to
  GLINT_PARAM(float, dark_light, 0, 1) = 0.004F;
  /// weight of pixels that deviations are measured on
  GLINT_PARAM(float, min_flat, 0, 1) = 0.3F;
  /// of a pixel
  GLINT_PARAM(double, min_noise_grey, 0, 255) = 0.3;
  /// that a level may be off anyhow ...
  GLINT_PARAM(double, level_tolerance_grey, 0, 255) = 0.2;
  /// ... and its deviation at least: less nobody sees
  GLINT_PARAM(double, min_deviation_grey, 0.001, 255) = 1;
  /// at which a pixel counts half ...
  GLINT_PARAM(float, outlier_deviations, 0.01, 1000) = 2;
  /// ... in the first round, halved from round to round: colours that are rare must not lose their
  /// say at once
  GLINT_PARAM(float, first_outlier_deviations, 0.01, 10000) = 32;
  /// of the smoothing of levels
  GLINT_PARAM(double, level_radius_px, 0, 100) = 2.6;
  /// mean weight around a pixel that has a level
  GLINT_PARAM(float, min_support, 0, 1) = 0.08F;
};

/// What counts as a highlight of the good copy. Radii times scale.
struct HighlightParams {
  /// a value that the sensor may have cut off
  GLINT_PARAM(int, overexposed_grey, 1, 255) = 250;
  /// in which light is even enough
  GLINT_PARAM(double, window_radius_px, 1, 1000) = 40;
  /// variance of linear luma that tells gain from veil
  GLINT_PARAM(float, min_contrast, 0, 1) = 1e-3F;
  /// that is added to it
  GLINT_PARAM(float, contrast_prior, 0, 1) = 1e-4F;
  /// share of a window that must be looked at
  GLINT_PARAM(float, min_shown, 0, 1) = 0.05F;
  /// of the median one: a stain's edge lowers it
  GLINT_PARAM(float, min_gain, 0, 10) = 0.9F;
  /// linear light, beyond the median one
  GLINT_PARAM(float, min_veil, 0, 1) = 0.04F;
};

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

}  // namespace reference

/// How a scan is compared with a good copy. Lengths times scale.
struct ReferenceParams {
  /// what of the copy counts as seen
  GLINT_PARAM(RectificationParams, rectification);
  /// of the copy with the object
  GLINT_PARAM(reference::CopyRegistrationParams, registration);
  /// where both show the same print
  GLINT_PARAM(reference::PrintMatchParams, print);
  /// explained by the copy's
  GLINT_PARAM(reference::ColourModelParams, colours);
  /// of the copy
  GLINT_PARAM(reference::HighlightParams, highlights);
  /// that changed
  GLINT_PARAM(reference::ChangedAreaParams, areas);
  /// share of the object: less is another object
  GLINT_PARAM(double, min_compared, 0, 1) = 0.05;
  /// along the border of what both show: what is outside shines in
  GLINT_PARAM(double, rim_px, 0, 100) = 6;
  /// around known damage
  GLINT_PARAM(double, known_margin_px, 0, 100) = 4;
};

}  // namespace glint
