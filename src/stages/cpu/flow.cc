// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "base/host_call.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "glint/error.h"
#include "stages/cpu/farneback/farneback.h"
#include "stages/cpu/stages.h"
#include "stages/shared/check_flow.h"

namespace glint {
namespace {

using farneback::Farneback;

class CpuFlow final : public CpuStage<FlowStage> {
 public:
  using CpuStage::CpuStage;

  absl::StatusOr<Plane> Field(const Plane& previous, const Plane& next) override {
    const Plane both[] = {previous, next};
    GLINT_RETURN_IF_ERROR(CheckFlowFrames(both, {}));
    Plane field;
    GLINT_RETURN_IF_ERROR(
        HostCall("flow", [&] { field = Fitting(previous.size()).Field(previous, next); }));
    return field;
  }

  absl::Status MeanLengths(std::span<const Plane> frames, std::span<double> out) override {
    GLINT_RETURN_IF_ERROR(CheckFlowFrames(frames, {}, out.size()));
    return HostCall("flow", [&] {
      Farneback& farneback = Fitting(frames.front().size());
      if (out.size() == 1) {
        out[0] = farneback.MeanLength(frames[0], frames[1]);
        return;
      }
      farneback.Start(frames.front());
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = farneback.MeanLengthTo(frames[i + 1]);
    });
  }

 private:
  /// The working memory for frames of this size; that for another size goes first.
  Farneback& Fitting(Size size) {
    if (farneback_ && farneback_->size() != size) farneback_.reset();
    if (!farneback_) farneback_.emplace(size, pool_);
    return *farneback_;
  }

  std::optional<Farneback> farneback_;
};

}  // namespace

GLINT_DEFINE_CPU_STAGE(Flow, CpuFlow)

}  // namespace glint
