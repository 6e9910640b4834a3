// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "glint/error.h"
#include "stages/cuda/flow_engine.h"
#include "stages/cuda/stages.h"
#include "stages/shared/check_flow.h"
#include "stages/shared/flow_length.h"

namespace glint::cuda {
namespace {

class GpuFlow final : public FlowStage {
 public:
  explicit GpuFlow(std::unique_ptr<StreamContext> context)
      : context_(std::move(context)), engine_(*context_) {}

  absl::StatusOr<Plane> Field(const Plane& previous, const Plane& next) override {
    const Plane both[] = {previous, next};
    GLINT_RETURN_IF_ERROR(CheckFlowFrames(both, context_->device()));
    GLINT_RETURN_IF_ERROR(engine_.Prepare(previous.size(), 1));
    Plane field;
    GLINT_ASSIGN_OR_RETURN(field, context_->NewPlane(previous.size(), PixelType::kF32x2));
    GLINT_RETURN_IF_ERROR(
        Finish(*context_, [&] { return engine_.Find(context_->stream(), previous, next, field); }));
    return field;
  }

  absl::Status MeanLengths(std::span<const Plane> frames, std::span<double> out) override {
    GLINT_RETURN_IF_ERROR(CheckFlowFrames(frames, context_->device(), out.size()));
    const Size size = frames.front().size();
    GLINT_RETURN_IF_ERROR(
        engine_.Prepare(size, static_cast<int>(std::min<std::size_t>(out.size(), kMaxPairs))));
    std::vector<std::uint64_t> sums(out.size());
    Block lengths;
    GLINT_ASSIGN_OR_RETURN(lengths, context_->Allocate<std::uint64_t>(sums.size()));
    const bool goes_on =
        engine_.has_latest() && !latest_.empty() && latest_.data() == frames.front().data();
    latest_ = Plane();  // of no use after a failure
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(context_->Clear<std::uint64_t>(lengths, sums.size()));
      GLINT_RETURN_IF_ERROR(engine_.AddLengths(context_->stream(),
                                               goes_on ? frames.subspan(1) : frames, goes_on,
                                               ValuesOf<std::uint64_t>(lengths)));
      return context_->CopyOut(std::span(sums), lengths);
    }));
    latest_ = frames.back();  // the next call mostly begins with this frame
    for (std::size_t i = 0; i < sums.size(); ++i) {
      out[i] = MeanOfQuantisedLengths(static_cast<std::int64_t>(sums[i]), size.area());
    }
    return absl::OkStatus();
  }

 private:
  std::unique_ptr<StreamContext> context_;
  FlowEngine engine_;
  Plane latest_;  ///< the last frame given; kept so that no other frame takes its place in memory
};

}  // namespace

GLINT_DEFINE_GPU_STAGE(Flow, GpuFlow)

}  // namespace glint::cuda
