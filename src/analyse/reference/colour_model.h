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
  int blur_texture_radius_px = 3;
  /// of the blurs that are tried, ascending
  std::array<float, 9> blur_variances_px2 = {0.15F, 0.3F, 0.5F, 0.75F, 1, 1.4F, 2, 3, 4};
  /// before colours are compared
  double smoothing_radius_px = 0.85;
  /// of the windows of the light
  double light_radius_px = 110;
  /// of the first guess at it
  double first_light_radius_px = 100;
  /// of the fit
  int rounds = 7;
  /// of the pixels that the colour matrix is fitted to
  int fit_stride_px = 4;
  /// of those
  float min_fit_weight = 0.05F;
  /// weight of unchanged colours, relative to the pixels'
  double colour_prior = 1e-4;
  /// squared colour difference at which a gain counts half
  float gain_prior = 2e-4F;
  /// the same of the variance of luma
  float luma_prior = 1e-3F;
  /// of the light
  float min_gain = 0.1F;
  /// of the light
  float max_gain = 8;
  /// linear light that noise amounts to
  float dark_light = 0.004F;
  /// weight of pixels that deviations are measured on
  float min_flat = 0.3F;
  /// of a pixel
  double min_noise_grey = 0.3;
  /// that a level may be off anyhow ...
  double level_tolerance_grey = 0.2;
  /// ... and its deviation at least: less nobody sees
  double min_deviation_grey = 1;
  /// at which a pixel counts half ...
  float outlier_deviations = 2;
  /// ... in the first round, halved from round to round: colours that are rare must not lose their
  /// say at once
  float first_outlier_deviations = 32;
  /// of the smoothing of levels
  double level_radius_px = 2.6;
  /// mean weight around a pixel that has a level
  float min_support = 0.08F;

  GLINT_PARAMS(self, visit) {
    visit("blur_texture_radius_px", self.blur_texture_radius_px, 1, 100);
    visit("blur_variances_px2", self.blur_variances_px2, 0.01, 100);
    visit("smoothing_radius_px", self.smoothing_radius_px, 0, 100);
    visit("light_radius_px", self.light_radius_px, 1, 10000);
    visit("first_light_radius_px", self.first_light_radius_px, 1, 10000);
    visit("rounds", self.rounds, 1, 30);
    visit("fit_stride_px", self.fit_stride_px, 1, 100);
    visit("min_fit_weight", self.min_fit_weight, 0, 1);
    visit("colour_prior", self.colour_prior, 0, 1);
    visit("gain_prior", self.gain_prior, 0, 1);
    visit("luma_prior", self.luma_prior, 0, 1);
    visit("min_gain", self.min_gain, 0, 1);
    visit("max_gain", self.max_gain, 1, 1000);
    visit("dark_light", self.dark_light, 0, 1);
    visit("min_flat", self.min_flat, 0, 1);
    visit("min_noise_grey", self.min_noise_grey, 0, 255);
    visit("level_tolerance_grey", self.level_tolerance_grey, 0, 255);
    visit("min_deviation_grey", self.min_deviation_grey, 0.001, 255);
    visit("outlier_deviations", self.outlier_deviations, 0.01, 1000);
    visit("first_outlier_deviations", self.first_outlier_deviations, 0.01, 10000);
    visit("level_radius_px", self.level_radius_px, 0, 100);
    visit("min_support", self.min_support, 0, 1);
  }
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
