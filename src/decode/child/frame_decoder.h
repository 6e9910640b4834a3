// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "decode/child/demuxer.h"
#include "decode/child/frame_memory.h"
#include "decode/child/libav.h"
#include "decode/child/libav_log.h"
#include "decode/child/video_accelerator.h"

namespace glint {

/// Decodes the best video stream of a file to frames, in display order.
///
/// The frames are the same for any number of threads, also of damaged files: what libav makes of
/// damage depends on how its threads meet, so at the first sign of damage the file is decoded again
/// on one thread, up to the frame that was due, and onwards.
///
/// With an accelerator they are the same, too: where it refuses the video, fails, or where there is
/// a sign of damage, the CPU decodes the file again, up to the frame that was due, and onwards.
/// (What a GPU hides is no sign: damage that only its decoder meets is concealed as it sees fit.)
class FrameDecoder {
 public:
  /// Opens the file's packets and the decoder for them. All but `options` must outlive the decoder.
  /// @param memory  where pictures of the CPU's decoder go; null: libav's own
  /// Errors: those of Demuxer::Open; UNSUPPORTED_VIDEO when the codec is not on glint's list;
  /// LIMIT_EXCEEDED when the header declares a size over the limits.
  static absl::StatusOr<std::unique_ptr<FrameDecoder>> Open(const InputFile& input,
                                                            const VideoOptions& options,
                                                            LibavLog& log, FrameMemory* memory,
                                                            Acceleration acceleration);

  const AVStream& stream() const { return demuxer_->stream(); }

  /// What decodes, "cpu" or an accelerator's name, and why. Only ever changes to "cpu".
  std::string_view decoder() const { return accelerator_ ? accelerator_->name() : "cpu"; }
  const std::string& why() const { return why_; }
  /// The pixel format that the CPU's decoder gives a frame of Next().
  AVPixelFormat StreamFormat(const AVFrame& frame) const;

  /// The next frame that the decoder gives without complaint; null at the end. Errors: those of
  /// Open.
  absl::StatusOr<std::shared_ptr<AVFrame>> Next();

  /// Packets and frames that were left out because they were incomplete, or because the decoder
  /// refused or marked them.
  std::int64_t damaged() const { return damaged_; }

 private:
  FrameDecoder(const InputFile& input, const VideoOptions& options, LibavLog& log,
               FrameMemory* memory, Acceleration acceleration)
      : input_(input),
        options_(options),
        log_(log),
        hooks_{&log, memory},
        accelerator_(std::move(acceleration.accelerator)),
        why_(std::move(acceleration.why)) {}
  absl::Status Start(int threads);
  absl::StatusOr<const AVCodec*> ChooseCodec(const AVStream& stream);
  /// @return 0, or one of libav's error codes
  int OpenCodec(const AVStream& stream, const AVCodec& decoder, int threads, CodecPtr& codec);
  absl::Status StartOver(int threads);
  void Decelerate(std::string_view why);
  std::string WhyNotAccelerated(const AVStream& stream) const;
  std::string TakeFromAccelerator(std::shared_ptr<AVFrame>& frame);
  bool SawDamage() const;
  std::shared_ptr<AVFrame> Receive();
  void Feed();

  const InputFile& input_;
  const VideoOptions options_;
  LibavLog& log_;
  CodecHooks hooks_;
  std::shared_ptr<VideoAccelerator> accelerator_;  // null: the CPU decodes
  std::string why_;
  std::unique_ptr<Demuxer> demuxer_;
  CodecPtr codec_;
  PacketPtr packet_ = NewPacket();
  int threads_ = 1;
  bool draining_ = false;
  bool incomplete_packet_ = false;  // the demuxer marked one
  int refusals_while_draining_ = 0;
  std::int64_t errors_before_ = 0;  // what the log had counted when the decoder started
  std::int64_t given_ = 0;          // frames
  std::int64_t damaged_ = 0;
};

/// Refuses a picture size over or under the limits with LIMIT_EXCEEDED.
absl::Status CheckSize(const InputFile& input, Size size, const VideoLimits& limits);

}  // namespace glint
