// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "decode/child/frame_decoder.h"
#include "decode/child/frame_memory.h"
#include "decode/child/libav.h"
#include "decode/child/libav_log.h"
#include "decode/input_file.h"
#include "decode/orientation.h"
#include "glint/video.h"

namespace glint {

/// A decoded frame as the decoder laid it out. Its size is that of the video, its pixel format has
/// a layout (LayoutOf).
struct RawFrame {
  std::int64_t timestamp_us = 0;  ///< as in VideoFrame
  bool full_range = false;
  std::shared_ptr<AVFrame> picture;
};

/// All of VideoSource but the making of luma and colour: which frames there are, and when. It
/// knows no cancellation: its process is killed.
class RawVideo {
 public:
  /// Scans the packets, opens the decoder and decodes the first frame.
  /// @param memory  where pictures go; null: libav's own; must outlive the video and its frames
  /// @param acceleration  who decodes; the CPU where an accelerator cannot, with its reason in
  /// VideoInfo::decoder_why, and in a warning when it could at first
  /// Errors: those of OpenVideo once the file is open.
  static absl::StatusOr<std::unique_ptr<RawVideo>> Open(InputFile input,
                                                        const VideoOptions& options,
                                                        FrameMemory* memory,
                                                        Acceleration acceleration);

  const VideoInfo& info() const { return info_; }
  Orientation orientation() const { return orientation_; }
  const DecodeSummary& summary() const { return summary_; }
  /// As VideoSource::Next.
  absl::StatusOr<std::optional<RawFrame>> Next();

 private:
  RawVideo(InputFile input, const VideoOptions& options)
      : input_(std::move(input)), options_(options) {}
  absl::Status Start(FrameMemory* memory, Acceleration acceleration);
  void TakeOrientation();
  absl::Status ScanFile();
  absl::Status TakeFirstFrame();
  absl::Status NoFrameDecoded() const;
  absl::StatusOr<std::shared_ptr<AVFrame>> NextUsable();
  RawFrame Deliver(std::shared_ptr<AVFrame> frame);
  std::int64_t TimestampOf(const AVFrame& frame);
  void Finish();

  InputFile input_;
  VideoOptions options_;
  LibavLog log_;
  std::unique_ptr<FrameDecoder> decoder_;  // after everything that it refers to
  VideoInfo info_;
  DecodeSummary summary_;
  Orientation orientation_;
  std::shared_ptr<AVFrame> first_;  // decoded, not yet delivered
  std::int64_t first_tick_ = AV_NOPTS_VALUE;
  std::int64_t last_us_ = -1;
  std::int64_t other_size_ = 0;
  std::int64_t other_format_ = 0;
  bool finished_ = false;
};

}  // namespace glint
