// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <vector>

#include "analyse/choose.h"
#include "analyse/stage_set.h"
#include "glint/report.h"
#include "glint/video.h"

namespace glint {

/// Measures the motion of those frames only whose choice depends on it, while the clip streams by:
/// a few frames instead of all, and the same golden frames and views. Frames wait in a buffer
/// of limited size; the larger it is, the fewer are measured.
class NeededMotion {
 public:
  /// @param views         may be null
  /// @param buffer_bytes  for waiting frames; at least two wait in any case
  /// @param frames        measures of the clip so far, by index; the motion that is measured goes
  /// there All references must outlive this.
  NeededMotion(StageSet& stages, GoldenChooser& golden, ViewChooser* views, double motion_limit_px,
               std::int64_t buffer_bytes, std::vector<FrameMeasure>& frames)
      : stages_(stages),
        golden_(golden),
        views_(views),
        motion_limit_px_(motion_limit_px),
        buffer_bytes_(buffer_bytes),
        frames_(frames) {}

  /// The next frame of the clip; its measure, without motion, is frames.back().
  /// Errors: those of FlowStage::MeanLengths
  absl::Status Add(const VideoFrame& frame);

  /// The clip has ended: decides on the frames that still wait. Errors: as Add
  absl::Status Finish();

 private:
  absl::Status MeasureMotion(Candidate& candidate);

  StageSet& stages_;
  GoldenChooser& golden_;
  ViewChooser* views_;
  const double motion_limit_px_;
  const std::int64_t buffer_bytes_;
  std::vector<FrameMeasure>& frames_;
  std::vector<Candidate> waiting_;
  Plane previous_luma_;
};

}  // namespace glint
