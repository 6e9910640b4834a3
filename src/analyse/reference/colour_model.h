// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <array>

#include "analyse/reference/fields.h"
#include "analyse/reference/print_matching.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::reference {

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

/// Two colour differences (R - G, and their mean - B) and the luma.
inline constexpr std::size_t kChannels = 3;
inline constexpr std::size_t kLuma = 2;

/// How the scan's colours differ from those that the good copy explains.
struct ColourChange {
  std::array<Field, kChannels> level;         ///< smoothed, in about grey values of 8 bit
  std::array<double, kChannels> deviation{};  ///< of each level where nothing changed
  Field
      strength;  ///< length of the levels in units of their deviations; 0 where nothing is compared
  Field paler;   ///< how much lighter and less coloured, grey values: stains are below 0
};

/// Explains the scan's colours by those of the good copy under another light and camera, and says
/// what is left. In linear light a scan is gain * ink + veil: the light's strength and the gloss
/// change smoothly over the object, and both are the same for all colours. Hence the *colour
/// differences* have no veil and share one gain: scan = gain(x, y) * B * copy, with a matrix B for
/// the whole object (two cameras' colours) and a gain in windows that light fills, but a stain does
/// not. Luma has a gain and an offset in those windows. All of it is fitted in turns, with weights
/// that leave out what does not fit.
/// @param now,then  kU8x3 on the host, one size
ColourChange FindColourChange(const Plane& now, const Plane& then, const PrintMatch& match,
                              double scale, ThreadPool& pool, const ColourModelParams& params = {});

}  // namespace glint::reference
