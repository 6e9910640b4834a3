// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "analyse/stage_set.h"
#include "base/thread_pool.h"
#include "support/status_matchers.h"

namespace glint {

/// All stages of the cpu backend, with the threads that they share.
struct CpuStages {
  explicit CpuStages(int threads) : pool(threads) {
    auto choice = SelectBackend("cpu", BackendTable(), {.pool = &pool});
    EXPECT_THAT(choice, IsOk());
    auto made = StageSet::Make(choice->backend);
    EXPECT_THAT(made, IsOk());
    stages = *std::move(made);
  }

  ThreadPool pool;
  StageSet stages;
};

}  // namespace glint
