// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analyse/locate.h"
#include "analyse/register.h"
#include "analyse/track.h"
#include "analyse/view_stack.h"
#include "base/status_macros.h"
#include "scan/steps/scan_steps.h"

namespace glint {
namespace {

/// Registers the golden frames, and says in the report how that went.
/// @param features  of `golden`; not needed any more afterwards
absl::Status RegisterGolden(const ScanContext& scan, StageSet& stages,
                            std::span<const VideoFrame> golden, const FrameFeatures features,
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
                         const ScanReport& report, ViewStackBuilder& builder) {
  std::size_t done = 0;
  const auto take = [&](std::size_t index, const VideoFrame& frame, const RegisteredView& view) {
    scan.clock.Advance(static_cast<double>(++done) / static_cast<double>(views.size()),
                       std::ssize(report.frames), report.video.frames);
    return view.registered ? builder.Add(index, frame, view.frame_from_object) : absl::OkStatus();
  };
  return TrackViews(views, reference, *report.object, stages, scan.deps.pool, scan.cancel, take,
                    scan.params.tracking);
}

/// The views in object coordinates; where none can be registered, the reference frame alone.
absl::StatusOr<ViewStack> StackViews(const ScanContext& scan, StageSet& stages,
                                     std::vector<VideoFrame> views,
                                     const RegisteredFrame& reference, ScanReport& report) {
  report.views_chosen = std::ssize(views);
  ViewStackBuilder builder(report.object->size, views.size(), stages, scan.deps.pool,
                           scan.params.registration);
  GLINT_RETURN_IF_ERROR(
      StackFrames(scan, stages, std::move(views), reference.frame, report, builder));
  report.views_used = static_cast<std::int64_t>(builder.size());
  if (builder.size() == 0) {
    GLINT_RETURN_IF_ERROR(builder.Add(0, reference.frame, reference.frame_from_object));
  }
  return builder.Finish();
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
  return located;
}

absl::StatusOr<Registered> RegisterFrames(const ScanContext& scan, StageSet& stages,
                                          Located located) {
  GLINT_RETURN_IF_ERROR(scan.Enter(ScanStep::kRegistering));
  Registered registered{.report = std::move(located.report)};
  GLINT_RETURN_IF_ERROR(
      RegisterGolden(scan, stages, located.golden, std::move(located.features), registered.report));
  GLINT_RETURN_IF_ERROR(stages.Renew());
  registered.golden = RegisteredOf(std::move(located.golden), located.reference, registered.report);
  if (scan.UsesViews()) {
    GLINT_ASSIGN_OR_RETURN(registered.views,
                           StackViews(scan, stages, std::move(located.views),
                                      registered.golden.front(), registered.report));
  }
  return registered;
}

}  // namespace glint
