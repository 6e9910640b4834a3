// SPDX-License-Identifier: Apache-2.0
// From registered frames to masks and regions, by either detector.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyse/analysis_params.h"
#include "analyse/item_types.h"
#include "analyse/photometric/detect.h"
#include "analyse/regions.h"
#include "analyse/stage_set.h"
#include "base/thread_pool.h"
#include "glint/cancel.h"
#include "glint/plane.h"
#include "glint/video.h"

namespace glint {

/// A frame and where the object lies in it.
struct RegisteredFrame {
  VideoFrame frame;
  Homography frame_from_object{};  ///< object pixels to the frame's pixels
};

/// One family of what was found.
struct MaskLayer {
  std::string name;  ///< kLinesLayer, kOutlineLayer, ...
  Plane mask;        ///< kU8, 0 and 255
};

/// What a detector found. Planes on the host, in object pixels.
struct Detection {
  Plane mask;     ///< kU8, 0 and 255
  Plane score;    ///< kS32, units of 2^-ClassicFusionStage::kScoreBits: how strong the evidence is
  Plane seen;     ///< kU8, not 0 where the surface was seen well enough to judge it
  Plane surface;  ///< kU8, not 0 inside the object's outline and its gaps; of `photometric`
  RegionMap regions;                   ///< of the mask
  std::vector<MaskLayer> layers;       ///< of detectors that tell families apart: make up the mask
  std::optional<double> light_change;  ///< PhotometricResult::light_change
  Plane glare;                         ///< PhotometricResult::glare; empty of other detectors
};

/// Runs `classic` on the frames. @param frames  at least one, the reference first
/// @param size  of the object
/// Errors: those of the stages
absl::StatusOr<Detection> DetectClassicDamage(std::span<const RegisteredFrame> frames, Size size,
                                              StageSet& stages, const AnalysisParams& params = {});

/// What `photometric` looks for on this type of item. @param outline_found  or what lies at the
/// border of the pictures is not the object's: nothing can be missing from it
PhotometricOptions PhotometricOptionsFor(const ItemType& type, bool outline_found);

/// Runs `photometric`. What was not seen well enough is not marked.
/// The score is that of the family with most evidence (evidence_score.h): of lines the line
/// evidence by what is usual, of static lines theirs by its deviation; of the outline 1 wherever it
/// is marked, because what is missing is gone altogether. Regions of the outline are of the kind
/// kEdgeLoss, and no others are.
/// @param frame_from_object  of the reference frame, for the regions' boxes
/// Errors: those of the stages; CANCELLED and DEADLINE_EXCEEDED
absl::StatusOr<Detection> DetectPhotometricDamage(const ViewStack& views,
                                                  const PhotometricOptions& options,
                                                  const Homography& frame_from_object,
                                                  StageSet& stages, ThreadPool& pool,
                                                  const CancelToken& cancel,
                                                  const AnalysisParams& params = {});

}  // namespace glint
