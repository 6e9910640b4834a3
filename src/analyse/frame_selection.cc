// SPDX-License-Identifier: Apache-2.0
#include "analyse/frame_selection.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>

#include "base/status_macros.h"

namespace glint {
namespace {

__extension__ using Int128 = __int128;

bool Sharper(const FrameMeasure& a, const FrameMeasure& b) {
  if (a.sharpness16 != b.sharpness16) return a.sharpness16 > b.sharpness16;
  return a.index < b.index;
}

std::vector<Candidate*> BySharpness(std::span<Candidate> frames) {
  std::vector<Candidate*> sorted;
  for (Candidate& frame : frames) sorted.push_back(&frame);
  std::ranges::sort(sorted, [](const Candidate* a, const Candidate* b) {
    return Sharper(a->measure, b->measure);
  });
  return sorted;
}

/// A frame as it is kept: without its luma, which its picture gives again.
VideoFrame WithoutLuma(VideoFrame frame) {
  if (frame.picture != nullptr) frame.luma = Plane();
  return frame;
}

}  // namespace

void RestoreLuma(VideoFrame& frame) {
  if (frame.luma.empty() && frame.picture != nullptr) frame.luma = frame.picture->ToLuma();
}

std::int64_t QuantiseSharpness(const LumaStatistics& statistics) {
  if (statistics.pixels == 0) return 0;
  // variance = (n * sum of squares - sum^2) / n^2: over 2^64 for large frames.
  const Int128 n = statistics.pixels;
  const Int128 sum = statistics.laplacian_sum;
  const Int128 numerator = n * statistics.laplacian_square_sum - sum * sum;
  return static_cast<std::int64_t>((32 * numerator + n * n) / (2 * n * n));
}

std::int64_t QuantiseMotion(double motion_px) {
  assert(std::isfinite(motion_px) && motion_px >= 0);
  return std::llround(motion_px * 256);
}

double MotionLimit(int width, const SelectionParams& params) {
  return width / 640.0 * params.motion_limit_px;
}

bool IsSteady(const std::optional<std::int64_t>& motion256, double limit_px) {
  return motion256 && *motion256 <= QuantiseMotion(limit_px);
}

void SpacedFrameSelector::Add(FrameMeasure measure, VideoFrame frame) {
  assert(measure.index > last_index_);
  last_index_ = measure.index;
  Insert(measure, std::move(frame));
  DropUnreachable();
}

/// @return the frame's position in candidates_
std::size_t SpacedFrameSelector::Insert(FrameMeasure measure, VideoFrame frame) {
  const auto place = std::upper_bound(
      candidates_.begin(), candidates_.end(), measure,
      [](const FrameMeasure& a, const SelectedFrame& b) { return Sharper(a, b.first); });
  const auto inserted = candidates_.emplace(place, measure, WithoutLuma(std::move(frame)));
  return static_cast<std::size_t>(inserted - candidates_.begin());
}

absl::Status SpacedFrameSelector::AddSteadyOf(std::span<Candidate> frames,
                                              const MotionMeasure& motion) {
  if (frames.empty()) return absl::OkStatus();
  last_index_ = frames.back().measure.index;
  for (Candidate* candidate : BySharpness(frames)) {
    const std::size_t at = Insert(candidate->measure, candidate->frame);
    if (Reachable()[at]) {
      GLINT_RETURN_IF_ERROR(motion(*candidate));
      candidates_[at].first = candidate->measure;
    }
    if (!candidate->measure.eligible) {
      candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  DropUnreachable();  // only now: until its sharper neighbours are known, a frame's fate is open
  return absl::OkStatus();
}

void SpacedFrameSelector::Pass(std::int64_t index) {
  assert(index > last_index_);
  last_index_ = index;
  DropUnreachable();
}

/// Positions in candidates_ of the greedy choice of `count` frames with index < `before`.
std::vector<std::size_t> SpacedFrameSelector::Greedy(std::size_t count, std::int64_t before) const {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < candidates_.size() && chosen.size() < count; ++i) {
    const std::int64_t index = candidates_[i].first.index;
    const bool free = std::ranges::all_of(chosen, [&](std::size_t other) {
      return std::abs(candidates_[other].first.index - index) >= gap_;
    });
    if (index < before && free) chosen.push_back(i);
  }
  return chosen;
}

/// Which candidates some future could choose.
std::vector<bool> SpacedFrameSelector::Reachable() const {
  std::vector<bool> reachable(candidates_.size());
  const auto mark = [&](const std::vector<std::size_t>& chosen) {
    for (const std::size_t i : chosen) reachable[i] = true;
  };
  const auto count = static_cast<std::size_t>(count_);
  mark(Greedy(count, last_index_ + 1));
  // A chosen frame at `next` leaves the past only what lies at least the gap before it; only where
  // that border passes a candidate does the choice change.
  for (const SelectedFrame& candidate : candidates_) {
    const std::int64_t index = candidate.first.index;
    if (index > last_index_ + 1 - gap_) mark(Greedy(count - 1, index));
  }
  return reachable;
}

void SpacedFrameSelector::DropUnreachable() {
  const std::vector<bool> reachable = Reachable();
  std::size_t i = 0;
  std::erase_if(candidates_, [&](const SelectedFrame&) { return !reachable[i++]; });
}

std::vector<SelectedFrame> SpacedFrameSelector::Finish() {
  const std::vector<std::size_t> chosen = Greedy(static_cast<std::size_t>(count_), last_index_ + 1);
  std::vector<SelectedFrame> result;
  result.reserve(chosen.size());
  for (const std::size_t i : chosen) {
    result.push_back(std::move(candidates_[i]));
    RestoreLuma(result.back().second);
  }
  candidates_.clear();
  return result;
}

void GoldenFrameSelector::Add(const FrameMeasure& measure, VideoFrame frame) {
  if (measure.eligible) {
    steady_.Add(measure, std::move(frame));
    shaky_.Pass(measure.index);
  } else {
    steady_.Pass(measure.index);
    // Without motion there is nothing to advise on.
    if (measure.motion256) shaky_.Add(measure, {});
  }
}

absl::Status GoldenFrameSelector::Add(std::span<Candidate> frames, const MotionMeasure& motion) {
  GLINT_RETURN_IF_ERROR(steady_.AddSteadyOf(frames, motion));
  for (const Candidate& frame : frames) {
    const FrameMeasure& measure = frame.measure;
    if (measure.motion256 && !measure.eligible) {
      shaky_.Add(measure, {});
    } else {
      shaky_.Pass(measure.index);
    }
  }
  return absl::OkStatus();
}

std::vector<FrameMeasure> GoldenFrameSelector::NearMisses() {
  std::vector<FrameMeasure> result;
  for (const SelectedFrame& chosen : shaky_.Finish()) result.push_back(chosen.first);
  return result;
}

std::vector<SelectedFrame> SharpestViews(std::span<const SelectedFrame> views, int count, int gap) {
  SpacedFrameSelector sharpest(count, gap);
  for (const auto& [measure, frame] : views) sharpest.Add(measure, frame);
  return sharpest.Finish();
}

std::optional<SelectedFrame>& ViewSelector::BestOfBin(std::int64_t index) {
  const auto bins = static_cast<std::int64_t>(best_.size());
  return best_[static_cast<std::size_t>(std::min(bins - 1, index * bins / frames_))];
}

void ViewSelector::Add(const FrameMeasure& measure, VideoFrame frame) {
  sharpness16_.push_back(measure.sharpness16);
  std::optional<SelectedFrame>& best = BestOfBin(measure.index);
  if (!best || Sharper(measure, best->first)) best.emplace(measure, WithoutLuma(std::move(frame)));
}

/// Compared with the percentile in integers; between two ranks it is interpolated linearly.
bool ViewSelector::SharpEnough(std::int64_t sharpness16) const {
  const std::size_t position =
      static_cast<std::size_t>(params_.sharpness_percentile) * (sharpness16_.size() - 1);
  const std::size_t rank = position / 100;
  const auto part = static_cast<std::int64_t>(position % 100);
  const std::int64_t below = sharpness16_[rank];
  const std::int64_t above = part == 0 ? below : sharpness16_[rank + 1];
  return sharpness16 * 20 * 100 >=
         params_.min_sharpness_twentieths * (below * 100 + (above - below) * part);
}

std::vector<SelectedFrame> ViewSelector::Finish() {
  std::ranges::sort(sharpness16_);
  std::vector<SelectedFrame*> sharp;
  for (std::optional<SelectedFrame>& best : best_) {
    if (best && SharpEnough(best->first.sharpness16)) sharp.push_back(&*best);
  }
  std::vector<SelectedFrame> result;
  const std::size_t count = std::min(sharp.size(), static_cast<std::size_t>(params_.max_views));
  for (std::size_t i = 0; i < count; ++i) {
    // Evenly from the first to the last, rounded half up.
    const std::size_t gaps = std::max<std::size_t>(count - 1, 1);
    result.push_back(std::move(*sharp[(2 * i * (sharp.size() - 1) + gaps) / (2 * gaps)]));
  }
  best_.clear();
  return result;
}

}  // namespace glint
