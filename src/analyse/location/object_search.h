// SPDX-License-Identifier: Apache-2.0
// Finding the object wherever it is in a clip: held, tilted, moving, small, or beside others.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <span>
#include <vector>

#include "analyse/location/object_search_params.h"
#include "glint/report.h"
#include "glint/thread_pool.h"
#include "glint/video.h"

namespace glint {

/// The object in one frame.
struct ObjectInFrame {
  std::int64_t frame = 0;   ///< VideoFrame::index
  Quadrilateral corners{};  ///< frame pixels; corner i is the same one in every frame
  double coverage = 0;      ///< share of the object inside the frame
  double shows = 0;         ///< how well the frame would serve as the reference; comparable
};

/// Where the object is over the clip, or why there is no saying.
struct ObjectOverClip {
  std::vector<ObjectInFrame> frames;  ///< that show it, in order of time
  std::size_t best = 0;               ///< of those, the one that shows most of it, large and sharp
  double confidence = 0;              ///< 0..1
  bool plain = false;                 ///< it has too little print to be followed by that
  bool widened = false;               ///< sides were moved out over print
  std::optional<NotJudged> not_judged;
};

/// An outline that another way of looking has found in one of the frames.
struct KnownOutline {
  std::int64_t frame = 0;   ///< VideoFrame::index
  Quadrilateral corners{};  ///< frame pixels, clockwise
  double confidence = 0;    ///< 0..1
};

/// Where the search saw the object in one of the frames; null where it did not.
const ObjectInFrame* InFrame(const ObjectOverClip& over, std::int64_t frame);

/// Whether the search found the outline that was known, too, in a frame that shows nearly as much
/// of it as any.
bool Confirms(const ObjectOverClip& over, const KnownOutline& known,
              const ObjectSearchParams& params);

/// Looks for one flat object with four straight sides in frames of the whole clip, in four steps:
/// every frame proposes outlines, made small (ProposeOutlines); the best are followed through the
/// clip by the object's own motion (FollowOutline); those that ride on one motion are compared in
/// all of its frames, and the outermost good one is taken (FindOutermost); the one that looks most
/// like an object wins (ChooseObject).
/// @param frames  in order of time, of one size, with pictures; with or without their luma
/// @param known   one more proposal of its frame; where it was sure and is confirmed, the search is
///                as sure
/// Errors: INVALID_ARGUMENT without frames; INTERNAL
absl::StatusOr<ObjectOverClip> SearchObject(std::span<const VideoFrame> frames,
                                            const std::optional<KnownOutline>& known,
                                            ThreadPool& pool,
                                            const ObjectSearchParams& params = {});

}  // namespace glint
