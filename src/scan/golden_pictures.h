// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "glint/report.h"
#include "glint/video.h"

namespace glint {

/// The golden frames' pictures for the result, made while the steps that look at the frames go on:
/// those leave threads idle. Colours are made again for it: they take twice the memory of a frame.
class GoldenPictures {
 public:
  /// Begins. @param pool  must outlive this
  /// @param sides  of the item, whose golden frames share one page
  GoldenPictures(std::span<const VideoFrame> frames, ThreadPool& pool, int sides = 1);

  /// The pictures, in the order of the frames. Errors: those of EncodeGoldenPicture
  absl::StatusOr<std::vector<GoldenPicture>> Finish();

 private:
  std::vector<std::shared_ptr<const RawPicture>> sources_;  // null: done
  std::vector<absl::StatusOr<GoldenPicture>> pictures_;
  ThreadPool::Pending encoding_;  // last: ended before what it writes to
};

}  // namespace glint
