// SPDX-License-Identifier: Apache-2.0
#include "analyse/measure.h"

#include <absl/cleanup/cleanup.h>

#include <algorithm>
#include <deque>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "analyse/frame_selection.h"
#include "base/bounded_queue.h"
#include "base/freed_memory.h"
#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

using FrameQueue = BoundedQueue<VideoFrame>;

constexpr std::int64_t kLongestBatch = 16;
constexpr std::int64_t kShortestBatch = 2;
constexpr int kBatchesPerReturn = 4;  // of freed frames to the system

/// Decodes into the queue until the end, an error, or the queue's closing.
absl::Status Decode(VideoSource& video, FrameQueue& queue) {
  try {
    while (true) {
      GLINT_ASSIGN_OR_RETURN(std::optional<VideoFrame> next, video.Next());
      if (!next.has_value() || !queue.Push(*std::move(next))) return absl::OkStatus();
    }
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, "no memory is left for decoded frames");
  }
}

/// Measures the frames of a video batch by batch.
class Measurer {
 public:
  Measurer(MeasureStage& stage, const MeasureOptions& options, const MeasuredFrameSink& sink)
      : stage_(stage), options_(options), sink_(sink) {}

  /// Puts a batch to work, and gives the sink the oldest one when as many as may be are under way.
  absl::Status Begin(std::vector<VideoFrame> batch) {
    std::vector<Plane> luma;
    luma.reserve(batch.size());
    for (const VideoFrame& frame : batch) luma.push_back(frame.luma);
    GLINT_RETURN_IF_ERROR(stage_.Begin(luma, options_.motion));
    under_way_.push_back(std::move(batch));
    const auto most = static_cast<std::size_t>(stage_.most_in_flight());
    return under_way_.size() < most ? absl::OkStatus() : End();
  }

  /// Ends what is under way.
  absl::Status Finish() {
    absl::Status status;
    while (status.ok() && !under_way_.empty()) status = End();
    return status;
  }

 private:
  absl::Status End() {
    const std::vector<VideoFrame> batch = std::move(under_way_.front());
    under_way_.pop_front();
    if (++ended_batches_ % kBatchesPerReturn == 0) ReturnFreedMemory();
    std::vector<LumaStatistics> statistics(batch.size());
    std::vector<double> motion(options_.motion ? batch.size() : 0);
    GLINT_RETURN_IF_ERROR(stage_.End(statistics, motion));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const bool first_of_all = !std::exchange(has_ended_frames_, true);
      const bool has_motion = options_.motion && !first_of_all;
      const auto motion_px = has_motion ? std::optional(motion[i]) : std::nullopt;
      GLINT_RETURN_IF_ERROR(sink_(Measured(batch[i], statistics[i], motion_px), batch[i]));
    }
    return absl::OkStatus();
  }

  FrameMeasure Measured(const VideoFrame& frame, const LumaStatistics& statistics,
                        std::optional<double> motion) const {
    FrameMeasure measure{.index = frame.index,
                         .timestamp_us = frame.timestamp_us,
                         .sharpness16 = QuantiseSharpness(statistics),
                         .clipped = static_cast<double>(statistics.dark + statistics.bright) /
                                    static_cast<double>(statistics.pixels)};
    if (motion) measure.motion256 = QuantiseMotion(*motion);
    measure.eligible = IsSteady(measure.motion256, options_.motion_limit_px);
    return measure;
  }

  MeasureStage& stage_;
  const MeasureOptions& options_;
  const MeasuredFrameSink& sink_;
  std::deque<std::vector<VideoFrame>> under_way_;
  bool has_ended_frames_ = false;
  std::int64_t ended_batches_ = 0;
};

absl::Status MeasureQueue(FrameQueue& queue, std::size_t batch_frames, Measurer& measurer,
                          const CancelToken& cancel) {
  while (true) {
    std::vector<VideoFrame> batch;
    while (batch.size() < batch_frames) {
      std::optional<VideoFrame> next = queue.Pop();
      if (!next) break;
      batch.push_back(*std::move(next));
    }
    GLINT_RETURN_IF_ERROR(cancel.Check());
    if (batch.empty()) return measurer.Finish();
    GLINT_RETURN_IF_ERROR(measurer.Begin(std::move(batch)));
  }
}

/// How many frames a batch has.
std::size_t BatchFrames(Size size, const MeasureStage& stage, const MeasureOptions& options) {
  if (const auto best = stage.BestBatch(size, options.motion)) {
    return static_cast<std::size_t>(*best);
  }
  const std::int64_t fitting = options.batch_bytes / std::max<std::int64_t>(1, BytesInFlight(size));
  return static_cast<std::size_t>(std::clamp(fitting, kShortestBatch, kLongestBatch));
}

}  // namespace

absl::Status MeasureFrames(VideoSource& video, StageSet& stages, const MeasureOptions& options,
                           const MeasuredFrameSink& sink, const CancelToken& cancel) {
  const std::size_t batch_frames = BatchFrames(video.info().size, *stages.measure, options);
  FrameQueue queue(std::max<std::size_t>(1, batch_frames / 2));
  absl::Status decoded;  // written by the decoder before it closes the queue
  Measurer measurer(*stages.measure, options, sink);
  absl::Status measured;
  {
    const std::jthread decoder([&] {
      decoded = Decode(video, queue);
      queue.Close();
    });
    const absl::Cleanup free_decoder = [&] { queue.Close(); };  // when measuring ends early
    measured = MeasureQueue(queue, batch_frames, measurer, cancel);
  }
  return measured.ok() ? decoded : measured;
}

}  // namespace glint
