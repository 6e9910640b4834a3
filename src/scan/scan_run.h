// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <memory>
#include <optional>
#include <vector>

#include "analyse/choose.h"
#include "analyse/detection.h"
#include "analyse/frame_features.h"
#include "analyse/stage_set.h"
#include "glint/scan.h"
#include "report/pictures.h"
#include "scan/golden_pictures.h"
#include "scan/reference_file.h"
#include "scan/step_clock.h"

namespace glint {

/// One scan under way: what its steps hand to each other. The steps are called once each, in the
/// order below; after Select() returned false, Locate, Register and Detect are left out.
class ScanRun {
 public:
  /// All arguments must outlive the run.
  ScanRun(const ScanRequest& request, const ScanDeps& deps, const CancelToken& cancel);

  /// Reads the reference, and brings the input to a local file.
  absl::Status Fetch();
  /// Opens the video, takes a device and makes the stages.
  absl::Status Open();
  /// Decodes and measures every frame; keeps those that may be chosen.
  absl::Status Measure();
  /// Chooses the golden frames. @return whether there are any
  bool Select();
  /// Finds the object in the reference frame, by default the sharpest of the golden ones.
  absl::Status Locate();
  /// Lays the other golden frames onto the reference.
  absl::Status Register();
  /// Rectifies the frames, and finds and measures the damage.
  absl::Status Detect();
  /// Makes every file of the result.
  absl::Status Render();
  /// Stores them, whole or not at all.
  absl::Status Upload();
  /// The result. Ends the run.
  ScanResult Finish();

  /// The device that was taken; null before Open().
  const BackendChoice* device() const { return device_.get(); }

 private:
  absl::Status Enter(ScanStep step);
  absl::Status TakeDevice();
  bool UsesViews() const;
  absl::Status PlaceViews();
  absl::StatusOr<Detection> DetectInGoldenFrames();
  absl::StatusOr<Detection> DetectInViews();
  absl::Status Compare(Detection& found);

  const ScanRequest& request_;
  const ScanDeps& deps_;
  const CancelToken& cancel_;
  StepClock clock_;
  std::optional<ReferenceFile> reference_file_;
  std::unique_ptr<FetchedFile> file_;
  std::unique_ptr<VideoSource> video_;
  std::shared_ptr<const BackendChoice> device_;
  StageSet stages_;
  GoldenChooser chooser_;
  std::optional<ViewChooser> view_chooser_;  // for detectors that look at views
  std::vector<VideoFrame> views_;
  std::optional<ViewStack> view_stack_;            // the registered ones, in object coordinates
  std::vector<VideoFrame> golden_;                 // in the order of report_.golden
  FrameFeatures features_;                         // of golden_
  std::optional<GoldenPictures> golden_pictures_;  // of golden_
  std::size_t reference_ = 0;  // of golden_: the frame that the object's corners lie in
  ScanReport report_;
  ScanPictures pictures_;
  std::vector<Artifact> artifacts_;
  ScanTiming timing_;
};

}  // namespace glint
