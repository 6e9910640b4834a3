// SPDX-License-Identifier: Apache-2.0
// The stages on a GPU.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <optional>

#include "glint/backend.h"
#include "stages/cuda/context.h"

namespace glint::cuda {

#define GLINT_MAKE_STAGE(Type, Name, ...) \
  std::unique_ptr<Type> Make##Name(std::unique_ptr<StreamContext> context);
GLINT_STAGES(GLINT_MAKE_STAGE)
#undef GLINT_MAKE_STAGE

/// A stage that works in a context of its own.
template <class Stage>
class GpuStage : public Stage {
 public:
  explicit GpuStage(std::unique_ptr<StreamContext> context) : context_(std::move(context)) {}

 protected:
  const std::unique_ptr<StreamContext> context_;
};

/// Defines the maker of the stage that `Class` is.
#define GLINT_DEFINE_GPU_STAGE(Name, Class)                                          \
  decltype(Make##Name(nullptr)) Make##Name(std::unique_ptr<StreamContext> context) { \
    return std::make_unique<Class>(std::move(context));                              \
  }

/// The frames that a batch should have, where that was measured.
using TunedBatch = std::function<std::optional<int>(Size frame, bool motion)>;
/// @param copies,computes  contexts of one GPU; their streams work side by side
absl::StatusOr<std::unique_ptr<MeasureStage>> MakeMeasure(std::unique_ptr<StreamContext> copies,
                                                          std::unique_ptr<StreamContext> computes,
                                                          TunedBatch tuned);

}  // namespace glint::cuda
