// SPDX-License-Identifier: Apache-2.0
// Measuring with two batches under way: while one is computed, the next one travels to the GPU on a
// stream of its own.
//
//   copies:   | copy 0 | copy 1 |          | copy 2 |          ...
//   computes:          | batch 0         | batch 1          | batch 2 ...
//
// The host waits once per batch, for its results. That wait also says that everything the batch
// used is free: so a batch takes the memory of the one before the last without waiting again. With
// the same memory its work is the same, too, and is put to the GPU as a graph (graph_cache.h).
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "glint/error.h"
#include "stages/cuda/flow_engine.h"
#include "stages/cuda/graph_cache.h"
#include "stages/cuda/host_memory.h"
#include "stages/cuda/luma_statistics.h"
#include "stages/cuda/stages.h"
#include "stages/shared/check_measure.h"
#include "stages/shared/flow_length.h"

namespace glint::cuda {
namespace {

constexpr std::size_t kInFlight = 2;

/// A batch under way, and the memory for the one after the next.
struct Batch {
  HostMemory frames;   // densely packed
  HostMemory results;  // kStatisticsSums per frame, and one length per frame
  std::vector<Plane> planes;
  Plane before;  // the frame before the first one, where its work needs that
  Block sums;
  std::size_t most_sums = 0;  // that there is room for
  std::unique_ptr<Event> copied;
  std::unique_ptr<Event> done;
  bool first_of_all = false;

  std::size_t results_per_frame(bool motion) const { return kStatisticsSums + (motion ? 1 : 0); }
};

std::size_t Bytes(const Plane& luma) { return static_cast<std::size_t>(luma.size().area()); }

class GpuMeasure final : public MeasureStage {
 public:
  GpuMeasure(std::unique_ptr<StreamContext> copies, std::unique_ptr<StreamContext> computes,
             TunedBatch tuned)
      : copies_(std::move(copies)),
        computes_(std::move(computes)),
        tuned_(std::move(tuned)),
        flow_(*computes_) {}
  ~GpuMeasure() override { Abandon(); }

  absl::Status MakeEvents() {
    for (Batch& batch : batches_) {
      GLINT_ASSIGN_OR_RETURN(batch.copied, copies_->gpu()->MakeEvent());
      GLINT_ASSIGN_OR_RETURN(batch.done, computes_->gpu()->MakeEvent());
    }
    return absl::OkStatus();
  }

  int most_in_flight() const override { return kInFlight; }

  std::optional<int> BestBatch(Size frame, bool motion) const override {
    if (const auto tuned = tuned_(frame, motion)) return tuned;
    // The host holds the frames of all batches under way, as the decoder gave them (at most 4
    // bytes per pixel) and as they travel.
    constexpr std::int64_t kHostBytes = 256LL << 20;
    const std::int64_t of_frame = std::max<std::int64_t>(1, frame.area()) * 5 * kInFlight;
    return static_cast<int>(std::clamp<std::int64_t>(kHostBytes / of_frame, 2, kMaxImages));
  }

  absl::Status Begin(std::span<const Plane> luma, bool motion) override {
    if (under_way_ == kInFlight || (motion != motion_ && begun_ > 0)) {
      return Error(Reason::kInternal,
                   "measuring: too many batches, or motion for some of them only");
    }
    GLINT_RETURN_IF_ERROR(CheckBatch(luma, motion, latest_.empty() ? Size{} : latest_.size()));
    motion_ = motion;
    absl::Status started = Start(batches_[begun_ % kInFlight], luma);
    if (!started.ok()) {
      Abandon();  // what was put to work uses memory that nobody keeps from now on
      return started;
    }
    ++begun_;
    ++under_way_;
    return absl::OkStatus();
  }

  absl::Status End(std::span<LumaStatistics> statistics, std::span<double> lengths) override {
    Batch& batch = batches_[(begun_ - under_way_) % kInFlight];
    GLINT_RETURN_IF_ERROR(CheckBatchEnd(under_way_ == 0 ? 0 : batch.planes.size(), motion_,
                                        statistics.size(), lengths.size()));
    --under_way_;
    GLINT_RETURN_IF_ERROR(batch.done->Wait());
    const std::size_t count = batch.planes.size();
    std::vector<std::uint64_t> sums(count * batch.results_per_frame(motion_));
    std::memcpy(sums.data(), batch.results.data(), sums.size() * sizeof sums[0]);
    const std::span all(sums);
    for (std::size_t i = 0; i < count; ++i) {
      const Size size = batch.planes[i].size();
      statistics[i] = StatisticsOf(size, all.subspan(i * kStatisticsSums).first<kStatisticsSums>());
      if (!motion_) continue;
      const auto length = static_cast<std::int64_t>(sums[count * kStatisticsSums + i]);
      lengths[i] = batch.first_of_all && i == 0 ? 0 : MeanOfQuantisedLengths(length, size.area());
    }
    batch.before = Plane();
    return absl::OkStatus();
  }

