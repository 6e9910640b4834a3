// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <span>
#include <vector>

#include "analyse/homography_fit.h"
#include "analyse/stage_set.h"
#include "glint/thread_pool.h"
#include "glint/video.h"

namespace glint {

/// The features of some frames, in their order.
using FrameFeatures = std::shared_ptr<const std::vector<Features>>;

/// The features of every frame's luma, by which locating and registering relate the frames.
/// Errors: those of Backend::Download; INTERNAL
absl::StatusOr<FrameFeatures> FeaturesOf(std::span<const VideoFrame> frames, StageSet& stages,
                                         ThreadPool& pool, const FeatureParams& params = {});

}  // namespace glint
