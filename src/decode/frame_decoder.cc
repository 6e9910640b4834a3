// SPDX-License-Identifier: Apache-2.0
#include "decode/frame_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <thread>

#include "glint/error.h"

namespace glint {
namespace {

// Every codec that glint decodes, and with what.
struct Decoder {
  AVCodecID codec;
  const char* name;
};
constexpr std::array kDecoders = {
    Decoder{AV_CODEC_ID_H264, "h264"},    Decoder{AV_CODEC_ID_HEVC, "hevc"},
    Decoder{AV_CODEC_ID_VP8, "vp8"},      Decoder{AV_CODEC_ID_VP9, "vp9"},
    Decoder{AV_CODEC_ID_AV1, "libdav1d"}, Decoder{AV_CODEC_ID_MJPEG, "mjpeg"},
    Decoder{AV_CODEC_ID_MPEG4, "mpeg4"},
};
constexpr const char* kDecoderNames = "h264,hevc,vp8,vp9,libdav1d,mjpeg,mpeg4";
constexpr int kMaxThreads = 16;  // more only add delay and memory
constexpr int kMaxRefusalsWhileDraining = 64;

int Threads(int wanted) {
  const int threads = wanted > 0 ? wanted : static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(threads, 1, kMaxThreads);
}

void Configure(AVCodecContext& codec, const AVStream& stream, const VideoOptions& options,
               LibavLog& log) {
  codec.opaque = &log;
  codec.pkt_timebase = stream.time_base;
  codec.thread_count = Threads(options.threads);
  codec.thread_type = FF_THREAD_FRAME;
  // Cropping is exact only where frames may start at any byte.
  codec.flags |= AV_CODEC_FLAG_UNALIGNED;
  // The decoder counts whole coded blocks, so a frame within the limit may count a little more;
  // this bound stops absurd sizes before memory is taken, CheckSize is the exact one.
  codec.max_pixels = std::min<std::int64_t>(2 * options.limits.max_pixels + 65'536,
                                            std::numeric_limits<int>::max());
  // Waits for as many frames as the level allows to be out of order where the stream does not say
  // how many are; otherwise the decoder guesses, and drops frames when it guessed wrong.
  if (codec.codec_id == AV_CODEC_ID_H264) codec.strict_std_compliance = FF_COMPLIANCE_STRICT;
}

}  // namespace

absl::Status CheckSize(const InputFile& input, Size size, const VideoLimits& limits) {
  if (size.area() > limits.max_pixels) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("the frames of {} are {}, more than the {} pixels allowed; scale the "
                             "video down",
                             input.name, ToString(size), limits.max_pixels));
  }
  if (std::min(size.width, size.height) < limits.min_side) {
    return Error(
        Reason::kLimitExceeded,
        fmt::format("the frames of {} are {}, smaller than the {} pixels a side must have; "
                    "record a larger video",
                    input.name, ToString(size), limits.min_side));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<FrameDecoder>> FrameDecoder::Open(std::unique_ptr<Demuxer> demuxer,
                                                                 const InputFile& input,
                                                                 const VideoOptions& options,
                                                                 LibavLog& log) {
  const AVStream& stream = demuxer->stream();
  const AVCodecParameters& declared = *stream.codecpar;
  const auto* known = std::ranges::find(kDecoders, declared.codec_id, &Decoder::codec);
  const AVCodec* decoder =
      known == kDecoders.end() ? nullptr : avcodec_find_decoder_by_name(known->name);
  if (decoder == nullptr) {
    const bool named = declared.codec_id != AV_CODEC_ID_NONE;
    return Error(
        Reason::kUnsupportedVideo,
        fmt::format("{} has the codec {}, which glint does not decode; convert it to H.264",
                    input.name, named ? avcodec_get_name(declared.codec_id) : "'unknown'"));
  }
  if (declared.width > 0 && declared.height > 0) {
    const absl::Status size = CheckSize(input, {declared.width, declared.height}, options.limits);
    if (!size.ok()) return size;
  }
  CodecPtr codec(avcodec_alloc_context3(decoder));
  if (!codec) throw std::bad_alloc();
  int code = avcodec_parameters_to_context(codec.get(), &declared);
  Configure(*codec, stream, options, log);
  AVDictionary* settings = nullptr;
  av_dict_set(&settings, "codec_whitelist", kDecoderNames, 0);
  if (code >= 0) code = avcodec_open2(codec.get(), decoder, &settings);
  av_dict_free(&settings);
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (code < 0) {
    return Error(Reason::kCorruptVideo,
                 fmt::format("the {} decoder cannot start on {} ({}); record or copy the video "
                             "again",
                             decoder->name, input.name, LibavError(code)));
  }
  std::unique_ptr<FrameDecoder> result(new FrameDecoder(std::move(demuxer)));
  result->codec_ = std::move(codec);
  return result;
}

std::shared_ptr<AVFrame> FrameDecoder::Next(const CancelToken& cancel) {
  while (cancel.Check().ok()) {
    std::shared_ptr<AVFrame> frame = NewFrame();
    const int code = avcodec_receive_frame(codec_.get(), frame.get());
    if (code == AVERROR_EOF) return nullptr;
    if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
    if (code == AVERROR(EAGAIN)) {
      Feed();
      continue;
    }
    if (code < 0) {
      ++damaged_;
      // A decoder that only complains while it gives its last frames would go on for ever.
      if (draining_ && ++refusals_while_draining_ > kMaxRefusalsWhileDraining) return nullptr;
      continue;
    }
    if ((frame->flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame->decode_error_flags != 0) {
      ++damaged_;
      continue;
    }
    return frame;
  }
  return nullptr;
}

void FrameDecoder::Feed() {
  int code = 0;
  switch (demuxer_->Read(*packet_)) {
    case Demuxer::Result::kPacket:
      code = avcodec_send_packet(codec_.get(), packet_.get());
      if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
      if (code < 0) ++damaged_;
      break;
    case Demuxer::Result::kDamaged:
      ++damaged_;
      break;
    case Demuxer::Result::kEnd:
      draining_ = true;
      avcodec_send_packet(codec_.get(), nullptr);
      break;
  }
}

}  // namespace glint
