// SPDX-License-Identifier: Apache-2.0
// Laying the views of a sheet that is not flat onto each other: what a homography per view leaves.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "analyse/alignment.h"
#include "analyse/photometric/detect.h"
#include "analyse/stage_set.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/stages.h"

namespace glint {

/// How far a sheet may bend, and how much its print tells about that.
struct SheetParams {
  /// of the median view, full size
  GLINT_PARAM(AlignmentParams, alignment) = {.max_patches = 4000};
  /// corrections of each view's homography by the median of all
  GLINT_PARAM(int, settle_rounds, 0, 10) = 1;
  /// corrections of what a homography leaves; 0: sheets are flat
  GLINT_PARAM(int, warp_rounds, 0, 10) = 2;
  /// px to either side that the displacement is smooth over
  GLINT_PARAM(double, reach_px, 8, 1000) = 40;
  /// what the displacement is held to 0 with, in squared slopes over the noise's variance
  GLINT_PARAM(double, stiffness, 1e-6, 1000) = 0.1;
  /// px that a displacement may have in each coordinate
  GLINT_PARAM(double, max_shift_px, 0, 100) = 4;
  /// of the noise: what rounding to whole grey values leaves
  GLINT_PARAM(double, min_noise_grey, 0.01, 100) = 0.5;
  /// of a patch, by which what it tells counts: no less
  GLINT_PARAM(double, min_gain, 0, 1) = 0.1;
  /// and no more
  GLINT_PARAM(double, max_gain, 1, 100) = 3;
  /// deviations of the noise at which a patch counts half
  GLINT_PARAM(double, outlier_sigmas, 0.1, 100) = 3;
  /// share of its slope that a patch's misfit may have besides, px
  GLINT_PARAM(double, slope_misfit_px, 0, 10) = 0.2;
  /// px that the patches of a view may still have moved in the end, in the median of all views;
  /// beyond, the views do not fit onto each other, and nothing can be judged
  GLINT_PARAM(double, max_misfit_px, 0, 100) = 0.32;
};

/// How badly a view lies on the median of all.
struct ViewMisfit {
  std::int64_t frame = 0;  ///< of the view
  /// by which its patches are still moved, in the median; one that shows something else counts as
  /// SheetParams::max_shift_px
  double motion_px = 0;
};

/// A displacement per node from how the patches of the target have moved: B. Lucas, T. Kanade
/// (IJCAI 1981) with the sums over all patches around a node, each by how well the view shows it.
/// @param motions  of the target's patches
/// @param before   displacement that the view was resampled with, added to; or empty planes
Displacement SmoothDisplacement(const AlignmentTarget& target,
                                const std::vector<PatchMotion>& motions, const Displacement& before,
                                const SheetParams& params);

/// Resamples every view so that it lies on the median of all views: first its homography is
/// corrected, then what a smooth displacement explains. Views without a picture stay.
/// @param views  their greys and their sources' homographies are replaced
/// @return of the views with print to tell it by, after a displacement; none where sheets are flat
/// Errors: those of the stages; CANCELLED and DEADLINE_EXCEEDED
absl::StatusOr<std::vector<ViewMisfit>> FlattenViews(ViewStack& views, StageSet& stages,
                                                     ThreadPool& pool, const CancelToken& cancel,
                                                     const SheetParams& params);

/// The view that lies worst, where the views together do not fit onto each other.
std::optional<ViewMisfit> PoorFit(const std::vector<ViewMisfit>& misfits,
                                  const SheetParams& params);

}  // namespace glint
