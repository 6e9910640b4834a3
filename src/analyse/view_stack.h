// SPDX-License-Identifier: Apache-2.0
// Views of one object, resampled to its coordinates, for the `photometric` detector.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <vector>

#include "analyse/photometric/detect.h"
#include "analyse/register.h"
#include "analyse/stage_set.h"
#include "base/thread_pool.h"
#include "glint/stored_plane.h"
#include "glint/video.h"

namespace glint {

/// Makes a ViewStack from frames, one at a time, so that a frame need not be kept for it.
class ViewStackBuilder {
 public:
  /// @param object  its size, both sides >= photometric::kThumbnailStep
  /// @param frames  how many will be offered: some of them give the median colour
  ViewStackBuilder(Size object, std::size_t frames, StageSet& stages, ThreadPool& pool,
                   const RegistrationParams& params = {});

  /// Adds a frame. @param index  its place in time among those offered, each once, in any order
  /// Errors: those of the stages
  absl::Status Add(std::size_t index, const VideoFrame& frame, const Homography& frame_from_object);

  std::size_t size() const { return views_.size(); }

  /// The views in order of time. Ends the use of the builder.
  /// Errors: those of photometric::MedianColour
  absl::StatusOr<ViewStack> Finish(const photometric::ViewCoherenceParams& params = {});

 private:
  struct View {
    Plane grey, valid;   // on the device
    Plane thumbnail;     // on the host
    StoredPlane colour;  // with surroundings; not of every view
    ViewSource source;
  };

  absl::Status AddColours(const VideoFrame& frame, const Homography& frame_from_object, bool large,
                          View& view);
  absl::StatusOr<Plane> SeenIn(Size frame, const Homography& frame_from_object);

  Size object_;
  RectificationParams rectification_;
  std::size_t colour_step_;
  StageSet& stages_;
  ThreadPool& pool_;
  Plane all_seen_;  // what all views share that show the whole object
  std::map<std::size_t, View> views_;
};

}  // namespace glint
