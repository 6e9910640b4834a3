// SPDX-License-Identifier: Apache-2.0
#include "stages/shared/sequential_measure.h"

#include <utility>

#include "base/status_macros.h"
#include "glint/error.h"
#include "stages/shared/check_measure.h"

namespace glint {
namespace {

class SequentialMeasure final : public MeasureStage {
 public:
  SequentialMeasure(std::unique_ptr<LumaStatisticsStage> statistics,
                    std::unique_ptr<FlowStage> flow)
      : statistics_(std::move(statistics)), flow_(std::move(flow)) {}

  int most_in_flight() const override { return 1; }
  std::optional<int> BestBatch(Size /*frame*/, bool /*motion*/) const override {
    return std::nullopt;
  }

  absl::Status Begin(std::span<const Plane> luma, bool motion) override {
    if (frames_ != 0) {
      return Error(Reason::kInternal, "measuring: the batch before has not ended");
    }
    const Size before = previous_.empty() ? Size{} : previous_.size();
    GLINT_RETURN_IF_ERROR(CheckBatch(luma, motion, before));
    // With motion, one more in front: the last frame of the batch before, if there is one.
    if (motion && !previous_.empty()) luma_.push_back(previous_);
    luma_.insert(luma_.end(), luma.begin(), luma.end());
    frames_ = luma.size();
    motion_ = motion;
    return absl::OkStatus();
  }

  absl::Status End(std::span<LumaStatistics> statistics, std::span<double> lengths) override {
    GLINT_RETURN_IF_ERROR(CheckBatchEnd(frames_, motion_, statistics.size(), lengths.size()));
    const std::vector<Plane> luma = std::exchange(luma_, {});  // nobody needs them afterwards
    const std::size_t before = luma.size() - std::exchange(frames_, 0);
    GLINT_RETURN_IF_ERROR(statistics_->Run(std::span(luma).subspan(before), statistics));
    if (!motion_) return absl::OkStatus();
    if (before == 0) lengths.front() = 0;
    previous_ = luma.back();
    if (luma.size() < 2) return absl::OkStatus();
    return flow_->MeanLengths(luma, before == 0 ? lengths.subspan(1) : lengths);
  }

 private:
  std::unique_ptr<LumaStatisticsStage> statistics_;
  std::unique_ptr<FlowStage> flow_;
  std::vector<Plane> luma_;  // of the batch, maybe with the frame before it
  std::size_t frames_ = 0;   // of the batch; 0: none has begun
  bool motion_ = false;
  Plane previous_;
};

}  // namespace

std::unique_ptr<MeasureStage> MakeSequentialMeasure(std::unique_ptr<LumaStatisticsStage> statistics,
                                                    std::unique_ptr<FlowStage> flow) {
  return std::make_unique<SequentialMeasure>(std::move(statistics), std::move(flow));
}

}  // namespace glint
