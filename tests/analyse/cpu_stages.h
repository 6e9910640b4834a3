// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "analyse/frame_features.h"
#include "analyse/locate.h"
#include "analyse/register.h"
#include "analyse/stage_set.h"
#include "base/thread_pool.h"
#include "support/status_matchers.h"

namespace glint {

/// All stages of the cpu backend, with the threads that they share, and what they are needed for
/// together.
struct CpuStages {
  explicit CpuStages(int threads) : pool(threads) {
    auto choice = SelectBackend("cpu", BackendTable(), {.pool = &pool});
    EXPECT_THAT(choice, IsOk());
    auto made = StageSet::Make(choice->backend);
    EXPECT_THAT(made, IsOk());
    stages = *std::move(made);
  }

  absl::StatusOr<LocatedObject> Locate(std::span<const VideoFrame> frames) {
    const auto features = FeaturesOf(frames, stages, pool);
    if (!features.ok()) return features.status();
    return glint::Locate(frames, *features, stages, pool);
  }

  absl::StatusOr<std::vector<RegisteredView>> RegisterViews(std::span<const VideoFrame> frames,
                                                            const LocatedObject& object) {
    const auto features = FeaturesOf(frames, stages, pool);
    if (!features.ok()) return features.status();
    return glint::RegisterViews(frames, *features, object, stages, pool);
  }

  ThreadPool pool;
  StageSet stages;
};

}  // namespace glint
