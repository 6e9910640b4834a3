// SPDX-License-Identifier: Apache-2.0
#include "analyse/lazy_motion.h"

#include <array>
#include <span>
#include <utility>

#include "base/status_macros.h"

namespace glint {
namespace {

/// Frames whose fate is decided together. With more of them fewer have their motion measured, but
/// hardly so below twice the gap between golden frames: neighbours are about as sharp.
constexpr std::size_t kWaiting = 4;

}  // namespace

absl::Status LazyMotion::Add(const VideoFrame& frame) {
  waiting_.push_back({.measure = frames_.back(), .frame = frame, .previous_luma = previous_luma_});
  previous_luma_ = frame.luma;
  return waiting_.size() < kWaiting ? absl::OkStatus() : Finish();
}

absl::Status LazyMotion::Finish() {
  absl::Status status = golden_.Add(waiting_, [this](Candidate& c) { return MeasureMotion(c); });
  if (status.ok() && views_ != nullptr) {
    for (Candidate& frame : waiting_) views_->Add(frame.measure, std::move(frame.frame));
  }
  waiting_.clear();
  // The last frame is the one before those that come.
  std::erase_if(uploaded_,
                [this](const auto& pair) { return pair.first.data() != previous_luma_.data(); });
  return status;
}

absl::StatusOr<Plane> LazyMotion::OnDevice(const Plane& luma) {
  for (const auto& [host, device] : uploaded_) {
    if (host.data() == luma.data()) return device;
  }
  GLINT_ASSIGN_OR_RETURN(const Plane device, stages_.backend->Upload(luma));
  uploaded_.emplace_back(luma, device);
  return device;
}

absl::Status LazyMotion::MeasureMotion(Candidate& candidate) {
  if (candidate.measure.motion256) return absl::OkStatus();
  if (candidate.previous_luma.empty()) return absl::OkStatus();  // the first frame: not eligible
  std::array<Plane, 2> pair;
  for (std::size_t i = 0; i < pair.size(); ++i) {
    GLINT_ASSIGN_OR_RETURN(pair[i],
                           OnDevice(i == 0 ? candidate.previous_luma : candidate.frame.luma));
  }
  double motion_px = 0;
  GLINT_RETURN_IF_ERROR(stages_.flow->MeanLengths(pair, std::span(&motion_px, 1)));
  candidate.measure.motion256 = QuantiseMotion(motion_px);
  candidate.measure.eligible = IsSteady(candidate.measure.motion256, motion_limit_px_);
  frames_[static_cast<std::size_t>(candidate.measure.index)] = candidate.measure;
  return absl::OkStatus();
}

}  // namespace glint
