// SPDX-License-Identifier: Apache-2.0
// Where the object lies in every view, to a fraction of an object pixel.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <string>
#include <vector>

#include "analyse/frame_features.h"
#include "analyse/stage_set.h"
#include "glint/report.h"
#include "glint/thread_pool.h"
#include "glint/video.h"

namespace glint {

/// How one view lies on the object.
struct RegisteredView {
  bool registered = false;         ///< fit for use
  Homography frame_from_object{};  ///< object pixels to the view's pixels, when registered
  double residual_px = 0;          ///< median length of the flow that is left, object pixels
  double coverage = 0;             ///< share of the object inside the view
  std::string why_dropped;         ///< one clause for people; empty when registered
};

/// A view is dropped when more than this is left, object pixels.
inline constexpr double kMaxResidualPx = 0.75;
/// A view is dropped when it shows less than this of the object.
inline constexpr double kMinCoverage = 0.6;

/// Measures how much of the object the view shows, and drops it when that is too little. Sets
/// `coverage`, and `registered` unless there was a reason against it.
void CheckCoverage(Size frame, Size object, RegisteredView& view);

/// Registers views with the reference frame: first by features inside the object (ORB,
/// cross-checked, RANSAC 3 px), then by the dense flow between the rectified reference and the
/// rectified view: a robust homography through the flow on textured points corrects the first one,
/// again until the correction is under 0.05 px, at most three times. A view that cannot be
/// registered is dropped with its reason; that is no error.
/// @param frames  one of them the object's reference frame, which is registered as it is
/// @param features  FeaturesOf those frames
/// @return one entry per frame, in the same order
/// Errors: INVALID_ARGUMENT the reference frame is not among the frames, or other than one set of
/// features for each; those of the stages
absl::StatusOr<std::vector<RegisteredView>> RegisterViews(std::span<const VideoFrame> frames,
                                                          const FrameFeatures& features,
                                                          const LocatedObject& object,
                                                          StageSet& stages, ThreadPool& pool);

}  // namespace glint
