// SPDX-License-Identifier: Apache-2.0
// Choosing frames while they stream by: one pass, and no pixels kept that cannot be chosen any
// more.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/params.h"
#include "glint/report.h"
#include "glint/stages.h"
#include "glint/video.h"

namespace glint {

/// Which frames are steady and sharp enough, and how many views are taken.
struct SelectionParams {
  /// per frame, in frames 640 px wide: a golden frame moves no more
  GLINT_PARAM(double, motion_limit_px, 0, 1000) = 1.0;
  /// of time: each gives its sharpest frame
  GLINT_PARAM(int, view_bins, 1, 10000) = 96;
  /// thinned evenly if there are more
  GLINT_PARAM(int, max_views, 1, 64) = 64;
  /// a view is at least so sharp as that percentile of the clip's frames; integers decide
  /// exactly
  GLINT_PARAM(int, min_sharpness_twentieths, 0, 20) = 11;
  /// of all frames of the clip
  GLINT_PARAM(int, sharpness_percentile, 0, 100) = 85;
};

/// Variance of the Laplacian in 1/16, rounded half up. Exact: computed from the integer sums.
std::int64_t QuantiseSharpness(const LumaStatistics& statistics);

/// A length in pixels in 1/256 px, rounded half up. @param motion_px  finite, >= 0
std::int64_t QuantiseMotion(double motion_px);

/// The motion up to which a frame is steady, by default, pixels per frame: in proportion to the
/// width. @param width  of the displayed frame, pixels
double MotionLimit(int width, const SelectionParams& params = {});

/// Whether a frame may be chosen. A frame without motion (the first of a clip) may not.
bool IsSteady(const std::optional<std::int64_t>& motion256, double limit_px);

/// Makes the luma of a frame that was kept without it.
void RestoreLuma(VideoFrame& frame);

/// A chosen frame and what was measured on it.
using SelectedFrame = std::pair<FrameMeasure, VideoFrame>;

/// A frame that is not known to be steady yet, and the luma of the frame before it.
struct Candidate {
  FrameMeasure measure;
  VideoFrame frame;
  Plane previous_luma;  ///< empty for the first frame of a clip
};

/// Measures a candidate's motion: sets `motion256` and `eligible` of its measure.
using MotionMeasure = std::function<absl::Status(Candidate&)>;

/// Greedily the sharpest frames that keep their distance from each other, out of a stream.
///
/// Equals the choice from the whole clip (by descending sharpness, ties to the earlier frame, each
/// at least `gap` frames from all chosen before, at most `count`). A frame is kept only while some
/// future could still choose it, and without its luma. What the future does to the past is little:
/// its chosen frames lie `gap` apart, so only the first of them can stand within the gap of a past
/// frame, and whenever it is chosen, the outcome is the same as if it had been chosen first. So the
/// frames that still matter are the greedy choice of the past alone, and for each distance 1 .. gap
/// - 1 after its end the choice of count - 1 frames beside one there: never more than count * gap,
/// and few in practice.
class SpacedFrameSelector {
 public:
  /// @param count  frames chosen at most, >= 1
  /// @param gap    frames from one chosen frame to the next, at least, >= 1
  SpacedFrameSelector(int count, int gap) : count_(count), gap_(gap) {}

  /// A frame that may be chosen; indices rise from call to call.
  void Add(FrameMeasure measure, VideoFrame frame);

  /// The stream is at `index` now, without a frame to choose from.
  void Pass(std::int64_t index);

  /// The next frames of the stream at once, of which each may be chosen only if it is steady.
  /// Whether a frame is chosen depends on sharper frames alone: so they are visited by falling
  /// sharpness, and only those that some future could choose have their motion measured. Gives the
  /// same choice as Add for every steady frame and Pass for the others.
  /// @param frames  indices rise; the measures of visited frames are complete afterwards
  /// Errors: those of `motion`
  absl::Status AddSteadyOf(std::span<Candidate> frames, const MotionMeasure& motion);

  /// Frames held now.
  std::size_t held() const { return candidates_.size(); }

  /// The choice, sharpest first. Ends the stream.
  std::vector<SelectedFrame> Finish();

 private:
  std::vector<std::size_t> Greedy(std::size_t count, std::int64_t before) const;
  std::vector<bool> Reachable() const;
  std::size_t Insert(FrameMeasure measure, VideoFrame frame);
  void DropUnreachable();

  int count_;
  int gap_;
  std::int64_t last_index_ = -1;
  std::vector<SelectedFrame> candidates_;  // sharpest first, ties: earlier first
};

/// Chooses the golden frames: those shown to people, and all that `classic` looks at.
class GoldenFrameSelector {
 public:
  /// @param count,gap  as of SpacedFrameSelector
  GoldenFrameSelector(int count, int gap) : steady_(count, gap), shaky_(count, gap) {}

  /// The next frame of the clip, eligible or not.
  void Add(const FrameMeasure& measure, VideoFrame frame);

  /// The next frames of the clip, whose motion is measured only where the choice needs it
  /// (SpacedFrameSelector::AddSteadyOf). Errors: those of `motion`
  absl::Status Add(std::span<Candidate> frames, const MotionMeasure& motion);

  /// Frames whose pixels are held now.
  std::size_t held() const { return steady_.held(); }

  /// The chosen frames, sharpest first; empty when no frame was eligible. Ends the stream.
  std::vector<SelectedFrame> Finish() { return steady_.Finish(); }

  /// The frames that would have been chosen among those that moved too much: what to show to a
  /// person whose clip has no usable frame. Sharpest first. Ends the stream.
  std::vector<FrameMeasure> NearMisses();

 private:
  SpacedFrameSelector steady_;
  SpacedFrameSelector shaky_;  // without pixels
};

/// What stands in for golden frames where no frame is steady: the sharpest of the views, at most
/// `count`, at least `gap` frames apart; sharpest first.
std::vector<SelectedFrame> SharpestViews(std::span<const SelectedFrame> views, int count, int gap);

/// Chooses the views that evidence under a moving light is taken from: the clip is cut into time
/// bins, and each gives its sharpest frame unless that is blurred by the clip's standard. However
/// much a frame moves: what motion is feared for is smear, and that is what sharpness measures.
class ViewSelector {
 public:
  /// @param frames  what the container announces, >= 1; frames beyond it fall into the last bin
  explicit ViewSelector(std::int64_t frames, const SelectionParams& params = {})
      : frames_(frames), params_(params), best_(static_cast<std::size_t>(params.view_bins)) {}

  /// The next frame of the clip.
  void Add(const FrameMeasure& measure, VideoFrame frame);

  /// The chosen views in display order, thinned evenly if there are too many; without their luma
  /// (RestoreLuma): there are many. Ends the stream.
  std::vector<SelectedFrame> Finish();

 private:
  std::optional<SelectedFrame>& BestOfBin(std::int64_t index);
  bool SharpEnough(std::int64_t sharpness16) const;

  std::int64_t frames_;
  SelectionParams params_;
  std::vector<std::optional<SelectedFrame>> best_;  // per bin
  std::vector<std::int64_t> sharpness16_;           // of every frame
};

}  // namespace glint
