// SPDX-License-Identifier: Apache-2.0
// Finding the object in the frames.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <string_view>

#include "analyse/frame_features.h"
#include "analyse/stage_set.h"
#include "glint/report.h"
#include "glint/thread_pool.h"
#include "glint/video.h"

namespace glint {

/// LocatedObject::method of an object whose sides were found.
inline constexpr std::string_view kFoundByOutline = "outline";

/// Finds the flat, four-sided object that a clip shows.
///
/// Every frame (at most eight are looked at) proposes outlines: four straight lines of colour edges
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
                                     ThreadPool& pool);

}  // namespace glint
