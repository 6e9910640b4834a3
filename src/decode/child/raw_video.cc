// SPDX-License-Identifier: Apache-2.0
#include "decode/child/raw_video.h"

#include <fmt/format.h>

#include <utility>

#include "base/status_macros.h"
#include "decode/child/libav_picture.h"
#include "decode/child/packet_scan.h"
#include "glint/error.h"

namespace glint {
namespace {

// The deprecated "j" formats and Motion JPEG say full range by what they are.
bool IsFullRange(const AVFrame& frame, AVCodecID codec) {
  switch (frame.format) {
    case AV_PIX_FMT_YUVJ411P:
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ444P:
      return true;
    default:
      break;
  }
  if (frame.color_range == AVCOL_RANGE_UNSPECIFIED) return codec == AV_CODEC_ID_MJPEG;
  return frame.color_range == AVCOL_RANGE_JPEG;
}

std::string_view FormatName(int format) {
  const char* name = av_get_pix_fmt_name(static_cast<AVPixelFormat>(format));
  return name == nullptr ? "unknown" : name;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RawVideo>> RawVideo::Open(InputFile input,
                                                         const VideoOptions& options,
                                                         FrameMemory* memory,
                                                         Acceleration acceleration) {
  LibavLog::Install();
  std::unique_ptr<RawVideo> video(new RawVideo(std::move(input), options));
  GLINT_RETURN_IF_ERROR(video->Start(memory, std::move(acceleration)));
  return video;
}

absl::Status RawVideo::Start(FrameMemory* memory, Acceleration acceleration) {
  GLINT_RETURN_IF_ERROR(ScanFile());
  GLINT_ASSIGN_OR_RETURN(
      decoder_, FrameDecoder::Open(input_, options_, log_, memory, std::move(acceleration)));
  TakeOrientation();
  return TakeFirstFrame();
}

void RawVideo::TakeOrientation() {
  if (options_.rotation) {
    orientation_ = Orientation::Clockwise(*options_.rotation);
    return;
  }
  const DisplayMatrix display = DisplayMatrixOf(decoder_->stream());
  orientation_ = display.orientation;
  if (!display.right_angle) {
    summary_.warnings.push_back(
        fmt::format("the video asks to be shown at an odd angle; it was turned by {} degrees, the "
                    "nearest right "
                    "angle",
                    orientation_.degrees_clockwise()));
  }
}

absl::Status RawVideo::ScanFile() {
  GLINT_ASSIGN_OR_RETURN(const auto demuxer, Demuxer::Open(input_, options_.limits, log_));
  GLINT_ASSIGN_OR_RETURN(const auto scan, ScanPackets(*demuxer, input_, options_.limits));
  info_.container = demuxer->format().iformat->name;
  info_.codec = avcodec_get_name(demuxer->stream().codecpar->codec_id);
  info_.frames = scan.frames;
  info_.duration_s = scan.duration_s;
  info_.frames_per_s = scan.frames_per_s;
  summary_.truncated = input_.ends_early;
  return absl::OkStatus();
}

absl::Status RawVideo::NoFrameDecoded() const {
  if (log_.refused_size()) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("the frames of {} have more than the {} pixels allowed; scale the "
                             "video down",
                             input_.name, options_.limits.max_pixels));
  }
  const std::string detail = log_.last_error();
  return Error(Reason::kCorruptVideo,
               fmt::format("no frame of {} could be decoded ({}); record or copy the video again",
                           input_.name, detail.empty() ? "its data are missing" : detail));
}

absl::Status RawVideo::TakeFirstFrame() {
  GLINT_ASSIGN_OR_RETURN(first_, decoder_->Next());
  if (!first_) return NoFrameDecoded();
  const Size coded = SizeOf(*first_);
  GLINT_RETURN_IF_ERROR(CheckSize(input_, coded, options_.limits));
  info_.decoder = decoder_->decoder();
  info_.decoder_why = decoder_->why();
  const AVPixelFormat format = decoder_->StreamFormat(*first_);
  info_.pixel_format = FormatName(format);
  const auto layout = LayoutOf(format);
  if (!layout) {
    return Error(Reason::kUnsupportedVideo,
                 fmt::format("{} has the pixel format {}, which glint does not read; convert it to "
                             "yuv420p",
                             input_.name, info_.pixel_format));
  }
  info_.coded_size = coded;
  info_.size = orientation_.Displayed(coded);
  info_.rotation = orientation_.degrees_clockwise();
  info_.bit_depth = layout->depth;
  info_.full_range = IsFullRange(*first_, decoder_->stream().codecpar->codec_id);
  return absl::OkStatus();
}

// Frames of another size than the first are left out, not the end of the video: one damaged header
// in the middle must not cost the rest.
absl::StatusOr<std::shared_ptr<AVFrame>> RawVideo::NextUsable() {
  if (first_) return std::exchange(first_, nullptr);
  while (true) {
    auto frame = decoder_->Next();
    if (!frame.ok() || *frame == nullptr) return frame;
    if (SizeOf(**frame) != info_.coded_size) {
      ++other_size_;
    } else if (!LayoutOf(static_cast<AVPixelFormat>((*frame)->format))) {
      ++other_format_;
    } else {
      return frame;
    }
  }
}

absl::StatusOr<std::optional<RawFrame>> RawVideo::Next() {
  if (finished_) return std::nullopt;
  GLINT_ASSIGN_OR_RETURN(auto frame, NextUsable());
  summary_.damaged = decoder_->damaged();
  if (frame == nullptr) {
    Finish();
    return std::nullopt;
  }
  if (summary_.frames >= options_.limits.max_frames) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("{} has more than the {} frames allowed; shorten the video",
                             input_.name, options_.limits.max_frames));
  }
  return Deliver(std::move(frame));
}

