// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "decode/child/libav.h"
#include "decode/child/libav_log.h"
#include "decode/input_file.h"
#include "glint/video.h"

namespace glint {

/// The packets of a file's best video stream, in stored order. Reads nothing but the file that it
/// is given: FFmpeg gets no protocol to open anything with.
class Demuxer {
 public:
  /// Reads the header. `input` and `log` must outlive the demuxer.
  /// Errors: NOT_A_VIDEO (no video stream), CORRUPT_VIDEO (a header that cannot be read),
  /// LIMIT_EXCEEDED (what the header declares).
  static absl::StatusOr<std::unique_ptr<Demuxer>> Open(const InputFile& input,
                                                       const VideoLimits& limits, LibavLog& log);

  const AVFormatContext& format() const { return *format_; }
  const AVStream& stream() const { return *stream_; }

  /// What reading a packet gave.
  enum class Result { kPacket, kDamaged, kEnd };

  /// Reads the stream's next packet. After kDamaged reading may go on; many in a row end the
  /// stream.
  Result Read(AVPacket& packet);

 private:
  explicit Demuxer(const InputFile& input) : input_(input) {}
  static int ReadFile(void* self, std::uint8_t* out, int bytes);
  static std::int64_t SeekFile(void* self, std::int64_t offset, int whence);
  absl::Status ReadHeader(const VideoLimits& limits, LibavLog& log);
  absl::Status ChooseStream(const VideoLimits& limits);

  const InputFile& input_;
  std::int64_t offset_ = 0;
  IoPtr io_;  // outlives format_, which reads through it
  FormatPtr format_;
  AVStream* stream_ = nullptr;
  int damaged_in_a_row_ = 0;
};

}  // namespace glint
