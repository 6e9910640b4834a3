// SPDX-License-Identifier: Apache-2.0
// The steps of one scan. Each takes what the steps before it gave and gives what the later ones
// need; what it does not pass on is free when it ends: the decoder after measuring, features and
// the views' frames after registering, the stack of views after detecting. run_scan.cc puts them
// together.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <vector>

#include "analyse/analysis_params.h"
#include "analyse/detection.h"
#include "analyse/frame_features.h"
#include "analyse/frame_selection.h"
#include "analyse/stage_names.h"
#include "analyse/stage_set.h"
#include "analyse/track.h"
#include "glint/object_side.h"
#include "glint/scan.h"
#include "report/pictures.h"
#include "scan/golden_pictures.h"
#include "scan/reference_file.h"
#include "scan/step_clock.h"

namespace glint {

/// What all steps of a scan share. Everything must outlive the scan.
struct ScanContext {
  const ScanRequest& request;
  const ScanDeps& deps;
  const AnalysisParams& params;
  const CancelToken& cancel;
  StepClock& clock;
  ObjectSide side = ObjectSide::kFront;  ///< that the request's input shows
  int sides = 1;                         ///< of the item, that were filmed

  /// The scan is in `step` from now on. Errors: CANCELLED, DEADLINE_EXCEEDED
  absl::Status Enter(ScanStep step) const {
    clock.Enter(step);
    return cancel.Check();
  }
  /// Whether the detector looks at many views instead of the golden frames.
  bool UsesViews() const { return request.profile == kProfilePhotometric; }
};

/// What a scan reads.
struct Fetched {
  std::unique_ptr<FetchedFile> file;       ///< the video; a download goes with it
  std::optional<ReferenceFile> good_copy;  ///< to compare the object with
};

/// Reads the reference, and brings the input to a local file.
/// Errors: those of ReadReference and of the fetcher
absl::StatusOr<Fetched> FetchInput(const ScanContext& scan);

/// An open video. The reports of the steps hold what is known so far.
struct Opened {
  std::unique_ptr<VideoSource> video;
  ScanReport report;
};

/// Opens the video. Errors: those of ScanDeps::open_video
absl::StatusOr<Opened> OpenInput(const ScanContext& scan, const FetchedFile& file);

/// The frames of the clip that may still be chosen.
struct Measured {
  GoldenFrameSelector golden;
  std::optional<ViewSelector> views;  ///< for detectors that look at views
  ScanReport report;
};

/// Decodes and measures every frame; keeps those that may be chosen. Errors: as MeasureFrames
absl::StatusOr<Measured> MeasureVideo(const ScanContext& scan, StageSet& stages, Opened opened);

/// The chosen frames.
struct Selected {
  std::vector<VideoFrame> golden;  ///< in the order of report.golden; none: the clip is unusable
  std::vector<VideoFrame> views;   ///< in display order; for detectors that look at views
  ScanReport report;
};

/// Chooses the golden frames and views. Without golden frames the report says so, with advice.
/// Errors: CANCELLED, DEADLINE_EXCEEDED
absl::StatusOr<Selected> SelectFrames(const ScanContext& scan, Measured measured);

/// The chosen frames, and the object in one of them (report.object).
struct Located {
  std::vector<VideoFrame> golden;
  std::size_t reference = 0;  ///< the golden frame that the object's corners lie in
  FrameFeatures features;     ///< of `golden`
  KnownMotion motion;         ///< of the object, for detectors that look at views
  std::vector<VideoFrame> views;
  ScanReport report;
};

/// Finds the object in the reference frame, by default the sharpest of the golden ones. For
/// detectors that look at views it is searched over the whole clip, too; where the golden frames
/// show less of it than another frame, that one joins them as the reference, and where there is no
/// saying what the object is, the report is left unjudged.
/// @param selected  with golden frames
/// Errors: those of FeaturesOf, Locate, SearchObject and LocateAt
absl::StatusOr<Located> LocateObject(const ScanContext& scan, StageSet& stages, Selected selected);

/// Frames and views in the object's coordinates.
struct Registered {
  std::vector<RegisteredFrame> golden;  ///< those that could be registered, the reference first
  std::optional<ViewStack> views;       ///< for detectors that look at views
  ScanReport report;
};

/// Registers the golden frames and views with the reference frame. Those that cannot be are left
/// out; of golden ones the report says why.
/// Errors: those of RegisterViews, TrackViews and ViewStackBuilder
absl::StatusOr<Registered> RegisterFrames(const ScanContext& scan, StageSet& stages,
                                          Located located);

/// What was found.
struct Detected {
  std::optional<RegisteredFrame> reference;  ///< nothing: nothing was judged
  ScanPictures pictures;                     ///< without those of frames
  ScanReport report;
  std::optional<Assessment> assessment;
};

/// Finds and measures the damage. @param good_copy  to compare the object with
/// Errors: those of the detector, of CompareWithCopy and of CutCloseUps
absl::StatusOr<Detected> DetectDamage(const ScanContext& scan, StageSet& stages,
                                      Registered registered,
                                      std::optional<ReferenceFile> good_copy);

/// One side with its files, but for reports and page.
struct Pictured {
  std::vector<Artifact> artifacts;
  ScanPictures pictures;
  ScanReport report;
  std::optional<Assessment> assessment;
};

/// Makes the pictures, and the exports. @param golden_pictures  finished here
/// Errors: those of the encoders and of the stages
absl::StatusOr<Pictured> RenderPictures(const ScanContext& scan, StageSet& stages,
                                        Detected detected, GoldenPictures& golden_pictures);

/// Every file of the result but timing.json; report.json last, report.html before it. Those of the
/// back lie in a folder of their own, with a report.json.
struct Rendered {
  std::vector<Artifact> artifacts;
  ScanReport report;
  std::optional<Assessment> assessment;
  std::optional<BackResult> back;
};

/// Writes reports and page. @param back  nothing: one side was filmed
/// Errors: those of the encoders
absl::StatusOr<Rendered> RenderReport(const ScanContext& scan, Pictured front,
                                      std::optional<Pictured> back = std::nullopt);

/// Stores the files and timing.json, whole or not at all.
/// Errors: those of the store and of ScanDeps::before_commit
absl::StatusOr<ScanResult> UploadResult(const ScanContext& scan, Rendered rendered);

}  // namespace glint
