// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <utility>
#include <vector>

#include "analyse/frame_selection.h"
#include "analyse/stage_set.h"
#include "glint/report.h"
#include "glint/video.h"

namespace glint {

/// Measures the motion of those frames only whose choice depends on it, while the clip streams by:
/// a few frames instead of all, and the same golden frames. A few frames wait for each
/// other, and are decided on by falling sharpness.
class LazyMotion {
 public:
  /// All references must outlive this.
  /// @param views   may be null
  /// @param frames  measures of the clip so far, by index; the motion that is measured goes there
  LazyMotion(StageSet& stages, GoldenFrameSelector& golden, ViewSelector* views,
             double motion_limit_px, std::vector<FrameMeasure>& frames)
      : stages_(stages),
        golden_(golden),
        views_(views),
        motion_limit_px_(motion_limit_px),
        frames_(frames) {}

  /// The next frame of the clip; its measure, without motion, is frames.back().
  /// Errors: those of FlowStage::MeanLengths
  absl::Status Add(const VideoFrame& frame);

  /// The clip has ended: decides on the frames that still wait. Errors: as Add
  absl::Status Finish();

 private:
  absl::Status MeasureMotion(Candidate& candidate);
  absl::StatusOr<Plane> OnDevice(const Plane& luma);

  StageSet& stages_;
  GoldenFrameSelector& golden_;
  ViewSelector* views_;
  const double motion_limit_px_;
  std::vector<FrameMeasure>& frames_;
  std::vector<Candidate> waiting_;
  Plane previous_luma_;
  /// Frames of waiting_ that are on the device, host plane first: each belongs to two pairs.
  std::vector<std::pair<Plane, Plane>> uploaded_;
};

}  // namespace glint
