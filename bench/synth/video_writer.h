// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <filesystem>
#include <memory>
#include <string>

#include "glint/plane.h"

namespace glint {

/// One picture as video stores it: 8 bit, limited range, colour at half the width and height.
struct Yuv420Picture {
  Plane y;  ///< kU8, the size of the video
  Plane u;  ///< kU8, half of it
  Plane v;  ///< kU8, half of it
};

struct VideoWriterOptions {
  Size size;         ///< as stored; even sides
  int rotation = 0;  ///< degrees clockwise that display adds: 0, 90, 180 or 270
  int frames_per_s = 30;
  double quality = 20;  ///< constant rate factor, 0..51
  double megabits = 0;  ///< Mbit/s on average instead of that; 0: by quality
};

/// Writes an MP4 file: BT.709, limited range, constant frame rate, rotation as display matrix.
/// Encoders, the first that this FFmpeg has: libx264, libopenh264 (H.264), mpeg4 (MPEG-4 part 2).
/// With libx264 the file's bytes depend on the options, the pictures and x264's version only (its
/// number of threads is fixed). Serves one thread.
class VideoWriter {
 public:
  /// Errors: UNSUPPORTED_VIDEO no such encoder; OUTPUT_UNWRITABLE; DISK_FULL; INTERNAL
  static absl::StatusOr<std::unique_ptr<VideoWriter>> Open(const std::filesystem::path& path,
                                                           const VideoWriterOptions& options);
  virtual ~VideoWriter() = default;

  /// Adds a picture of the video's size; its planes may be reused afterwards.
  virtual absl::Status Write(const Yuv420Picture& picture) = 0;
  /// Writes what is left and closes the file. Without it the file is unusable.
  virtual absl::Status Finish() = 0;
  /// The encoder in use, e.g. "libx264".
  virtual std::string encoder() const = 0;
};

}  // namespace glint
