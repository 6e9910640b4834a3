// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "glint/cancel.h"
#include "glint/plane.h"

namespace glint {

/// What a video may be at most. Checked on what the header declares and on what arrives.
struct VideoLimits {
  std::int64_t max_pixels = 8192LL * 4320;  ///< width * height of a frame
  int max_side = 16'384;                    ///< pixels; no phone films strips
  int min_side = 16;                        ///< pixels; smaller frames hold nothing to measure
  std::int64_t max_frames = 36'000;         ///< 20 minutes at 30 frames/s
  double max_duration_s = 1'200;            ///< seconds
  int max_streams = 32;                     ///< streams in the container
  std::int64_t max_bytes = 4LL << 30;       ///< size of the file
};

/// What is known of a video before its frames are decoded (by its header and a pass over its
/// packets).
struct VideoInfo {
  std::string container;     ///< short name, e.g. "mov,mp4,m4a,3gp,3g2,mj2"
  std::string codec;         ///< e.g. "h264"
  std::string pixel_format;  ///< e.g. "yuv420p10le"
  Size coded_size;           ///< as stored
  Size size;                 ///< as displayed: rotation applied
  int rotation = 0;          ///< degrees clockwise that display adds: 0, 90, 180, 270
  std::int64_t frames = 0;   ///< frames that the container's packets announce
  double duration_s = 0;     ///< seconds
  double frames_per_s = 0;   ///< mean rate; 0 when unknown
  int bit_depth = 8;
  bool full_range = false;
  std::string decoder = "cpu";  ///< what decoded the first frame: "cpu", "nvdec"
  std::string decoder_why;      ///< one sentence without a full stop
  std::string sandbox = "off";  ///< "whole", "off", or "without " what this system refuses
};

/// One picture in the decoder's own memory and layout; gives luma and colour when asked.
class RawPicture {
 public:
  virtual ~RawPicture() = default;
  /// The picture as displayed (rotation applied), kU8x3 on the host, by the matrix and range that
  /// the stream declares (BT.601 for small, BT.709 for large pictures where it declares none), with
  /// integer arithmetic that gives the same bytes on every machine.
  virtual Plane ToRgb() const = 0;
  /// The luma of the frame that the picture came with (VideoFrame::luma), the same bytes again:
  /// what keeps many frames can keep them without it.
  virtual Plane ToLuma() const = 0;
};

/// One decoded frame.
struct VideoFrame {
  std::int64_t index = 0;         ///< position in display order, from 0
  std::int64_t timestamp_us = 0;  ///< presentation time from the first frame, microseconds
  Plane luma;                     ///< kU8, full range, as displayed
  std::shared_ptr<const RawPicture> picture;
};

/// What went wrong while decoding without making the video useless.
struct DecodeSummary {
  std::int64_t frames = 0;   ///< frames delivered
  std::int64_t damaged = 0;  ///< packets or frames that the decoder refused or marked corrupt
  bool truncated = false;    ///< the data end before what the container announces
  std::vector<std::string> warnings;  ///< one sentence each, for the report
};

/// The frames of one video, in display order, each once. Serves one thread.
class VideoSource {
 public:
  virtual ~VideoSource() = default;
  virtual const VideoInfo& info() const = 0;

  /// The next frame; nothing at the end. Frames that cannot be decoded are left out and counted.
  /// Errors: CORRUPT_VIDEO when no frame decodes; LIMIT_EXCEEDED when what arrives is over a limit;
  /// CANCELLED and DEADLINE_EXCEEDED by the token given at opening.
  virtual absl::StatusOr<std::optional<VideoFrame>> Next() = 0;

  /// What happened so far; complete after Next() returned nothing.
  virtual const DecodeSummary& summary() const = 0;
};

/// What decodes a video. Its frames are the same.
enum class DecodeMode {
  kAuto,   ///< what is known to be faster: until something measures that, the CPU
  kCpu,    ///< the CPU
  kNvdec,  ///< an NVIDIA GPU's video decoder; the CPU where that cannot, with the reason
};

/// How a video is opened.
struct VideoOptions {
  VideoLimits limits;
  DecodeMode decode = DecodeMode::kAuto;
  int threads = 0;  ///< decoding threads; 0 is one per core
  /// Degrees clockwise, 0, 90, 180 or 270, by which pictures are turned for display, instead of
  /// what the file says (and of any mirroring that it asks for).
  std::optional<int> rotation;
};

/// Opens a local file: MakeVideoOpener({}), for one video. Only containers and codecs on glint's
/// lists are opened, only the file itself is read (no playlist, no reference to another file, no
/// network), and the best video stream is taken. Errors: INPUT_NOT_FOUND, INPUT_UNREADABLE,
/// NOT_A_VIDEO, UNSUPPORTED_VIDEO, CORRUPT_VIDEO, LIMIT_EXCEEDED, CANCELLED, each naming the file
/// and what to do; DECODER_DIED when the decoder's process crashes, hangs, lies or is killed;
/// DEVICE_UNAVAILABLE when there is none.
absl::StatusOr<std::unique_ptr<VideoSource>> OpenVideo(const std::filesystem::path& file,
                                                       const VideoOptions& options,
                                                       const CancelToken& cancel);

}  // namespace glint
