// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analyse/advice.h"
#include "analyse/frame_selection.h"
#include "analyse/item_types.h"
#include "analyse/leave_unjudged.h"
#include "analyse/locate.h"
#include "analyse/location/object_search.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/quadrilateral.h"
#include "analyse/register.h"
#include "analyse/sheet_alignment.h"
#include "analyse/track.h"
#include "analyse/view_stack.h"
#include "base/freed_memory.h"
#include "base/status_macros.h"
#include "scan/steps/scan_steps.h"

namespace glint {
namespace {

/// Registers the golden frames, and says in the report how that went.
/// @param features  of `golden`
absl::Status RegisterGolden(const ScanContext& scan, StageSet& stages,
                            std::span<const VideoFrame> golden, const FrameFeatures& features,
                            ScanReport& report) {
  GLINT_ASSIGN_OR_RETURN(const std::vector<RegisteredView> views,
                         RegisterViews(golden, features, *report.object, stages, scan.deps.pool,
                                       scan.params.registration));
  for (std::size_t i = 0; i < views.size(); ++i) {
    GoldenFrame& frame = report.golden[i];
    frame.registered = views[i].registered;
    frame.residual_px = views[i].residual_px;
    frame.coverage = views[i].coverage;
    frame.frame_from_object = views[i].frame_from_object;
    frame.why_dropped = views[i].why_dropped;
    if (!frame.registered) {
      report.warnings.push_back(
          fmt::format("frame {} was left out: {}", frame.measure.index, frame.why_dropped));
    }
  }
  return absl::OkStatus();
}

/// The registered golden frames, the reference first.
std::vector<RegisteredFrame> RegisteredOf(std::vector<VideoFrame> golden, std::size_t reference,
                                          const ScanReport& report) {
  std::vector<RegisteredFrame> registered = {
      {std::move(golden[reference]), report.golden[reference].frame_from_object}};
  for (std::size_t i = 0; i < golden.size(); ++i) {
    if (i == reference || !report.golden[i].registered) continue;
    registered.push_back({std::move(golden[i]), report.golden[i].frame_from_object});
  }
  return registered;
}

/// Registers the views with the reference frame and resamples them into the builder, which keeps
/// their pictures alone.
absl::Status StackFrames(const ScanContext& scan, StageSet& stages,
                         const std::vector<VideoFrame> views, const VideoFrame& reference,
                         const KnownMotion& motion, const ScanReport& report,
                         ViewStackBuilder& builder) {
  std::size_t done = 0;
  const auto take = [&](std::size_t index, const VideoFrame& frame, const RegisteredView& view) {
    scan.clock.Advance(static_cast<double>(++done) / static_cast<double>(views.size()),
                       std::ssize(report.frames), report.video.frames);
    return view.registered ? builder.Add(index, frame, view.frame_from_object) : absl::OkStatus();
  };
  return TrackViews(views, reference, *report.object, stages, scan.deps.pool, scan.cancel, take,
                    scan.params.tracking, motion);
}

/// Of a frame of the clip.
std::int64_t TimestampOf(std::int64_t frame, const ScanReport& report) {
  return std::ranges::find(report.frames, frame, &FrameMeasure::index)->timestamp_us;
}

/// Leaves the scan unjudged where nothing can be compared over the views: fewer than two could be
/// registered, or they do not fit onto each other.
void CheckRegistration(std::int64_t reference, const std::vector<ViewMisfit>& misfits,
                       const SheetParams& params, ScanReport& report) {
  if (const auto worst = PoorFit(misfits, params)) {
    LeaveUnjudged({.cause = NotJudgedCause::kPoorRegistration,
                   .timestamp_us = TimestampOf(worst->frame, report)},
                  report);
  } else if (report.views_used < 2) {
    const bool few = report.views_chosen < 2;
    LeaveUnjudged({.cause = few ? NotJudgedCause::kFewViews : NotJudgedCause::kPoorRegistration,
                   .timestamp_us = TimestampOf(reference, report)},
                  report);
  }
}

/// The views in object coordinates; where none can be registered, the reference frame alone.
absl::StatusOr<ViewStack> StackViews(const ScanContext& scan, StageSet& stages,
                                     std::vector<VideoFrame> views,
                                     const RegisteredFrame& reference, const KnownMotion& motion,
                                     ScanReport& report) {
  report.views_chosen = std::ssize(views);
  ViewStackBuilder builder(report.object->size, views.size(), stages, scan.deps.pool,
                           scan.params.registration);
  GLINT_RETURN_IF_ERROR(
      StackFrames(scan, stages, std::move(views), reference.frame, motion, report, builder));
  report.views_used = static_cast<std::int64_t>(builder.size());
  if (builder.size() == 0) {
    GLINT_RETURN_IF_ERROR(builder.Add(0, reference.frame, reference.frame_from_object));
  }
  GLINT_ASSIGN_OR_RETURN(ViewStack stack,
                         builder.Finish(scan.params.photometric.outline.printed_gaps.coherence));
  GLINT_ASSIGN_OR_RETURN(
      const std::vector<ViewMisfit> misfits,
      FlattenViews(stack, stages, scan.deps.pool, scan.cancel, scan.params.sheet));
  CheckRegistration(reference.frame.index, misfits, scan.params.sheet, report);
  return stack;
}

/// Golden frames and views in order of time, each once: every golden one, the others spread evenly.
std::vector<VideoFrame> FramesToSearch(const Located& located, std::size_t count) {
  std::vector<VideoFrame> frames = located.golden;
  std::vector<VideoFrame> others;
  for (const VideoFrame& view : located.views) {
    if (std::ranges::find(frames, view.index, &VideoFrame::index) == frames.end()) {
      others.push_back(view);
    }
  }
  const std::size_t more = std::min(others.size(), count - std::min(count, frames.size()));
  for (std::size_t i = 0; i < more; ++i) frames.push_back(others[i * others.size() / more]);
  std::ranges::sort(frames, {}, &VideoFrame::index);
  return frames;
}

/// The outline of an object's edges: its corners lie half an object pixel inside of it.
Quadrilateral EdgesOf(const LocatedObject& object) {
  const Homography from_object = FrameFromObject(object.corners, object.size);
  const double right = object.size.width - 0.5;
  const double bottom = object.size.height - 0.5;
  return Map(from_object,
             Quadrilateral{{{-0.5, -0.5}, {right, -0.5}, {right, bottom}, {-0.5, bottom}}});
}

/// Whether what the search found lies on an object that the golden frames are sure of.
bool IsPanelOf(const LocatedObject& object, const ObjectOverClip& over,
               const ObjectSearchParams& params) {
  const ObjectInFrame* seen = InFrame(over, object.reference_frame);
  if (object.method != kFoundByOutline || seen == nullptr) return false;
  Quadrilateral around = EdgesOf(object);
  const Point middle = (around[0] + around[1] + around[2] + around[3]) * 0.25;
  for (Point& corner : around) corner = corner + (corner - middle) * params.panel_slack;
  return object.confidence >= params.sure_confidence &&
         std::ranges::all_of(seen->corners, [&](Point p) { return Contains(around, p); });
}

/// The place of the reference among the golden frames: the one that shows the object best, unless
/// another frame shows clearly more of it, which then joins them.
std::size_t ChooseReference(const ObjectOverClip& over, std::span<const VideoFrame> searched,
                            const ObjectSearchParams& params, Located& located) {
  const ObjectInFrame& best = over.frames[over.best];
  std::optional<std::size_t> chosen;
  double most = 0;
  for (std::size_t i = 0; i < located.golden.size(); ++i) {
    const ObjectInFrame* seen = InFrame(over, located.golden[i].index);
    if (seen == nullptr || seen->coverage < params.min_of_best_coverage * best.coverage) continue;
    if (seen->shows <= most) continue;
    most = seen->shows;
    chosen = i;
  }
  if (chosen) return *chosen;
  VideoFrame frame = *std::ranges::find(searched, best.frame, &VideoFrame::index);
  RestoreLuma(frame);
  const auto measure = std::ranges::find(located.report.frames, best.frame, &FrameMeasure::index);
  located.report.golden.push_back({.measure = *measure});
  located.golden.push_back(std::move(frame));
  return located.golden.size() - 1;
}

/// Fits the object that the search found in the golden frames, the reference first.
absl::Status TakeFound(const ScanContext& scan, StageSet& stages, const ObjectOverClip& over,
                       std::span<const VideoFrame> searched, Located& located) {
  const LocationParams& params = scan.params.location;
  const std::size_t golden = located.golden.size();
  located.reference = ChooseReference(over, searched, params.search, located);
  if (located.golden.size() != golden) {
    GLINT_ASSIGN_OR_RETURN(located.features,
                           FeaturesOf(located.golden, stages, scan.deps.pool, params.features));
  }
  std::vector<VideoFrame> frames = located.golden;
  std::vector<Features> features = *located.features;
  std::swap(frames.front(), frames[located.reference]);
  std::swap(features.front(), features[located.reference]);
  const ObjectInFrame& seen = *InFrame(over, frames.front().index);
  GLINT_ASSIGN_OR_RETURN(
      located.report.object,
      LocateAt(frames, std::make_shared<const std::vector<Features>>(std::move(features)),
               seen.corners, over.confidence, scan.deps.pool, params));
  return absl::OkStatus();
}

/// Where the search saw the object, its corners in the order of the located one's.
KnownMotion MotionOf(const ObjectOverClip& over, const LocatedObject& object) {
  KnownMotion motion{.plain = over.plain};
  const ObjectInFrame* reference = InFrame(over, object.reference_frame);
  if (reference == nullptr) return motion;
  const Quadrilateral turned = TurnedTowards(reference->corners, object.corners);
  std::size_t first = 0;
  while (first < 3 && Distance(reference->corners[first], turned[0]) > 0) ++first;
  for (const ObjectInFrame& seen : over.frames) {
    Quadrilateral corners = seen.corners;
    std::rotate(corners.begin(), corners.begin() + static_cast<std::ptrdiff_t>(first),
                corners.end());
    motion.outlines.push_back({seen.frame, corners});
  }
  return motion;
}

/// Looks for the object over the whole clip: what the golden frames agree on stays where that
/// confirms it.
absl::Status SearchClip(const ScanContext& scan, StageSet& stages, Located& located) {
  const ObjectSearchParams& params = scan.params.location.search;
  const LocatedObject& object = *located.report.object;
  const std::vector<VideoFrame> searched = FramesToSearch(located, params.max_frames);
  std::optional<KnownOutline> known;
  if (object.method == kFoundByOutline) {
    known = {object.reference_frame, EdgesOf(object), object.confidence};
  }
  GLINT_ASSIGN_OR_RETURN(const ObjectOverClip over,
                         SearchObject(searched, known, scan.deps.pool, params));
  const bool confirmed = known && Confirms(over, *known, params);
  const bool is_panel = !confirmed && IsPanelOf(object, over, params);
  if (over.not_judged) {
    // That a printed panel is no object says nothing of the object that it is printed on.
    if (is_panel && over.not_judged->cause == NotJudgedCause::kNoObject) return absl::OkStatus();
    located.report.object.reset();
    LeaveUnjudged(*over.not_judged, located.report);
    return absl::OkStatus();
  }
  if (is_panel) return absl::OkStatus();
  const double golden = object.confidence;
  if (!confirmed || over.widened) {  // the golden frames know of no print beyond
    GLINT_RETURN_IF_ERROR(TakeFound(scan, stages, over, searched, located));
  }
  if (confirmed) {  // two ways that agree are as sure as the surer one
    located.report.object->confidence = std::max(golden, over.confidence);
  }
  located.motion = MotionOf(over, *located.report.object);
  if (over.plain) located.report.advice.push_back(PlainObjectAdvice());
  return absl::OkStatus();
}

/// Turns the object, and its way through the clip, so that its own top is the top.
void TurnUp(PictureSide up, Located& located) {
  LocatedObject& object = *located.report.object;
  object.up = up;
  object.corners = FromOwnTop(object.corners, up);
  if (up == PictureSide::kRight || up == PictureSide::kLeft) {
    std::swap(object.size.width, object.size.height);
  }
  for (ViewOutline& outline : located.motion.outlines) {
    outline.corners = FromOwnTop(outline.corners, up);
  }
}

/// Whether the object is to have an outline: a surface may fill the picture.
bool NeedsOutline(const ScanContext& scan) {
  const auto type = FindItemType(scan.request.item_type);
  return !type.ok() || (*type)->printed;
}

}  // namespace

absl::StatusOr<Located> LocateObject(const ScanContext& scan, StageSet& stages, Selected selected) {
  GLINT_RETURN_IF_ERROR(scan.Enter(ScanStep::kLocating));
  Located located{.golden = std::move(selected.golden),
                  .features = nullptr,
                  .views = std::move(selected.views),
                  .report = std::move(selected.report)};
  const std::vector<VideoFrame>& golden = located.golden;
  GLINT_ASSIGN_OR_RETURN(located.features,
                         FeaturesOf(golden, stages, scan.deps.pool, scan.params.location.features));
  GLINT_ASSIGN_OR_RETURN(located.report.object, Locate(golden, located.features, stages,
                                                       scan.deps.pool, scan.params.location));
  const auto reference =
      std::ranges::find(golden, located.report.object->reference_frame, &VideoFrame::index);
  located.reference = static_cast<std::size_t>(reference - golden.begin());
  if (scan.UsesViews() && NeedsOutline(scan)) {
    GLINT_RETURN_IF_ERROR(SearchClip(scan, stages, located));
  }
  if (located.report.object) TurnUp(scan.request.up, located);
  return located;
}

absl::StatusOr<Registered> RegisterFrames(const ScanContext& scan, StageSet& stages,
                                          Located located) {
  GLINT_RETURN_IF_ERROR(scan.Enter(ScanStep::kRegistering));
  Registered registered{.report = std::move(located.report)};
  GLINT_RETURN_IF_ERROR(
      RegisterGolden(scan, stages, located.golden, located.features, registered.report));
  located.features = {};
  GLINT_RETURN_IF_ERROR(stages.Renew());
  ReturnFreedMemory();  // the search for the object has freed as much as the views will need
  registered.golden = RegisteredOf(std::move(located.golden), located.reference, registered.report);
  if (scan.UsesViews()) {
    registered.golden.resize(1);  // only the reference is looked at again
    GLINT_ASSIGN_OR_RETURN(
        registered.views, StackViews(scan, stages, std::move(located.views),
                                     registered.golden.front(), located.motion, registered.report));
  }
  return registered;
}

}  // namespace glint
