// SPDX-License-Identifier: Apache-2.0
#include "decode/child/demuxer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

constexpr int kIoBufferBytes = 64 * 1024;
// A demuxer that meets rubbish may report every sample of it; this many say that nothing follows.
constexpr int kMaxDamagedInARow = 64;
constexpr const char* kFormats = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi";

const char* DemuxerName(Container container) {
  switch (container) {
    case Container::kMov:
      return "mov";
    case Container::kMatroska:
      return "matroska";
    case Container::kAvi:
      return "avi";
  }
  return "";
}

// FFmpeg asks this for every further file that a container refers to.
int RefuseToOpen(AVFormatContext* /*format*/, AVIOContext** /*io*/, const char* /*url*/,
                 int /*flags*/, AVDictionary** /*options*/) {
  return AVERROR(EACCES);
}

}  // namespace

int Demuxer::ReadFile(void* self, std::uint8_t* out, int bytes) {
  auto& demuxer = *static_cast<Demuxer*>(self);
  const std::ptrdiff_t got =
      demuxer.input_.file.ReadAt(demuxer.offset_, {out, static_cast<std::size_t>(bytes)});
  if (got < 0) return AVERROR(static_cast<int>(-got));
  if (got == 0) return AVERROR_EOF;
  demuxer.offset_ += got;
  return static_cast<int>(got);
}

std::int64_t Demuxer::SeekFile(void* self, std::int64_t offset, int whence) {
  auto& demuxer = *static_cast<Demuxer*>(self);
  const std::int64_t bytes = demuxer.input_.file.bytes();
  std::int64_t target = 0;
  switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE:
      return bytes;
    case SEEK_SET:
      target = offset;
      break;
    case SEEK_CUR:
      target = demuxer.offset_ + offset;
      break;
    case SEEK_END:
      target = bytes + offset;
      break;
    default:
      return AVERROR(EINVAL);
  }
  if (target < 0) return AVERROR(EINVAL);
  return demuxer.offset_ = target;
}

absl::StatusOr<std::unique_ptr<Demuxer>> Demuxer::Open(const InputFile& input,
                                                       const VideoLimits& limits, LibavLog& log) {
  std::unique_ptr<Demuxer> demuxer(new Demuxer(input));
  GLINT_RETURN_IF_ERROR(demuxer->ReadHeader(limits, log));
  GLINT_RETURN_IF_ERROR(demuxer->ChooseStream(limits));
  return demuxer;
}

absl::Status Demuxer::ReadHeader(const VideoLimits& limits, LibavLog& log) {
  auto* buffer = static_cast<std::uint8_t*>(av_malloc(kIoBufferBytes));
  if (buffer == nullptr) throw std::bad_alloc();
  io_.reset(avio_alloc_context(buffer, kIoBufferBytes, 0, this, ReadFile, nullptr, SeekFile));
  AVFormatContext* format = avformat_alloc_context();
  if (!io_ || format == nullptr) throw std::bad_alloc();
  format->pb = io_.get();
  format->opaque = &log;
  format->io_open = RefuseToOpen;

  AVDictionary* options = nullptr;
  av_dict_set(&options, "format_whitelist", kFormats, 0);
  av_dict_set(&options, "protocol_whitelist", "file", 0);
  av_dict_set_int(&options, "max_streams", limits.max_streams + 1, 0);
  if (input_.container == Container::kMov) {
    av_dict_set_int(&options, "enable_drefs", 0, 0);
    av_dict_set_int(&options, "use_absolute_path", 0, 0);
    av_dict_set_int(&options, "ignore_chapters", 1, 0);
  }
  const int opened = avformat_open_input(
      &format, "", av_find_input_format(DemuxerName(input_.container)), &options);
  av_dict_free(&options);
  if (opened >= 0) {
    format_.reset(format);
    return absl::OkStatus();
  }
  const std::string detail = log.last_error();
  if (detail.find("max_streams") != std::string::npos) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("{} has more than the {} streams allowed; remove some", input_.name,
                             limits.max_streams));
  }
  // Tables of a header are all that is made here: libav refuses those that no honest file has, and
  // this process may have more than the longest that is decoded needs.
  if (opened == AVERROR(ENOMEM)) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("the index of {} asks for more memory than opening a video may take: "
                             "it is damaged or far too long; record or copy the video again",
                             input_.name));
  }
  return Error(Reason::kCorruptVideo,
               fmt::format("the index of {} is missing or damaged ({}); record or copy the video "
                           "again",
                           input_.name, detail.empty() ? LibavError(opened) : detail));
}

absl::Status Demuxer::ChooseStream(const VideoLimits& limits) {
  if (static_cast<int>(format_->nb_streams) > limits.max_streams) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("{} has {} streams, more than the {} allowed; remove some",
                             input_.name, format_->nb_streams, limits.max_streams));
  }
  // Best: the one marked as default, then the largest, then the first. A cover picture is none.
  std::int64_t best = -1;
  for (unsigned i = 0; i < format_->nb_streams; ++i) {
    AVStream* stream = format_->streams[i];
    stream->discard = AVDISCARD_ALL;
    if (stream->codecpar->codec_type != AVMEDIA_TYPE_VIDEO) continue;
    if ((stream->disposition & (AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS)) !=
        0) {
      continue;
    }
    const std::int64_t area = std::int64_t{stream->codecpar->width} * stream->codecpar->height;
    const bool is_default = (stream->disposition & AV_DISPOSITION_DEFAULT) != 0;
    const std::int64_t score = area + (is_default ? std::int64_t{1} << 62 : 0);
    if (score > best) {
      best = score;
      stream_ = stream;
    }
  }
  if (stream_ == nullptr) {
    return Error(
        Reason::kNotAVideo,
        fmt::format("{} holds no video stream; give a file with moving pictures", input_.name));
  }
  stream_->discard = AVDISCARD_DEFAULT;
  return absl::OkStatus();
}

Demuxer::Result Demuxer::Read(AVPacket& packet) {
  while (true) {
    av_packet_unref(&packet);
    const int code = av_read_frame(format_.get(), &packet);
    if (code >= 0) {
      if (packet.stream_index != stream_->index) continue;
      damaged_in_a_row_ = 0;
      return Result::kPacket;
    }
    if (code == AVERROR_EOF || ++damaged_in_a_row_ > kMaxDamagedInARow) return Result::kEnd;
    return Result::kDamaged;
  }
}

}  // namespace glint
