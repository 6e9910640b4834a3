// SPDX-License-Identifier: Apache-2.0
// Where the object lies in every view, to a fraction of an object pixel.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <span>
#include <string>
#include <vector>

#include "analyse/frame_features.h"
#include "analyse/homography_fit.h"
#include "analyse/rectify.h"
#include "analyse/stage_set.h"
#include "base/params.h"
#include "glint/report.h"
#include "glint/thread_pool.h"
#include "glint/video.h"

namespace glint {

/// How views are registered with the reference frame, and when one is dropped.
struct RegistrationParams {
  /// by which a view is placed first
  GLINT_PARAM(MatchParams, matches);
  /// what of a view counts as seen
  GLINT_PARAM(RectificationParams, rectification);
  /// by the dense flow
  GLINT_PARAM(int, max_corrections, 0, 100) = 3;
  /// mean movement of the corners, object pixels, below which the fit has settled
  GLINT_PARAM(double, settled_px, 0, 10) = 0.05;
  /// flow that a homography through it may miss; twice that has no weight
  GLINT_PARAM(double, inlier_px, 0.001, 100) = 0.7;
  /// of 5x5 object pixels, grey^2: of points whose flow is asked
  GLINT_PARAM(int, min_texture_variance, 0, 65025) = 36;
  /// object pixels along the view's border without flow
  GLINT_PARAM(int, rim_px, 0, 1000) = 12;
  /// that the flow is read at, on a grid
  GLINT_PARAM(double, max_points, 1, 1000000) = 8000;
  /// with flow, below which the object has too little texture
  GLINT_PARAM(std::size_t, min_points, 8, 1000000) = 100;
  /// object pixels left, over which a view is dropped
  GLINT_PARAM(double, max_residual_px, 0, 100) = 0.75;
  /// share of the object that a view shows, under which it is dropped
  GLINT_PARAM(double, min_coverage, 0, 1) = 0.6;
  /// views that give the median colour: enough for a median, and colour costs three times grey
  GLINT_PARAM(int, colour_views, 1, 64) = 24;
};

/// How one view lies on the object.
struct RegisteredView {
  bool registered = false;         ///< fit for use
  Homography frame_from_object{};  ///< object pixels to the view's pixels, when registered
  double residual_px = 0;          ///< median length of the flow that is left, object pixels
  double coverage = 0;             ///< share of the object inside the view
  std::string why_dropped;         ///< one clause for people; empty when registered
};

/// Measures how much of the object the view shows, and drops it when that is too little. Sets
/// `coverage`, and `registered` unless there was a reason against it.
void CheckCoverage(Size frame, Size object, double min_coverage, RegisteredView& view);

/// Registers views with the reference frame: first by features inside the object (ORB,
/// cross-checked, RANSAC), then by the dense flow between the rectified reference and the
/// rectified view: a robust homography through the flow on textured points corrects the first one,
/// again until the correction has settled. A view that cannot be
/// registered is dropped with its reason; that is no error.
/// @param frames  one of them the object's reference frame, which is registered as it is
/// @param features  FeaturesOf those frames
/// @return one entry per frame, in the same order
/// Errors: INVALID_ARGUMENT the reference frame is not among the frames, or other than one set of
/// features for each; those of the stages
absl::StatusOr<std::vector<RegisteredView>> RegisterViews(std::span<const VideoFrame> frames,
                                                          const FrameFeatures& features,
                                                          const LocatedObject& object,
                                                          StageSet& stages, ThreadPool& pool,
                                                          const RegistrationParams& params = {});

}  // namespace glint