 private:
  /// Puts a batch to work.
  absl::Status Start(Batch& batch, std::span<const Plane> luma) {
    batch.first_of_all = begun_ == 0;
    const std::size_t results = luma.size() * batch.results_per_frame(motion_);
    GLINT_RETURN_IF_ERROR(Allocate(batch, luma, results));
    GLINT_RETURN_IF_ERROR(CopyIn(batch, luma));
    CapturedWork work;
    GLINT_RETURN_IF_ERROR(Replay(work, batch, results * sizeof(std::uint64_t)));
    Stream& stream = computes_->stream();
    GLINT_RETURN_IF_ERROR(stream.WaitFor(*batch.copied));
    // A graph copies from and to memory of Gpu::AllocateHost only.
    GLINT_RETURN_IF_ERROR(batch.results.is_pinned()
                              ? graphs_.Run(stream, begun_ % kInFlight, std::move(work))
                              : work.Replay(stream));
    return stream.Record(*batch.done);
  }

  /// What is computed of a batch that is on the GPU.
  absl::Status Replay(WorkSink& sink, Batch& batch, std::size_t result_bytes) {
    GLINT_RETURN_IF_ERROR(sink.Clear(batch.sums.get(), result_bytes));
    auto* sums = ValuesOf<std::uint64_t>(batch.sums);
    GLINT_RETURN_IF_ERROR(AddStatistics(sink, batch.planes, sums));
    if (motion_) {
      GLINT_RETURN_IF_ERROR(AddLengths(sink, batch, sums + batch.planes.size() * kStatisticsSums));
    }
    return sink.CopyDeviceToPinned({batch.results.data(), 0}, {batch.sums.get(), 0}, result_bytes,
                                   1);
  }

  /// Makes room for a batch, in the memory that its place had last where that fits.
  absl::Status Allocate(Batch& batch, std::span<const Plane> luma, std::size_t results) {
    std::size_t bytes = 0;
    batch.planes.resize(luma.size());
    for (std::size_t i = 0; i < luma.size(); ++i) {
      bytes += Bytes(luma[i]);
      Plane& plane = batch.planes[i];
      if (plane.size() == luma[i].size() && !IsNeeded(plane)) continue;
      plane = Plane();
      GLINT_ASSIGN_OR_RETURN(plane, copies_->NewPlane(luma[i].size(), PixelType::kU8));
    }
    if (batch.most_sums < results) {
      GLINT_ASSIGN_OR_RETURN(batch.sums, computes_->Allocate<std::uint64_t>(results));
      batch.most_sums = results;
    }
    GLINT_RETURN_IF_ERROR(batch.frames.Reserve(copies_->gpu(), bytes));
    GLINT_RETURN_IF_ERROR(batch.results.Reserve(computes_->gpu(), results * sizeof(std::uint64_t)));
    if (!motion_) return absl::OkStatus();
    return flow_.Prepare(luma.front().size(), static_cast<int>(luma.size()));
  }

  /// Whether a batch under way reads the last plane of the one before it.
  bool IsNeeded(const Plane& plane) const {
    return std::ranges::any_of(batches_, [&](const Batch& batch) {
      return !batch.before.empty() && batch.before.data() == plane.data();
    });
  }

  absl::Status CopyIn(Batch& batch, std::span<const Plane> luma) {
    std::byte* to = batch.frames.data();
    for (std::size_t i = 0; i < luma.size(); ++i) {
      const auto width = static_cast<std::size_t>(luma[i].width());
      for (int y = 0; y < luma[i].height(); ++y) {
        std::memcpy(to + static_cast<std::size_t>(y) * width, luma[i].Row<std::byte>(y), width);
      }
      const Plane& plane = batch.planes[i];
      GLINT_RETURN_IF_ERROR(copies_->stream().CopyPinnedToDevice(
          {plane.data(), plane.stride()}, {to, luma[i].width()}, width, luma[i].height()));
      to += Bytes(luma[i]);
    }
    return copies_->stream().Record(*batch.copied);
  }

  absl::Status AddLengths(WorkSink& sink, Batch& batch, std::uint64_t* lengths) {
    std::vector<Plane> frames = batch.planes;
    const bool goes_on = flow_.has_latest() && !batch.first_of_all;
    if (batch.first_of_all) ++lengths;  // its first frame has no motion
    if (!goes_on && !batch.first_of_all) {
      // Its expansion was lost when the flow's memory grew.
      batch.before = latest_;
      frames.insert(frames.begin(), latest_);
    }
    latest_ = batch.planes.back();
    return flow_.AddLengths(sink, frames, goes_on, lengths);
  }

  /// Waits for all work and forgets it.
  void Abandon() {
    // They have reported their errors, or lost the GPU, which the next call reports.
    copies_->stream().Wait().IgnoreError();
    computes_->stream().Wait().IgnoreError();
    under_way_ = 0;
  }

  std::unique_ptr<StreamContext> copies_;
  std::unique_ptr<StreamContext> computes_;
  const TunedBatch tuned_;
  FlowEngine flow_;
  std::array<Batch, kInFlight> batches_;
  GraphCache graphs_{kInFlight};  // a place per batch
  std::size_t begun_ = 0;
  std::size_t under_way_ = 0;
  bool motion_ = false;
  Plane latest_;  // with motion, the last frame that a batch held
};

}  // namespace

absl::StatusOr<std::unique_ptr<MeasureStage>> MakeMeasure(std::unique_ptr<StreamContext> copies,
                                                          std::unique_ptr<StreamContext> computes,
                                                          TunedBatch tuned) {
  auto stage =
      std::make_unique<GpuMeasure>(std::move(copies), std::move(computes), std::move(tuned));
  GLINT_RETURN_IF_ERROR(stage->MakeEvents());
  return stage;
}

}  // namespace glint::cuda
