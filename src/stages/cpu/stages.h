// SPDX-License-Identifier: Apache-2.0
// The stages on the host.
#pragma once

#include <memory>

#include "base/thread_pool.h"
#include "glint/backend.h"

namespace glint {

/// @param pool  shares the work; must outlive the stage
#define GLINT_MAKE_STAGE(Type, Name, ...) std::unique_ptr<Type> MakeCpu##Name(ThreadPool* pool);
GLINT_STAGES(GLINT_MAKE_STAGE)
#undef GLINT_MAKE_STAGE

/// A stage that works on the threads of a pool.
template <class Stage>
class CpuStage : public Stage {
 public:
  /// @param pool  shares the work; must outlive the stage
  explicit CpuStage(ThreadPool* pool) : pool_(*pool) {}

 protected:
  ThreadPool& pool_;
};

/// Defines the maker of the stage that `Class` is.
#define GLINT_DEFINE_CPU_STAGE(Name, Class)                          \
  decltype(MakeCpu##Name(nullptr)) MakeCpu##Name(ThreadPool* pool) { \
    return std::make_unique<Class>(pool);                            \
  }

}  // namespace glint
