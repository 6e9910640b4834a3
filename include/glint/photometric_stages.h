// SPDX-License-Identifier: Apache-2.0
// The operations of the `photometric` detector that every backend provides, under the rules of
// glint/stages.h. Values between stages are integers, and the arithmetic at one pixel is shared
// (stages/shared/photometric_arithmetic.h, docs/adr/0006-photometric-arithmetic.md), so that all
// backends give the same bytes.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "glint/plane.h"

namespace glint {

/// Views that one detection takes at most.
inline constexpr int kMaxPhotometricViews = 255;

/// One object seen at different times under a moving light, in object coordinates. All planes have
/// one size, both sides >= 16, and lie on the stage's device.
struct PhotometricViews {
  std::span<const Plane> greys;  ///< kU8, 1..kMaxPhotometricViews
  std::span<const Plane> valid;  ///< kU8, one per view: not 0 where the view shows the object
  Plane surface;                 ///< kU8: not 0 where the object is looked at, in any view
};

/// What the object looks like apart from light and damage, and how it varies.
struct Albedo {
  Plane grey;       ///< kS16: median of the lightly smoothed valid views, 1/64 grey; 128 where none
  Plane gradient;   ///< kS32: squared length of the Sobel gradient, (1/128 grey per pixel)^2; the
                    ///< largest in 3x3
  Plane curvature;  ///< kS32: |3x3 Laplacian|, 1/64 grey; the largest in 3x3
  Plane count;      ///< kU8: valid views of the pixel, 0 off the surface
};

/// The albedo that all views share.
class AlbedoStage {
 public:
  virtual ~AlbedoStage() = default;
  virtual absl::StatusOr<Albedo> Run(const PhotometricViews& views) = 0;
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
  NoiseModel assumed_noise = {.base = 1, .gradient = 0.01F, .curvature = 0.01F};
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
  /// Errors: INVALID_OPTION a field is out of range
  absl::Status Check() const;
};

/// What a local gain and offset of the albedo cannot explain in each view: the guided filter's
/// regression (K. He, J. Sun, X. Tang, "Guided Image Filtering", PAMI 2013) in windows of 13x13,
/// repeated with weights that take the defect itself out.
class ResidualStage {
 public:
  virtual ~ResidualStage() = default;
  /// @return kS16 per view: view minus model, 1/64 grey; 0 where the view is not valid or nothing
  /// around the pixel fits
  virtual absl::StatusOr<std::vector<Plane>> Run(const PhotometricViews& views,
                                                 const Albedo& albedo,
                                                 const ResidualParams& params) = 0;

  /// Median over the valid views of the residual's magnitude.
  /// @return kS16, 1/64 grey; 0 where no view is valid
  virtual absl::StatusOr<Plane> MedianMagnitude(const PhotometricViews& views,
                                                std::span<const Plane> residuals) = 0;
};

/// How strongly each pixel looks like part of a line that answers to the light.
struct LineEvidence {
  Plane energy;     ///< kS32: root mean square over time of the response to a long line in the best
                    ///< direction, in 1/16 of no particular unit; 0 where under min_views are valid
  Plane direction;  ///< kU8: 0..kDirections - 1, that line's angle from the x axis towards the y
                    ///< axis in units of 180 degrees / kDirections
  Plane point;      ///< kS32: the response to a short line in the same direction; a unit of its own
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
  /// Errors: INVALID_OPTION a field is out of range
  absl::Status Check() const;
};

/// Line filters on the residuals in units of their noise, averaged with their sign over
/// neighbouring views and along the line before they are squared.
class LineEvidenceStage {
 public:
  static constexpr int kDirections = 16;

  virtual ~LineEvidenceStage() = default;
  virtual absl::StatusOr<LineEvidence> Run(const PhotometricViews& views,
                                           std::span<const Plane> residuals, const Albedo& albedo,
                                           const NoiseModel& noise,
                                           const LineEvidenceParams& params) = 0;
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
  /// Errors: INVALID_OPTION a field is out of range
  absl::Status Check() const;

  static constexpr int kMaxReach = 8;  ///< px across a line that stages look
};

/// The pixels along the crest of line evidence: non-maximum suppression as in J. Canny, "A
/// Computational Approach to Edge Detection", PAMI 1986, and suppression of the halo beside a
/// stronger line.
class RidgeStage {
 public:
  virtual ~RidgeStage() = default;
  /// @param above_energy,above_point  a ridge pixel's energy and point response exceed these
  /// @return kU8 of 0 and 255: as strong as any neighbour within near_px across the line, and at
  /// least halo_percent of any within halo_px
  virtual absl::StatusOr<Plane> Run(const LineEvidence& evidence, std::int32_t above_energy,
                                    std::int32_t above_point, const RidgeParams& params) = 0;
};

}  // namespace glint
