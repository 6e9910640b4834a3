// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyse/advice.h"
#include "analyse/lazy_motion.h"
#include "analyse/measure.h"
#include "base/status_macros.h"
#include "scan/steps/scan_steps.h"

namespace glint {
namespace {

/// Offers a frame whose motion is known to the choosers.
void Offer(const FrameMeasure& measure, const VideoFrame& frame, Measured& measured) {
  measured.golden.Add(measure, frame);
  if (measured.views) measured.views->Add(measure, frame);
}

}  // namespace

absl::StatusOr<Measured> MeasureVideo(const ScanContext& scan, StageSet& stages, Opened opened) {
  GLINT_RETURN_IF_ERROR(scan.Enter(ScanStep::kMeasuring));
  const bool all = scan.request.motion == MotionMode::kAll;
  Measured measured{.golden = {scan.request.golden_frames, scan.request.golden_gap},
                    .views = std::nullopt,
                    .report = std::move(opened.report)};
  ScanReport& report = measured.report;
  report.motion_mode = all ? "all" : "needed";
  if (scan.UsesViews())
    measured.views.emplace(std::max<std::int64_t>(1, report.video.frames), scan.params.selection);
  LazyMotion needed(stages, measured.golden, measured.views ? &*measured.views : nullptr,
                    report.motion_limit_px, report.frames);
  const auto take = [&](const FrameMeasure& measure, const VideoFrame& frame) {
    report.frames.push_back(measure);
    const auto frames = std::ssize(report.frames);
    const auto frames_of = std::max(frames, report.video.frames);
    scan.clock.Advance(static_cast<double>(frames) / static_cast<double>(frames_of), frames,
                       report.video.frames);
    if (!all) return needed.Add(frame);
    Offer(measure, frame, measured);
    return absl::OkStatus();
  };
  const MeasureOptions options{.motion = all, .motion_limit_px = report.motion_limit_px};
  GLINT_RETURN_IF_ERROR(MeasureFrames(*opened.video, stages, options, take, scan.cancel));
  if (!all) GLINT_RETURN_IF_ERROR(needed.Finish());
  report.decoding = opened.video->summary();
  report.warnings.insert(report.warnings.end(), report.decoding.warnings.begin(),
                         report.decoding.warnings.end());  // where everybody reads them
  GLINT_RETURN_IF_ERROR(stages.Renew());
  return measured;
}

absl::StatusOr<Selected> SelectFrames(const ScanContext& scan, Measured measured) {
  GLINT_RETURN_IF_ERROR(scan.Enter(ScanStep::kSelecting));
  Selected selected{.report = std::move(measured.report)};
  ScanReport& report = selected.report;
  std::vector<SelectedFrame> golden = measured.golden.Finish();
  if (measured.views) {
    std::vector<SelectedFrame> views = measured.views->Finish();
    if (golden.empty() && std::ssize(views) >= scan.params.photometric.evidence.min_views) {
      golden = SharpestViews(views, scan.request.golden_frames, scan.request.golden_gap);
      for (auto& [measure, frame] : golden) RestoreLuma(frame);
    }
    for (SelectedFrame& chosen : views) selected.views.push_back(std::move(chosen.second));
  }
  for (SelectedFrame& chosen : golden) {
    report.golden.push_back({.measure = chosen.first});
    selected.golden.push_back(std::move(chosen.second));
  }
  const std::size_t compared =
      golden.empty() ? 0 : std::max(selected.golden.size(), selected.views.size());
  report.advice =
      FilmingAdvice(report.frames, compared, report.motion_limit_px, scan.params.advice);
  if (selected.golden.empty()) report.outcome = ScanOutcome::kNoUsableFrames;
  for (const std::string_view stage : StagesRun(report.profile, report.outcome)) {
    report.stages.push_back({.stage = std::string(stage), .device = report.device});
  }
  return selected;
}

}  // namespace glint
