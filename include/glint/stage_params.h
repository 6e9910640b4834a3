// SPDX-License-Identifier: Apache-2.0
// The parameters that stages and kernels share: plain structs and numbers. CUDA compilers without
// C++20 read this header, too, so it includes nothing and keeps to C++17.
#pragma once

namespace glint {

/// A score of 1 is 2^kScoreBits.
inline constexpr int kScoreBits = 20;

/// Views that one detection takes at most.
inline constexpr int kMaxPhotometricViews = 255;

/// Directions of lines that are told apart, between 0 and 180 degrees.
inline constexpr int kLineDirections = 16;

/// What each map adds to the score of `classic`. The shares of a picture's maps add up to 1, those
/// of edges to 100.
struct ClassicFusionParams {
  int weak_edges_percent = 50;    ///< of the edges' share: found with the lowest thresholds
  int middle_edges_percent = 35;  ///< with the middle ones
  int strong_edges_percent = 15;  ///< with the highest
  double edges_share = 0.45;      ///< of the edges in the score
  double laplacian_share = 0.25;  ///< of the Laplacian
  double gradient_share = 0.20;   ///< of the gradient
  double deviation_share = 0.10;  ///< of the local standard deviation
  double temporal_share = 0.25;   ///< of the variance over the pictures, where there are several

  template <class Self, class Visitor>
  static void VisitParams(Self& self, Visitor&& visit) {
    visit("weak_edges_percent", self.weak_edges_percent, 0, 100);
    visit("middle_edges_percent", self.middle_edges_percent, 0, 100);
    visit("strong_edges_percent", self.strong_edges_percent, 0, 100);
    visit("edges_share", self.edges_share, 0.0, 1.0);
    visit("laplacian_share", self.laplacian_share, 0.0, 1.0);
    visit("gradient_share", self.gradient_share, 0.0, 1.0);
    visit("deviation_share", self.deviation_share, 0.0, 1.0);
    visit("temporal_share", self.temporal_share, 0.0, 1.0);
  }
};

/// Variance of the residual where nothing is damaged: base + gradient * |grad M|^2 + curvature *
/// |lap M|^2, grey values squared (M: the albedo in grey values).
struct NoiseModel {
  float base = 1;       ///< > 0: the variance where the albedo is flat
  float gradient = 0;   ///< >= 0: what the albedo's squared slope adds
  float curvature = 0;  ///< >= 0: what its squared Laplacian adds

  template <class Self, class Visitor>
  static void VisitParams(Self& self, Visitor&& visit) {
    visit("base", self.base, 1e-3, 1e4);
    visit("gradient", self.gradient, 0.0, 1e4);
    visit("curvature", self.curvature, 0.0, 1e4);
  }
};

/// What decides which changes of a view its local model explains.
struct ResidualParams {
  /// The noise that the model assumes before the scan's own is known.
  NoiseModel assumed_noise = {1, 0.01F, 0.01F};
  /// A pixel that the first round leaves this far off counts half in the second: defects shall not
  /// pull the model towards themselves.
  float outlier_sigmas = 3;
  /// Windows whose albedo varies less, grey values squared, take their gain from their mean: there
  /// is nothing to fit it to.
  float flat_variance_grey2 = 25;
  /// How highlights look: a veil of so much of white over the albedo.
  float veil_percent = 2;
  /// Windows whose tones tell less about the camera's curve, grey values squared, stay as they are.
  float curve_doubt_grey2 = 2;

  template <class Self, class Visitor>
  static void VisitParams(Self& self, Visitor&& visit) {
    visit("assumed_noise", self.assumed_noise);
    visit("outlier_sigmas", self.outlier_sigmas, 0.1, 100.0);
    visit("flat_variance_grey2", self.flat_variance_grey2, 0.01, 1e4);
    visit("veil_percent", self.veil_percent, 0.0, 100.0);
    visit("curve_doubt_grey2", self.curve_doubt_grey2, 0.01, 1e4);
  }
};

/// What decides how much evidence of a line residuals are.
struct LineEvidenceParams {
  /// Valid views that a pixel needs: fewer do not tell a light that moves from noise.
  int min_views = 5;
  /// Residuals are clipped here, so that one sparkle does not outweigh all other views.
  float max_residual_sigmas = 8;
  /// What a residual adds to the noise around at most.
  int max_noise_sigmas = 3;
  /// Mean magnitude of residuals where nothing but noise is. Where it is larger within 25x25, a
  /// view counts that much less: gloss sparkles in some views only.
  float usual_noise_sigmas = 0.8F;
  /// Neighbouring views are averaged so that there are at most so many groups.
  int max_groups = 24;

  template <class Self, class Visitor>
  static void VisitParams(Self& self, Visitor&& visit) {
    visit("min_views", self.min_views, 1, kMaxPhotometricViews);
    visit("max_residual_sigmas", self.max_residual_sigmas, 0.1, 8.0);  // 16-bit line responses
    visit("max_noise_sigmas", self.max_noise_sigmas, 1, 3);            // 16-bit sums of 25x25
    visit("usual_noise_sigmas", self.usual_noise_sigmas, 0.01, 3.0);
    visit("max_groups", self.max_groups, 9, 31);  // 16-bit sums of views, 32-bit ones of squares
  }
};

/// What decides which pixels are the crest of a line.
struct RidgeParams {
  int near_px = 3;  ///< nothing this near across the line is stronger
  int halo_px = 8;  ///< and nothing this near much stronger: filters ring beside a strong line
  int halo_percent = 55;  ///< what a pixel has at least of the strongest one within `halo_px`

  template <class Self, class Visitor>
  static void VisitParams(Self& self, Visitor&& visit) {
    visit("near_px", self.near_px, 0, kMaxReach);
    visit("halo_px", self.halo_px, 0, kMaxReach);
    visit("halo_percent", self.halo_percent, 0, 100);
  }

  static constexpr int kMaxReach = 8;  ///< px across a line that stages look
};

}  // namespace glint
