// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "decode/demuxer.h"
#include "decode/libav.h"
#include "decode/libav_log.h"
#include "glint/cancel.h"

namespace glint {

/// Decodes a demuxer's packets to frames, in display order.
class FrameDecoder {
 public:
  /// Opens the decoder for the demuxer's stream. `log` must outlive the decoder.
  /// Errors: UNSUPPORTED_VIDEO when the codec is not on glint's list; LIMIT_EXCEEDED when the
  /// header declares a size over the limits.
  static absl::StatusOr<std::unique_ptr<FrameDecoder>> Open(std::unique_ptr<Demuxer> demuxer,
                                                            const InputFile& input,
                                                            const VideoOptions& options,
                                                            LibavLog& log);

  const Demuxer& demuxer() const { return *demuxer_; }

  /// The next frame that the decoder gives without complaint; null at the end, and when the token
  /// is cancelled.
  std::shared_ptr<AVFrame> Next(const CancelToken& cancel);

  /// Packets and frames that were left out because the decoder refused or marked them.
  std::int64_t damaged() const { return damaged_; }

 private:
  explicit FrameDecoder(std::unique_ptr<Demuxer> demuxer) : demuxer_(std::move(demuxer)) {}
  void Feed();

  std::unique_ptr<Demuxer> demuxer_;
  CodecPtr codec_;
  PacketPtr packet_ = NewPacket();
  bool draining_ = false;
  int refusals_while_draining_ = 0;
  std::int64_t damaged_ = 0;
};

/// Refuses a picture size over or under the limits with LIMIT_EXCEEDED.
absl::Status CheckSize(const InputFile& input, Size size, const VideoLimits& limits);

}  // namespace glint
