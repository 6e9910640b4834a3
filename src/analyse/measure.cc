// SPDX-License-Identifier: Apache-2.0
#include "analyse/measure.h"

#include <absl/cleanup/cleanup.h>

#include <algorithm>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include "analyse/choose.h"
#include "base/bounded_queue.h"
#include "glint/error.h"

namespace glint {
namespace {

using FrameQueue = BoundedQueue<VideoFrame>;

constexpr std::int64_t kLongestBatch = 16;
constexpr std::int64_t kShortestBatch = 2;

/// Decodes into the queue until the end, an error, or the queue's closing.
absl::Status Decode(VideoSource& video, FrameQueue& queue) {
  try {
    while (true) {
      absl::StatusOr<std::optional<VideoFrame>> next = video.Next();
      if (!next.ok()) return next.status();
      if (!next->has_value() || !queue.Push(**std::move(next))) return absl::OkStatus();
    }
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, "no memory is left for decoded frames");
  }
}

/// Measures the frames of a video batch by batch.
class Measurer {
 public:
  Measurer(StageSet& stages, const MeasureOptions& options, const MeasuredFrameSink& sink)
      : stages_(stages), options_(options), sink_(sink) {}

  absl::Status Run(const std::vector<VideoFrame>& batch) {
    std::vector<Plane>
        luma;  // one more in front: the last frame of the batch before, if there is one
    if (!previous_.empty()) luma.push_back(previous_);
    const std::size_t first = luma.size();
    for (const VideoFrame& frame : batch) {
      absl::StatusOr<Plane> uploaded = stages_.backend->Upload(frame.luma);
      if (!uploaded.ok()) return uploaded.status();
      luma.push_back(*std::move(uploaded));
    }
    std::vector<LumaStatistics> statistics(batch.size());
    absl::Status status = stages_.statistics->Run(std::span(luma).subspan(first), statistics);
    if (!status.ok()) return status;
    std::vector<double> motion;  // motion[i]: from luma[i] to luma[i + 1]
    if (options_.motion && luma.size() > 1) {
      motion.resize(luma.size() - 1);
      status = stages_.flow->MeanLengths(luma, motion);
      if (!status.ok()) return status;
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::size_t at = i + first;
      const bool has_motion = at > 0 && !motion.empty();
      const auto motion_px = has_motion ? std::optional(motion[at - 1]) : std::nullopt;
      status = sink_(Measured(batch[i], statistics[i], motion_px), batch[i]);
      if (!status.ok()) return status;
    }
    previous_ = luma.back();
    return absl::OkStatus();
  }

 private:
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

  StageSet& stages_;
  const MeasureOptions& options_;
  const MeasuredFrameSink& sink_;
  Plane previous_;
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
    if (absl::Status status = cancel.Check(); !status.ok()) return status;
    if (batch.empty()) return absl::OkStatus();
    if (absl::Status status = measurer.Run(batch); !status.ok()) return status;
  }
}

}  // namespace

absl::Status MeasureFrames(VideoSource& video, StageSet& stages, const MeasureOptions& options,
                           const MeasuredFrameSink& sink, const CancelToken& cancel) {
  const std::int64_t fitting =
      options.batch_bytes / std::max<std::int64_t>(1, BytesInFlight(video.info().size));
  const auto batch_frames =
      static_cast<std::size_t>(std::clamp(fitting, kShortestBatch, kLongestBatch));
  FrameQueue queue(std::max<std::size_t>(1, batch_frames / 2));
  absl::Status decoded;  // written by the decoder before it closes the queue
  Measurer measurer(stages, options, sink);
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
