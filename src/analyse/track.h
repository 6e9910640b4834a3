// SPDX-License-Identifier: Apache-2.0
// Registering many views of one clip, each from where its neighbour was found.
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <span>

#include "analyse/alignment.h"
#include "analyse/homography_fit.h"
#include "analyse/register.h"
#include "analyse/stage_set.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/cancel.h"
#include "glint/report.h"
#include "glint/video.h"

namespace glint {

/// How views are tracked from one to the next, and when one is lost or dropped.
struct TrackingParams {
  /// by which a view that was lost is found again
  FeatureParams features;
  /// of those features
  MatchParams matches;
  /// of a view with the rectified reference
  AlignmentParams alignment;
  /// of the object on the coarsest level
  int min_side_px = 48;
  /// mean movement of the corners, object pixels, below which the fit has settled
  double settled_px = 0.05;
  /// share of patches that look like the reference's: a view with fewer is lost
  double min_recognised = 0.5;
  /// object pixels left, over which a view is lost
  double max_residual_px = 0.75;
  /// share of the object that a view shows, under which it is dropped
  double min_coverage = 0.6;

  GLINT_PARAMS(self, visit) {
    visit("features", self.features);
    visit("matches", self.matches);
    visit("alignment", self.alignment);
    visit("min_side_px", self.min_side_px, 16, 10000);
    visit("settled_px", self.settled_px, 0, 10);
    visit("min_recognised", self.min_recognised, 0, 1);
    visit("max_residual_px", self.max_residual_px, 0, 100);
    visit("min_coverage", self.min_coverage, 0, 1);
  }
};

/// Takes the place of one view. @param index  of the view in the span  @param frame  with its luma
using ViewSink = std::function<absl::Status(std::size_t index, const VideoFrame& frame,
                                            const RegisteredView& view)>;

/// Registers views with the reference frame as RegisterViews does, many times faster: a view is
/// believed to lie where the view before it was found, and is then laid onto the rectified
/// reference from an eighth of the size to the whole (AlignmentTarget). Every view is aligned with
/// the reference itself, so nothing adds up. Where that fails, features say where to start.
/// Goes from the reference frame forwards in time, then backwards.
/// @param views  in order of time, with or without their luma; the reference frame may be among
/// them
/// @param take   is told of every view once, dropped ones too, in the order of the work
/// Errors: those of `take` and of the stages; CANCELLED and DEADLINE_EXCEEDED
absl::Status TrackViews(std::span<const VideoFrame> views, const VideoFrame& reference,
                        const LocatedObject& object, StageSet& stages, ThreadPool& pool,
                        const CancelToken& cancel, const ViewSink& take,
                        const TrackingParams& params = {});

}  // namespace glint
