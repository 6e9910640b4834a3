// SPDX-License-Identifier: Apache-2.0
// Finding the object in the frames.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <span>
#include <string_view>

#include "analyse/frame_features.h"
#include "analyse/homography_fit.h"
#include "analyse/location/object_search_params.h"
#include "analyse/moving_region.h"
#include "analyse/outline_consensus.h"
#include "analyse/outline_lines.h"
#include "analyse/outline_refine.h"
#include "analyse/outline_search.h"
#include "analyse/stage_set.h"
#include "base/params.h"
#include "glint/report.h"
#include "glint/thread_pool.h"
#include "glint/video.h"

namespace glint {

/// How the object is found in the frames.
struct LocationParams {
  /// of the golden frames, by which they are related here and when they are registered
  GLINT_PARAM(FeatureParams, features);
  /// of those features
  GLINT_PARAM(MatchParams, matches);
  /// of the frames, made small
  GLINT_PARAM(EdgeParams, edges);
  /// of edges
  GLINT_PARAM(OutlineLineParams, lines);
  /// of lines
  GLINT_PARAM(QuadrilateralParams, quadrilaterals);
  /// of the frames
  GLINT_PARAM(ConsensusParams, consensus);
  /// of the outline, in every frame
  GLINT_PARAM(RefinementParams, refinement);
  /// where no outline is found
  GLINT_PARAM(MovingRegionParams, moving_region);
  /// over the whole clip, for detectors that look at views
  GLINT_PARAM(ObjectSearchParams, search);
  /// that are searched, spread evenly
  GLINT_PARAM(std::size_t, max_frames, 1, 64) = 8;
  /// outlines that one frame proposes
  GLINT_PARAM(std::size_t, max_proposals, 1, 1000) = 12;
  /// of an outline that is believed
  GLINT_PARAM(double, min_support, 0, 1) = 0.6;
  /// small pixels that a proposed side may be off
  GLINT_PARAM(double, reach_px, 0.5, 100) = 4;
  /// of the diagonal: fits of two frames that confirm each other, for the confidence
  GLINT_PARAM(double, agreeing_share, 0, 1) = 0.005;
  /// of the confidence, lost where no other frame confirms the outline
  GLINT_PARAM(double, unconfirmed_loss, 0, 1) = 0.5;
  /// that what moves is the object
  GLINT_PARAM(double, moving_region_confidence, 0, 1) = 0.2;
  /// of the object's own coordinates: smaller ones are scaled up
  GLINT_PARAM(int, min_side_px, 1, 64) = 16;
  /// larger ones are scaled down
  GLINT_PARAM(double, max_side_px, 64, 8192) = 1600;
};

/// LocatedObject::method of an object whose sides were found.
inline constexpr std::string_view kFoundByOutline = "outline";

/// Finds the flat, four-sided object that a clip shows.
///
/// Every frame proposes outlines: four straight lines of colour edges
/// (analyse/outline_search.h), whose corners may be round, missing or covered. Feature homographies
/// carry the proposals between the frames, and the outline with the most support over all frames
/// that show it wins; so glare, a finger, or a frame that cuts off a part of the object do not
/// matter. Its sides are fitted to the edges with sub-pixel precision in every frame; the reference
/// frame's own fit is used for each side where it has one that the other frames agree with, their
/// median otherwise.
/// Without an outline, the part that moves unlike the rest (in the flow between two frames) is
/// taken ("moving region"), and failing that the whole frame ("full frame").
///
/// Corners are TL, TR, BR, BL as displayed: see Ordered in analyse/quadrilateral.h. They lie where
/// object coordinates (0,0), (w,0), (w,h), (0,h) come to lie; as pixel centres are at integers, the
/// object's edge runs half an object pixel above and left of them.
///
/// @param frames  the reference first, all of one size and with pictures. When only another frame
/// shows an outline and features do not carry it to the first, that one becomes the reference.
/// @param features  FeaturesOf those frames
/// Errors: INVALID_ARGUMENT without frames, or with other than one set of features for each; those
/// of FlowStage
absl::StatusOr<LocatedObject> Locate(std::span<const VideoFrame> frames,
                                     const FrameFeatures& features, StageSet& stages,
                                     ThreadPool& pool, const LocationParams& params = {});

/// The object whose outline is known to a few pixels: its sides are fitted in every frame as
/// Locate does, to the same precision.
/// @param frames   the reference first, all of one size and with pictures
/// @param features  FeaturesOf those frames
/// @param outline  pixels of the reference frame, convex and clockwise
/// Errors: INVALID_ARGUMENT without frames, or with other than one set of features for each
absl::StatusOr<LocatedObject> LocateAt(std::span<const VideoFrame> frames,
                                       const FrameFeatures& features, const Quadrilateral& outline,
                                       double confidence, ThreadPool& pool,
                                       const LocationParams& params = {});

}  // namespace glint
