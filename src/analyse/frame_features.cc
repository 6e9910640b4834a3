// SPDX-License-Identifier: Apache-2.0
#include "analyse/frame_features.h"

#include <utility>

#include "base/host_call.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"

namespace glint {

absl::StatusOr<FrameFeatures> FeaturesOf(std::span<const VideoFrame> frames, StageSet& stages,
                                         ThreadPool& pool, const FeatureParams& params) {
  std::vector<Plane> lumas;
  lumas.reserve(frames.size());
  for (const VideoFrame& frame : frames) {
    GLINT_ASSIGN_OR_RETURN(auto luma, stages.backend->Download(frame.luma));
    lumas.push_back(std::move(luma));
  }
  auto features = std::make_shared<std::vector<Features>>(frames.size());
  GLINT_RETURN_IF_ERROR(HostCall("features", [&] {
    pool.ParallelFor(std::ssize(lumas), [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      (*features)[at] = FindFeatures(lumas[at], params);
    });
  }));
  return FrameFeatures(std::move(features));
}

}  // namespace glint
