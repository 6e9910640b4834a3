// SPDX-License-Identifier: Apache-2.0
#include "scan/scan_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "analyse/advice.h"
#include "analyse/classic.h"
#include "analyse/item_types.h"
#include "analyse/locate.h"
#include "analyse/measure.h"
#include "analyse/needed_motion.h"
#include "analyse/rectify.h"
#include "analyse/regions.h"
#include "analyse/register.h"
#include "base/thread_pool.h"
#include "glint/error.h"
#include "report/html.h"
#include "report/json.h"

namespace glint {
namespace {

/// Memory for frames that wait until it is known whether their motion matters.
constexpr std::int64_t kWaitingBytes = 32LL << 20;

Artifact TextArtifact(std::string name, const std::string& text, std::string content_type) {
  Artifact artifact{.name = std::move(name), .content_type = std::move(content_type)};
  artifact.content.resize(text.size());
  std::memcpy(artifact.content.data(), text.data(), text.size());
  return artifact;
}

/// Adds what `part` sees to `seen`. Both kU8 on the host, of one size.
void AddSeen(const Plane& part, Plane& seen) {
  for (int y = 0; y < seen.height(); ++y) {
    std::uint8_t* row = seen.Row<std::uint8_t>(y);
    const std::uint8_t* more = part.Row<std::uint8_t>(y);
    for (int x = 0; x < seen.width(); ++x) row[x] |= more[x];
  }
}

/// Unmarks what was not seen.
void KeepSeen(const Plane& seen, Plane& mask) {
  for (int y = 0; y < mask.height(); ++y) {
    std::uint8_t* row = mask.Row<std::uint8_t>(y);
    const std::uint8_t* kept = seen.Row<std::uint8_t>(y);
    for (int x = 0; x < mask.width(); ++x) row[x] &= kept[x];
  }
}

}  // namespace

ScanRun::ScanRun(const ScanRequest& request, const ScanDeps& deps, const CancelToken& cancel)
    : request_(request),
      deps_(deps),
      cancel_(cancel),
      clock_(deps.progress),
      chooser_(request.golden_frames, request.golden_gap) {
  report_.scan_id = request.scan_id;
  report_.item_type = request.item_type;
  report_.profile = request.profile;
  report_.device = deps.backend.name;
  report_.device_why = deps.backend.why;
}

absl::Status ScanRun::Enter(ScanStep step) {
  clock_.Enter(step);
  return cancel_.Check();
}

absl::Status ScanRun::Fetch() {
  if (absl::Status status = Enter(ScanStep::kDownloading); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<FetchedFile>> file = deps_.fetcher.Fetch(request_.input, cancel_);
  if (file.ok()) file_ = *std::move(file);
  return file.status();
}

absl::Status ScanRun::Open() {
  if (absl::Status status = Enter(ScanStep::kDecoding); !status.ok()) return status;
  const VideoOptions options{.limits = request_.limits, .threads = deps_.pool.threads()};
  absl::StatusOr<std::unique_ptr<VideoSource>> video = OpenVideo(file_->path(), options, cancel_);
  if (!video.ok()) return video.status();
  video_ = *std::move(video);
  report_.video = video_->info();
  report_.motion_limit_px =
      request_.motion_limit_px.value_or(MotionLimit(video_->info().size.width));
  absl::StatusOr<StageSet> stages = StageSet::Make(deps_.backend.backend);
  if (stages.ok()) stages_ = *std::move(stages);
  return stages.status();
}

absl::Status ScanRun::Measure() {
  if (absl::Status status = Enter(ScanStep::kMeasuring); !status.ok()) return status;
  const bool all = request_.motion == MotionMode::kAll;
  report_.motion_mode = all ? "all" : "needed";
  NeededMotion needed(stages_, chooser_, report_.motion_limit_px, kWaitingBytes, report_.frames);
  const auto take = [&](const FrameMeasure& measure, const VideoFrame& frame) {
    report_.frames.push_back(measure);
    const auto frames = std::ssize(report_.frames);
    const auto frames_of = std::max(frames, report_.video.frames);
    clock_.Advance(static_cast<double>(frames) / static_cast<double>(frames_of), frames,
                   report_.video.frames);
    if (!all) return needed.Add(frame);
    chooser_.Add(measure, frame);
    return absl::OkStatus();
  };
  const MeasureOptions options{.motion = all, .motion_limit_px = report_.motion_limit_px};
  absl::Status status = MeasureFrames(*video_, stages_, options, take, cancel_);
  if (status.ok() && !all) status = needed.Finish();
  report_.decoding = video_->summary();
  return status;
}

bool ScanRun::Select() {
  clock_.Enter(ScanStep::kSelecting);
  for (ChosenFrame& chosen : chooser_.Finish()) {
    report_.golden.push_back({.measure = chosen.first});
    golden_.push_back(std::move(chosen.second));
  }
  video_.reset();  // its decoder's memory is not needed any more
  report_.advice = FilmingAdvice(report_.frames, golden_.size(), report_.motion_limit_px);
  if (golden_.empty()) report_.outcome = ScanOutcome::kNoUsableFrames;
  return !golden_.empty();
}

absl::Status ScanRun::Locate() {
  if (absl::Status status = Enter(ScanStep::kLocating); !status.ok()) return status;
  absl::StatusOr<LocatedObject> object = glint::Locate(golden_, stages_);
  if (!object.ok()) return object.status();
  report_.object = *std::move(object);
  const auto reference =
      std::ranges::find(golden_, report_.object->reference_frame, &VideoFrame::index);
  reference_ = static_cast<std::size_t>(reference - golden_.begin());
  return absl::OkStatus();
}

absl::Status ScanRun::Register() {
  if (absl::Status status = Enter(ScanStep::kRegistering); !status.ok()) return status;
  absl::StatusOr<std::vector<RegisteredView>> views =
      RegisterViews(golden_, *report_.object, stages_);
  if (!views.ok()) return views.status();
  for (std::size_t i = 0; i < views->size(); ++i) {
    const RegisteredView& view = (*views)[i];
    GoldenFrame& golden = report_.golden[i];
    golden.registered = view.registered;
    golden.residual_px = view.residual_px;
    golden.coverage = view.coverage;
    golden.frame_from_object = view.frame_from_object;
    golden.why_dropped = view.why_dropped;
    if (!view.registered) {
      report_.warnings.push_back(
          fmt::format("frame {} was left out: {}", golden.measure.index, view.why_dropped));
    }
  }
  return absl::OkStatus();
}

/// The registered frames in object coordinates, on the backend's device; `seen` becomes where at
/// least one of them shows the object.
absl::StatusOr<std::vector<Plane>> ScanRun::RectifyRegistered(Plane& seen) {
  std::vector<Plane> greys;
  for (std::size_t i = 0; i < golden_.size(); ++i) {
    if (!report_.golden[i].registered) continue;
    const VideoFrame& frame = golden_[i];
    const Homography& frame_from_object = report_.golden[i].frame_from_object;
    absl::StatusOr<Plane> grey =
        Rectify(frame.luma, frame_from_object, report_.object->size, stages_);
    if (!grey.ok()) return grey.status();
    greys.push_back(*std::move(grey));
    absl::StatusOr<Plane> valid =
        Validity(frame.luma.size(), frame_from_object, report_.object->size, stages_);
    if (valid.ok()) valid = stages_.backend->Download(*valid);
    if (!valid.ok()) return valid.status();
    if (seen.empty()) {
      seen = *std::move(valid);
    } else {
      AddSeen(*valid, seen);
    }
  }
  return greys;
}

absl::Status ScanRun::Detect() {
  if (absl::Status status = Enter(ScanStep::kDetecting); !status.ok()) return status;
  Plane seen;
  absl::StatusOr<std::vector<Plane>> greys = RectifyRegistered(seen);
  if (!greys.ok()) return greys.status();
  absl::StatusOr<ClassicResult> found = DetectClassic(*greys, stages_);
  if (!found.ok()) return found.status();
  KeepSeen(seen, found->mask);
  const Homography& reference = report_.golden[reference_].frame_from_object;
  absl::StatusOr<RegionMap> regions =
      FindRegions(found->mask, found->score, found->picture_masks, reference);
  if (!regions.ok()) return regions.status();
  const auto type = FindItemType(request_.item_type);
  if (!type.ok()) return type.status();
  report_.named_regions = MeasureNamedRegions(**type, found->mask, seen);
  report_.damaged_percent = DamagedPercent(found->mask, seen);
  report_.regions = std::move(regions->regions);
  report_.regions_found = regions->found;
  pictures_.mask = std::move(found->mask);
  pictures_.score = std::move(found->score);
  pictures_.labels = std::move(regions->labels);
  return absl::OkStatus();
}

absl::Status ScanRun::Render() {
  if (absl::Status status = Enter(ScanStep::kRendering); !status.ok()) return status;
  pictures_.golden.resize(golden_.size());
  deps_.pool.ParallelFor(std::ssize(golden_), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    pictures_.golden[at] = golden_[at].picture->ToRgb();
  });
  if (report_.object) {
    absl::StatusOr<Plane> rectified =
        Rectify(pictures_.golden[reference_], report_.golden[reference_].frame_from_object,
                report_.object->size, stages_);
    if (rectified.ok()) rectified = stages_.backend->Download(*rectified);
    if (!rectified.ok()) return rectified.status();
    pictures_.rectified = *std::move(rectified);
  }
  absl::StatusOr<std::vector<Artifact>> artifacts = RenderArtifacts(report_, pictures_, deps_.pool);
  if (!artifacts.ok()) return artifacts.status();
  artifacts_ = *std::move(artifacts);
  absl::StatusOr<std::string> page = RenderHtml(report_, pictures_, deps_.pool);
  if (!page.ok()) return page.status();
  artifacts_.push_back(TextArtifact("report.html", *page, "text/html; charset=utf-8"));
  artifacts_.push_back(TextArtifact("report.json", ToJson(report_), "application/json"));
  return absl::OkStatus();
}

absl::Status ScanRun::Upload() {
  if (absl::Status status = Enter(ScanStep::kUploading); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<Publication>> publication = deps_.store.Begin(request_.prefix);
  if (!publication.ok()) return publication.status();
  for (std::size_t i = 0; i < artifacts_.size(); ++i) {
    if (absl::Status status = cancel_.Check(); !status.ok()) return status;
    const Artifact& artifact = artifacts_[i];
    absl::Status status =
        (*publication)->Put(artifact.name, artifact.content, artifact.content_type);
    if (!status.ok()) return status;
    clock_.Advance(static_cast<double>(i) / static_cast<double>(artifacts_.size()),
                   std::ssize(report_.frames), report_.video.frames);
  }
  timing_ = clock_.SoFar(deps_.pool.threads());
  const Artifact timing = TextArtifact("timing.json", ToJson(timing_), "application/json");
  if (absl::Status status = (*publication)->Put(timing.name, timing.content, timing.content_type);
      !status.ok()) {
    return status;
  }
  return (*publication)->Commit();
}

ScanResult ScanRun::Finish() {
  clock_.Enter(ScanStep::kDone);
  return {.report = std::move(report_), .timing = std::move(timing_)};
}

}  // namespace glint
