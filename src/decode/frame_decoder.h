// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "decode/demuxer.h"
#include "decode/frame_memory.h"
#include "decode/libav.h"
#include "decode/libav_log.h"
#include "glint/cancel.h"

namespace glint {

/// Decodes the best video stream of a file to frames, in display order.
///
/// The frames are the same for any number of threads, also of damaged files: what libav makes of
/// damage depends on how its threads meet, so at the first sign of damage the file is decoded again
/// on one thread, up to the frame that was due, and onwards.
class FrameDecoder {
 public:
  /// Opens the file's packets and the decoder for them. All but `options` must outlive the decoder.
  /// @param memory  where pictures go; null: libav's own
  /// Errors: those of Demuxer::Open; UNSUPPORTED_VIDEO when the codec is not on glint's list;
  /// LIMIT_EXCEEDED when the header declares a size over the limits.
  static absl::StatusOr<std::unique_ptr<FrameDecoder>> Open(const InputFile& input,
                                                            const VideoOptions& options,
                                                            const CancelToken& cancel,
                                                            LibavLog& log, FrameMemory* memory);

  const AVStream& stream() const { return demuxer_->stream(); }

  /// The next frame that the decoder gives without complaint; null at the end, and when the token
  /// is cancelled. Errors: those of Open.
  absl::StatusOr<std::shared_ptr<AVFrame>> Next();

  /// Packets and frames that were left out because they were incomplete, or because the decoder
  /// refused or marked them.
  std::int64_t damaged() const { return damaged_; }

 private:
  FrameDecoder(const InputFile& input, const VideoOptions& options, const CancelToken& cancel,
               LibavLog& log, FrameMemory* memory)
      : input_(input), options_(options), cancel_(cancel), log_(log), hooks_{&log, memory} {}
  absl::Status Start(int threads);
  absl::Status StartOver();
  bool SawDamage() const;
  std::shared_ptr<AVFrame> Receive();
  void Feed();

  const InputFile& input_;
  const VideoOptions options_;
  const CancelToken& cancel_;
  LibavLog& log_;
  CodecHooks hooks_;
  std::unique_ptr<Demuxer> demuxer_;
  CodecPtr codec_;
  PacketPtr packet_ = NewPacket();
  int threads_ = 1;
  bool draining_ = false;
  int refusals_while_draining_ = 0;
  std::int64_t errors_before_ = 0;  // what the log had counted when the decoder started
  std::int64_t given_ = 0;          // frames
  std::int64_t damaged_ = 0;
};

/// Refuses a picture size over or under the limits with LIMIT_EXCEEDED.
absl::Status CheckSize(const InputFile& input, Size size, const VideoLimits& limits);

}  // namespace glint