// Microseconds since the first frame; always more than the frame's before.
std::int64_t RawVideo::TimestampOf(const AVFrame& frame) {
  const std::int64_t tick = frame.best_effort_timestamp;
  const double guess_us = info_.frames_per_s > 0 ? 1e6 / info_.frames_per_s : 1e6 / 30;
  std::int64_t us = last_us_ < 0 ? 0 : last_us_ + static_cast<std::int64_t>(guess_us);
  if (tick != AV_NOPTS_VALUE) {
    if (first_tick_ == AV_NOPTS_VALUE) first_tick_ = tick;
    const AVRational base = decoder_->stream().time_base;
    std::int64_t since = 0;
    if (!__builtin_sub_overflow(tick, first_tick_, &since)) {
      us = av_rescale_q(since, base, {1, 1'000'000});
    }
  }
  return last_us_ = std::max(us, last_us_ + 1);
}

RawFrame RawVideo::Deliver(std::shared_ptr<AVFrame> frame) {
  RawFrame out;
  ++summary_.frames;
  out.timestamp_us = TimestampOf(*frame);
  out.full_range = IsFullRange(*frame, decoder_->stream().codecpar->codec_id);
  out.picture = std::move(frame);
  return out;
}

void RawVideo::Finish() {
  finished_ = true;
  auto& warnings = summary_.warnings;
  if (decoder_->decoder() != info_.decoder) {
    warnings.push_back(
        fmt::format("the CPU decoded the video again and to its end: {}", decoder_->why()));
  }
  if (summary_.truncated) {
    warnings.push_back(
        fmt::format("the file ends before the video does; the {} frames that are there were used",
                    summary_.frames));
  }
  if (summary_.damaged > 0) {
    warnings.push_back(
        fmt::format("{} damaged packets or frames were left out; the rest of the video was used",
                    summary_.damaged));
  }
  if (other_size_ > 0) {
    warnings.push_back(fmt::format("{} frames of another size than the first ({}) were left out",
                                   other_size_, ToString(info_.coded_size)));
  }
  if (other_format_ > 0) {
    warnings.push_back(
        fmt::format("{} frames of an unreadable pixel format were left out", other_format_));
  }
}

}  // namespace glint
