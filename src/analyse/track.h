// SPDX-License-Identifier: Apache-2.0
// Registering many views of one clip, each from where its neighbour was found.
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <span>
#include <vector>

#include "analyse/alignment.h"
#include "analyse/coarse_to_fine.h"
#include "analyse/homography_fit.h"
#include "analyse/outline_refine.h"
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
  /// of a view with the rectified reference; features find a view that was lost
  GLINT_PARAM(CoarseToFineParams, fit);
  /// after features, which are right to a pixel or two, coarser ones have nothing to add
  GLINT_PARAM(std::size_t, levels_after_features, 1, 4) = 2;
  /// of a view's sides, where the object has no print
  GLINT_PARAM(RefinementParams, sides);
  /// frame pixels by which those may be off
  GLINT_PARAM(double, sides_reach_px, 0.5, 100) = 8;
  /// and, between two frames that were searched, this share of how far the corners moved more
  GLINT_PARAM(double, between_share, 0, 1) = 0.25;
  /// of every one of them
  GLINT_PARAM(double, min_side_support, 0, 1) = 0.4;
  /// share of the object that a view shows, under which it is dropped
  GLINT_PARAM(double, min_coverage, 0, 1) = 0.6;
};

/// Takes the place of one view. @param index  of the view in the span  @param frame  with its luma
using ViewSink = std::function<absl::Status(std::size_t index, const VideoFrame& frame,
                                            const RegisteredView& view)>;

/// Where the search over the clip saw the object in one frame.
struct ViewOutline {
  std::int64_t frame = 0;   ///< VideoFrame::index
  Quadrilateral corners{};  ///< frame pixels, in the order of the object's corners
};

/// What is known of the object's way through the clip.
struct KnownMotion {
  std::vector<ViewOutline> outlines;  ///< right to a few pixels, in order of time
  bool plain = false;                 ///< the object has too little print to be aligned by it
};

/// Registers views with the reference frame as RegisterViews does, many times faster: a view is
/// believed to lie where the view before it was found, and is then laid onto the rectified
/// reference from an eighth of the size to the whole (AlignmentTarget). Every view is aligned with
/// the reference itself, so nothing adds up. Where that fails, features or the known motion say
/// where to start; a view of an object without print is laid onto its four sides.
/// Goes from the reference frame forwards in time, then backwards.
/// @param views  in order of time, with or without their luma; the reference frame may be among
/// them
/// @param take   is told of every view once, dropped ones too, in the order of the work
/// Errors: those of `take` and of the stages; CANCELLED and DEADLINE_EXCEEDED
absl::Status TrackViews(std::span<const VideoFrame> views, const VideoFrame& reference,
                        const LocatedObject& object, StageSet& stages, ThreadPool& pool,
                        const CancelToken& cancel, const ViewSink& take,
                        const TrackingParams& params = {}, const KnownMotion& known = {});

}  // namespace glint
