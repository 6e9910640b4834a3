// SPDX-License-Identifier: Apache-2.0
// Laying one picture onto another that it almost covers, to a small fraction of a pixel.
#pragma once

#include <absl/status/status.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyse/alignment_loops.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"
#include "glint/report.h"
#include "glint/stages.h"

namespace glint {

/// How a picture is laid onto another by its patches, and when a patch is believed.
struct AlignmentParams {
  /// so many patches at most; a larger picture has them farther apart
  GLINT_PARAM(double, max_patches, 1, 1000000) = 2500;
  /// around a patch, that have to lie in the view, too: its gradients reach there
  GLINT_PARAM(int, margin_px, 1, 100) = 2;
  /// between patches, however small the picture is
  GLINT_PARAM(int, min_stride_px, 1, 1000) = 4;
  /// mean squared slope of a patch with texture, (grey/px)^2: flat ones tell no movement
  GLINT_PARAM(double, min_gradient, 0, 10000) = 3;
  /// of a patch with the target's, that is recognised
  GLINT_PARAM(double, min_correlation, -1, 1) = 0.3;
  /// that gradients can tell: a patch that seems to move farther is not recognised
  GLINT_PARAM(double, max_motion_px, 0, 100) = 2.5;
  /// recognised ones below which nothing is fitted
  GLINT_PARAM(int, min_patches, 4, 1000000) = 24;
  /// distance from the fit at which a patch loses all weight (Tukey)
  GLINT_PARAM(double, outlier_px, 0.001, 100) = 1.0;
  /// of the fit, with new weights each
  GLINT_PARAM(int, fit_rounds, 1, 100) = 6;
};

/// Which maps a fit may find.
enum class AlignmentMotion { kTranslation, kAffine, kHomography };

/// How a picture lies on the target.
struct Alignment {
  Homography correction{};   ///< target pixels to the picture's pixels
  double residual_px = 0;    ///< median movement of the patches that the correction leaves
  double agreeing = 0;       ///< share of the patches in the picture that look like the target's
  std::int64_t patches = 0;  ///< of the target that lie in the picture
};

/// What one patch of a target tells about how it has moved in a view.
struct PatchMotion {
  bool inside = false;      ///< the view
  bool recognised = false;  ///< it looks like the target's
  double gain = 0;          ///< of the view's contrast over the target's
  double unexplained = 0;   ///< variance that a gain and an offset leave of the view, grey^2
  Point gradient;           ///< `structure` times the movement, (grey/px)^2 px of the target
};

/// A picture that others are laid onto, as patches of 16x16 px with texture. How far each patch has
/// moved comes from its gradients, whatever gain and offset the light has put on it: B. Lucas, T.
/// Kanade, "An Iterative Image Registration Technique", IJCAI 1981, in the inverse form of S.
/// Baker, I. Matthews (IJCV 2004), in which all that depends on the target alone is computed once.
/// A map through all patches is fitted with Tukey's weights. The sums over pixels are of integers,
/// so the result is the same bytes on every machine.
class AlignmentTarget {
 public:
  static constexpr int kPatch = kPatchSide;  ///< side of a patch, pixels

  AlignmentTarget() = default;
  /// @param picture  kU8 on the host
  explicit AlignmentTarget(const Plane& picture, const AlignmentParams& params = {});

  Size size() const { return picture_.size(); }
  std::size_t patches() const { return patches_.size(); }

  /// Middle of a patch, and its gradients' structure tensor (xx, xy, yy), (grey/px)^2.
  Point Middle(std::size_t patch) const {
    return {patches_[patch].x + (kPatch - 1) / 2.0, patches_[patch].y + (kPatch - 1) / 2.0};
  }
  const std::array<double, 3>& Structure(std::size_t patch) const {
    return patches_[patch].structure;
  }

  /// How each patch has moved. Arguments as of Align
  std::vector<PatchMotion> MeasurePatches(const Plane& view, const Homography& in_view, Size frame,
                                          ThreadPool& pool) const;

  /// One step towards the picture's place: exact when it is small against a pixel, to be repeated
  /// when it is about a pixel. Beyond some two pixels it finds nothing.
  /// @param view     kU8 on the host, the target's size: what is to be laid on it, resampled to
  ///                 where it is believed to lie
  /// @param in_view  the part of the target that the view shows: carries target pixels to pixels of
  ///                 a frame of the size `frame`; patches that lie outside do not count
  /// Nothing when too few patches can be recognised.
  std::optional<Alignment> Align(const Plane& view, const Homography& in_view, Size frame,
                                 AlignmentMotion motion, ThreadPool& pool) const;

 private:
  /// A patch and what depends on the target alone.
  struct Patch {
    int x = 0, y = 0;                         // first pixel
    std::int64_t sum = 0, square_sum = 0;     // of its values
    std::array<double, 2> slope{}, offset{};  // the gradients' regression on the values
    std::array<double, 3> structure{};        // of the gradients without it: xx, xy, yy
    std::array<std::int64_t, 2> gradient_sum{};
  };
  std::optional<Patch> PatchAt(int x, int y) const;
  /// Of the movements of the recognised patches, in pixels.
  PatchEquations EquationsOf(const std::vector<PatchMotion>& motions, std::size_t unknowns) const;
  PatchMotion MeasurePatch(const Patch& patch, const Plane& view) const;
  std::optional<std::array<double, 8>> Fit(const std::vector<PatchMotion>& motions,
                                           int unknowns) const;
  /// Median movement of the recognised patches that a fit leaves, px.
  double MedianResidual(const std::vector<PatchMotion>& motions,
                        const std::array<double, 8>& fit) const;
  Point UnitPosition(const Patch& patch) const;

  AlignmentParams params_;
  Plane picture_;
  Plane gradient_x_, gradient_y_;  // kS16: differences of the neighbours on both sides
  std::vector<Patch> patches_;
};

}  // namespace glint
