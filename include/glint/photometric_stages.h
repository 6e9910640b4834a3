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
#include "glint/stage_params.h"
#include "glint/stored_plane.h"

namespace glint {

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

/// What a local gain and offset of the albedo cannot explain in each view: the guided filter's
/// regression (K. He, J. Sun, X. Tang, "Guided Image Filtering", PAMI 2013) in windows of 13x13,
/// repeated with weights that take the defect itself out.
class ResidualStage {
 public:
  virtual ~ResidualStage() = default;
  /// @return kS16 per view: view minus model, 1/64 grey; 0 where the view is not valid or nothing
  /// around the pixel fits
  virtual absl::StatusOr<std::vector<StoredPlane>> Run(const PhotometricViews& views,
                                                       const Albedo& albedo,
                                                       const ResidualParams& params) = 0;

  /// Median over the valid views of the residual's magnitude.
  /// @return kS16, 1/64 grey; 0 where no view is valid
  virtual absl::StatusOr<Plane> MedianMagnitude(const PhotometricViews& views,
                                                std::span<const StoredPlane> residuals) = 0;
};

/// How strongly each pixel looks like part of a line that answers to the light.
struct LineEvidence {
  Plane energy;     ///< kS32: root mean square over time of the response to a long line in the best
                    ///< direction, in 1/16 of no particular unit; 0 where under min_views are valid
  Plane direction;  ///< kU8: 0..kDirections - 1, that line's angle from the x axis towards the y
                    ///< axis in units of 180 degrees / kDirections
  Plane point;      ///< kS32: the response to a short line in the same direction; a unit of its own
};

/// Line filters on the residuals in units of their noise, averaged with their sign over
/// neighbouring views and along the line before they are squared.
class LineEvidenceStage {
 public:
  static constexpr int kDirections = kLineDirections;

  virtual ~LineEvidenceStage() = default;
  virtual absl::StatusOr<LineEvidence> Run(const PhotometricViews& views,
                                           std::span<const StoredPlane> residuals,
                                           const Albedo& albedo, const NoiseModel& noise,
                                           const LineEvidenceParams& params) = 0;
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
