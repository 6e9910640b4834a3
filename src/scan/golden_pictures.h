// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <vector>

#include "base/thread_pool.h"
#include "glint/report.h"
#include "glint/video.h"

namespace glint {

/// The golden frames' pictures for the result, made while the steps that look at the frames go on:
/// those leave threads idle, and need the same colours.
class GoldenPictures {
 public:
  /// Begins. Each frame's picture is replaced by one whose colours are made once for everybody who
  /// asks; the decoder's memory is let go with that.
  /// @param pool   must outlive this
  /// @param sides  of the item, whose golden frames share one page
  GoldenPictures(std::vector<VideoFrame>& frames, ThreadPool& pool, int sides = 1);

  /// The pictures, in the order of the frames. Errors: those of EncodeGoldenPicture
  absl::StatusOr<std::vector<GoldenPicture>> Finish();

 private:
  std::vector<absl::StatusOr<GoldenPicture>> pictures_;
  ThreadPool::Pending encoding_;  // last: ended before what it writes to
};

}  // namespace glint
