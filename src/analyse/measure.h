// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <functional>

#include "analyse/stage_set.h"
#include "glint/cancel.h"
#include "glint/report.h"
#include "glint/video.h"

namespace glint {

/// Memory that a frame takes while it waits: the decoder's 4:2:0 picture and the full-range luma.
inline std::int64_t BytesInFlight(Size size) { return size.area() * 5 / 2; }

/// How frames are measured.
struct MeasureOptions {
  bool motion = true;  ///< false: sharpness and clipping only
  double motion_limit_px =
      0;  ///< mean flow length up to which a frame is eligible, pixels per frame
  /// Memory for frames in flight, bytes; decides how many frames a batch holds (never what it
  /// finds), where the device does not (MeasureStage::BestBatch).
  std::int64_t batch_bytes = 8LL << 20;
};

/// Receives each frame once, in display order, with its measures. An error ends the measuring.
using MeasuredFrameSink = std::function<absl::Status(const FrameMeasure&, const VideoFrame&)>;

/// Sharpness, motion and clipping of every frame of a video (docs/algorithm.md, "Measuring").
///
/// Decoding runs in a thread of its own and hands frames over through a bounded queue; batches of
/// frames go through the stages, on a GPU two at a time. The measures do not depend on the batches
/// or on the number of threads. Frames are dropped after `sink` unless it keeps them. Errors: those
/// of VideoSource::Next, of the stages and of `sink`; CANCELLED and DEADLINE_EXCEEDED.
absl::Status MeasureFrames(VideoSource& video, StageSet& stages, const MeasureOptions& options,
                           const MeasuredFrameSink& sink, const CancelToken& cancel);

}  // namespace glint
