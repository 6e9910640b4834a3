// SPDX-License-Identifier: Apache-2.0
#include "scan/scan_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "analyse/advice.h"
#include "analyse/item_types.h"
#include "analyse/locate.h"
#include "analyse/measure.h"
#include "analyse/needed_motion.h"
#include "analyse/photometric/outline.h"
#include "analyse/rectify.h"
#include "analyse/reference/findings.h"
#include "analyse/register.h"
#include "analyse/stage_names.h"
#include "analyse/track.h"
#include "analyse/view_stack.h"
#include "base/thread_pool.h"
#include "glint/error.h"
#include "report/html.h"
#include "report/json.h"
#include "report/names.h"
#include "report/overlay.h"
#include "scan/close_ups.h"
#include "scan/put_all.h"
#include "scan/record_detection.h"
#include "scan/request_check.h"

namespace glint {
namespace {

Artifact TextArtifact(std::string name, const std::string& text, std::string content_type) {
  Artifact artifact{.name = std::move(name), .content_type = std::move(content_type)};
  artifact.content.resize(text.size());
  std::memcpy(artifact.content.data(), text.data(), text.size());
  return artifact;
}

/// The median view of the object alone.
Plane WithoutSurroundings(const Plane& colour) {
  constexpr int kMargin = photometric::kBackgroundMargin;
  return Crop(colour, kMargin, kMargin,
              {colour.width() - 2 * kMargin, colour.height() - 2 * kMargin});
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
}

bool ScanRun::UsesViews() const { return request_.profile == kProfilePhotometric; }

absl::Status ScanRun::Enter(ScanStep step) {
  clock_.Enter(step);
  return cancel_.Check();
}

absl::Status ScanRun::Fetch() {
  if (absl::Status status = Enter(ScanStep::kDownloading); !status.ok()) return status;
  if (!request_.reference.empty()) {
    auto reference = ReadReference(request_.reference, cancel_);
    if (!reference.ok()) return reference.status();
    reference_file_ = *std::move(reference);
  }
  const auto progress = [this](std::int64_t bytes, std::int64_t bytes_of) {
    clock_.Downloaded(bytes, bytes_of);
  };
  absl::StatusOr<std::unique_ptr<FetchedFile>> file =
      deps_.fetcher.Fetch(request_.input, progress, cancel_);
  if (!file.ok()) return file.status();
  file_ = *std::move(file);
  return absl::OkStatus();
}

absl::Status ScanRun::Open() {
  if (absl::Status status = Enter(ScanStep::kDecoding); !status.ok()) return status;
  const VideoOptions options{
      .limits = request_.limits, .threads = deps_.pool.threads(), .rotation = request_.rotation};
  absl::StatusOr<std::unique_ptr<VideoSource>> video =
      deps_.open_video(file_->path(), options, cancel_);
  if (!video.ok()) return video.status();
  video_ = *std::move(video);
  report_.video = video_->info();
  report_.motion_limit_px =
      request_.motion_limit_px.value_or(MotionLimit(video_->info().size.width));
  return TakeDevice();
}

absl::Status ScanRun::TakeDevice() {
  device_ = deps_.devices.Take(report_.video.size);
  report_.device = device_->name;
  report_.device_why = device_->why;
  absl::StatusOr<StageSet> stages = StageSet::Make(device_->backend);
  if (!stages.ok()) return stages.status();
  stages_ = *std::move(stages);
  return absl::OkStatus();
}

absl::Status ScanRun::Measure() {
  if (absl::Status status = Enter(ScanStep::kMeasuring); !status.ok()) return status;
  const bool all = request_.motion == MotionMode::kAll;
  report_.motion_mode = all ? "all" : "needed";
  if (UsesViews()) view_chooser_.emplace(std::max<std::int64_t>(1, report_.video.frames));
  ViewChooser* views = view_chooser_ ? &*view_chooser_ : nullptr;
  NeededMotion needed(stages_, chooser_, views, report_.motion_limit_px, report_.frames);
  const auto take = [&](const FrameMeasure& measure, const VideoFrame& frame) {
    report_.frames.push_back(measure);
    const auto frames = std::ssize(report_.frames);
    const auto frames_of = std::max(frames, report_.video.frames);
    clock_.Advance(static_cast<double>(frames) / static_cast<double>(frames_of), frames,
                   report_.video.frames);
    if (!all) return needed.Add(frame);
    chooser_.Add(measure, frame);
    if (views != nullptr) {
      FrameMeasure as_view = measure;
      as_view.eligible = IsSteadyView(measure.motion256, report_.motion_limit_px);
      views->Add(as_view, frame);
    }
    return absl::OkStatus();
  };
  const MeasureOptions options{.motion = all, .motion_limit_px = report_.motion_limit_px};
  absl::Status status = MeasureFrames(*video_, stages_, options, take, cancel_);
  if (status.ok() && !all) status = needed.Finish();
  report_.decoding = video_->summary();
  return status.ok() ? stages_.Renew() : status;
}

bool ScanRun::Select() {
  clock_.Enter(ScanStep::kSelecting);
  for (ChosenFrame& chosen : chooser_.Finish()) {
    report_.golden.push_back({.measure = chosen.first});
    golden_.push_back(std::move(chosen.second));
  }
  if (view_chooser_) {
    for (ChosenFrame& chosen : view_chooser_->Finish()) views_.push_back(std::move(chosen.second));
    view_chooser_.reset();
  }
  golden_pictures_.emplace(golden_, deps_.pool);
  video_.reset();  // the decoder's memory is not needed any more
  report_.advice = FilmingAdvice(report_.frames, golden_.size(), report_.motion_limit_px);
  if (golden_.empty()) report_.outcome = ScanOutcome::kNoUsableFrames;
  for (const std::string_view stage : StagesRun(report_.profile, report_.outcome)) {
    report_.stages.push_back({.stage = std::string(stage), .device = report_.device});
  }
  return !golden_.empty();
}

absl::Status ScanRun::Locate() {
  if (absl::Status status = Enter(ScanStep::kLocating); !status.ok()) return status;
  absl::StatusOr<FrameFeatures> features = FeaturesOf(golden_, stages_, deps_.pool);
  if (!features.ok()) return features.status();
  features_ = *std::move(features);
  absl::StatusOr<LocatedObject> object = glint::Locate(golden_, features_, stages_, deps_.pool);
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
      RegisterViews(golden_, features_, *report_.object, stages_, deps_.pool);
  features_.reset();
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
  if (absl::Status status = stages_.Renew(); !status.ok()) return status;
  return UsesViews() ? PlaceViews() : absl::OkStatus();
}

/// Registers the views with the reference frame and resamples them; of each, only the picture is
/// kept.
absl::Status ScanRun::PlaceViews() {
  ViewStackBuilder builder(report_.object->size, views_.size(), stages_, deps_.pool);
  std::size_t done = 0;
  const auto take = [&](std::size_t index, const VideoFrame& frame, const RegisteredView& view) {
    clock_.Advance(static_cast<double>(++done) / static_cast<double>(views_.size()),
                   std::ssize(report_.frames), report_.video.frames);
    return view.registered ? builder.Add(index, frame, view.frame_from_object) : absl::OkStatus();
  };
  const VideoFrame& reference = golden_[reference_];
  absl::Status status =
      TrackViews(views_, reference, *report_.object, stages_, deps_.pool, cancel_, take);
  if (!status.ok()) return status;
  report_.views_chosen = std::ssize(views_);
  views_.clear();  // the stack keeps the pictures of those that it took
  report_.views_used = static_cast<std::int64_t>(builder.size());
  if (builder.size() == 0) {
    status = builder.Add(0, reference, report_.golden[reference_].frame_from_object);
    if (!status.ok()) return status;
  }
  absl::StatusOr<ViewStack> stack = builder.Finish();
  if (!stack.ok()) return stack.status();
  view_stack_ = *std::move(stack);
  return absl::OkStatus();
}

absl::StatusOr<Detection> ScanRun::DetectInGoldenFrames() {
  std::vector<PlacedFrame> placed = {
      {&golden_[reference_], report_.golden[reference_].frame_from_object}};
  for (std::size_t i = 0; i < golden_.size(); ++i) {
    if (i != reference_ && report_.golden[i].registered) {
      placed.push_back({&golden_[i], report_.golden[i].frame_from_object});
    }
  }
  return DetectClassicDamage(placed, report_.object->size, stages_);
}

absl::StatusOr<Detection> ScanRun::DetectInViews() {
  const auto type = FindItemType(request_.item_type);
  if (!type.ok()) return type.status();
  const bool outline_found = report_.object->method == kFoundByOutline;
  return DetectPhotometricDamage(*view_stack_, PhotometricOptionsFor(**type, outline_found),
                                 report_.golden[reference_].frame_from_object, stages_, deps_.pool,
                                 cancel_);
}

/// Adds what differs from the good copy.
absl::Status ScanRun::Compare(Detection& found) {
  const Plane where = Both(found.surface, found.seen);
  auto comparison =
      CompareWithCopy(pictures_.median, where, reference_file_->copy, stages_, deps_.pool, cancel_);
  if (!comparison.ok()) return comparison.status();
  absl::Status added =
      AddComparison(*comparison, *view_stack_, report_.golden[reference_].frame_from_object,
                    stages_, deps_.pool, found);
  if (!added.ok()) return added;
  ReferenceFacts facts = std::move(reference_file_->facts);
  facts.compared_percent = MarkedPercent(comparison->compared, where);
  facts.changed_percent = MarkedPercent(comparison->changed, comparison->compared);
  if (!comparison->known.empty()) {
    facts.new_regions = std::ranges::count_if(
        found.regions.regions, [](const DefectRegion& region) { return region.is_new == true; });
  }
  report_.reference = std::move(facts);
  pictures_.good_copy = std::move(comparison->picture);
  reference_file_.reset();
  return absl::OkStatus();
}

absl::Status ScanRun::Detect() {
  if (absl::Status status = Enter(ScanStep::kDetecting); !status.ok()) return status;
  absl::StatusOr<Detection> found = UsesViews() ? DetectInViews() : DetectInGoldenFrames();
  if (!found.ok()) return found.status();
  if (UsesViews()) pictures_.median = WithoutSurroundings(view_stack_->colour);
  if (reference_file_) {
    absl::Status compared = Compare(*found);
    if (!compared.ok()) return compared;
  }
  const auto type = FindItemType(request_.item_type);
  if (!type.ok()) return type.status();
  RecordDetection(*std::move(found), **type, report_, pictures_);
  if (view_stack_) {
    auto close_ups = CutCloseUps(report_.regions, pictures_.labels, view_stack_->sources, stages_);
    if (!close_ups.ok()) return close_ups.status();
    pictures_.close_ups = *std::move(close_ups);
    view_stack_.reset();
  }
  return stages_.Renew();
}

absl::Status ScanRun::Render() {
  if (absl::Status status = Enter(ScanStep::kRendering); !status.ok()) return status;
  if (report_.object) {
    absl::StatusOr<Plane> rectified =
        Rectify(golden_[reference_].picture->ToRgb(), report_.golden[reference_].frame_from_object,
                report_.object->size, stages_);
    if (rectified.ok()) rectified = stages_.backend->Download(*rectified);
    if (!rectified.ok()) return rectified.status();
    pictures_.rectified = *std::move(rectified);
  }
  absl::StatusOr<std::vector<Artifact>> artifacts = RenderArtifacts(report_, pictures_, deps_.pool);
  if (!artifacts.ok()) return artifacts.status();
  artifacts_ = *std::move(artifacts);
  absl::StatusOr<std::vector<GoldenPicture>> golden = golden_pictures_->Finish();
  if (!golden.ok()) return golden.status();
  pictures_.golden = *std::move(golden);
  for (std::size_t i = 0; i < pictures_.golden.size(); ++i) {
    artifacts_.push_back({GoldenPictureName(i), std::move(pictures_.golden[i].png), "image/png"});
  }
  absl::StatusOr<std::string> page = RenderHtml(report_, pictures_, deps_.pool);
  if (!page.ok()) return page.status();
  artifacts_.push_back(TextArtifact("report.html", *page, "text/html; charset=utf-8"));
  artifacts_.push_back(TextArtifact("report.json", ToJson(report_), "application/json"));
  return absl::OkStatus();
}

absl::Status ScanRun::Upload() {
  if (absl::Status status = Enter(ScanStep::kUploading); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<Publication>> publication =
      deps_.store.Begin(request_.prefix, cancel_);
  if (!publication.ok()) return publication.status();
  const std::size_t pictures = artifacts_.size() - 1;  // and the page: all but the report
  const auto on_stored = [&](std::size_t stored) {
    clock_.Advance(static_cast<double>(stored) / static_cast<double>(pictures),
                   std::ssize(report_.frames), report_.video.frames);
  };
  absl::Status status =
      PutAll(std::span(artifacts_).first(pictures), **publication, cancel_, on_stored);
  if (!status.ok()) return status;
  timing_ = clock_.SoFar(deps_.pool.threads());
  artifacts_.insert(artifacts_.end() - 1,
                    TextArtifact("timing.json", ToJson(timing_), "application/json"));
  for (const Artifact& last : std::span(artifacts_).last(2)) {  // the report stays the last one
    if (status = cancel_.Check(); !status.ok()) return status;
    status = (*publication)->Put(last.name, last.content, last.content_type);
    if (!status.ok()) return status;
  }
  std::vector<StoredObject> stored;
  stored.reserve(artifacts_.size());
  for (const Artifact& artifact : artifacts_) {
    stored.push_back({artifact.name, artifact.content_type, std::ssize(artifact.content)});
  }
  if (deps_.seal) {
    absl::Status sealed = deps_.seal(report_, timing_, stored, **publication);
    if (!sealed.ok()) return sealed;
  }
  return (*publication)->Commit();
}

ScanResult ScanRun::Finish() {
  clock_.Enter(ScanStep::kDone);
  return {.report = std::move(report_), .timing = std::move(timing_)};
}

}  // namespace glint
