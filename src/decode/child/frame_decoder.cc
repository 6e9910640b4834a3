// SPDX-License-Identifier: Apache-2.0
#include "decode/child/frame_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <system_error>
#include <thread>

#include "base/status_macros.h"
#include "decode/child/decoders.h"
#include "glint/error.h"

namespace glint {
namespace {

constexpr int kMaxThreads = 16;  // more only add delay and memory
constexpr int kMaxRefusalsWhileDraining = 64;

int Threads(int wanted) {
  const int threads = wanted > 0 ? wanted : static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(threads, 1, kMaxThreads);
}

int AllocateFrame(AVCodecContext* codec, AVFrame* frame, int flags) {
  const auto& hooks = *static_cast<const CodecHooks*>(codec->opaque);
  return hooks.memory->Allocate(*codec, *frame, flags);
}

bool IsOnDevice(AVPixelFormat format) {
  const AVPixFmtDescriptor* about = av_pix_fmt_desc_get(format);
  return about != nullptr && (about->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0;
}

/// Takes the accelerator's format where it is offered, otherwise the best one in host memory.
AVPixelFormat ChooseFormat(AVCodecContext* codec, const AVPixelFormat* offered) {
  const AVPixelFormat surface = static_cast<const CodecHooks*>(codec->opaque)->surface;
  AVPixelFormat chosen = AV_PIX_FMT_NONE;
  for (; *offered != AV_PIX_FMT_NONE; ++offered) {
    if (*offered == surface) return surface;
    if (chosen == AV_PIX_FMT_NONE && !IsOnDevice(*offered)) chosen = *offered;
  }
  return chosen;
}

void Configure(AVCodecContext& codec, const AVStream& stream, int threads,
               const VideoLimits& limits, CodecHooks& hooks) {
  codec.opaque = &hooks;
  if (hooks.memory != nullptr) {
    codec.get_buffer2 = AllocateFrame;
#if LIBAVCODEC_VERSION_MAJOR < 60
    // From version 60 on it is always so: the callback may be called from any thread.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    codec.thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
#endif
  }
  codec.pkt_timebase = stream.time_base;
  codec.thread_count = threads;
  codec.thread_type = FF_THREAD_FRAME;
  // Cropping is exact only where frames may start at any byte.
  codec.flags |= AV_CODEC_FLAG_UNALIGNED;
  // The decoder counts whole coded blocks, so a frame within the limit may count a little more;
  // this bound stops absurd sizes before memory is taken, CheckSize is the exact one.
  codec.max_pixels =
      std::min<std::int64_t>(2 * limits.max_pixels + 65'536, std::numeric_limits<int>::max());
  // Waits for as many frames as the level allows to be out of order where the stream does not say
  // how many are; otherwise the decoder guesses, and drops frames when it guessed wrong.
  if (codec.codec_id == AV_CODEC_ID_H264) codec.strict_std_compliance = FF_COMPLIANCE_STRICT;
}

/// Of the longer side to the shorter: made smaller, a longer strip would have no pixels left.
constexpr int kMaxAspect = 64;

}  // namespace

absl::Status CheckSize(const InputFile& input, Size size, const VideoLimits& limits) {
  if (size.area() > limits.max_pixels) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("the frames of {} are {}, more than the {} pixels allowed; scale the "
                             "video down",
                             input.name, ToString(size), limits.max_pixels));
  }
  if (std::max(size.width, size.height) > limits.max_side) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("the frames of {} are {}, longer than the {} pixels allowed; crop the "
                             "video or scale it down",
                             input.name, ToString(size), limits.max_side));
  }
  if (std::max(size.width, size.height) > kMaxAspect * std::min(size.width, size.height)) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("the frames of {} are {}, strips of more than {} to 1; crop the video",
                             input.name, ToString(size), kMaxAspect));
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

absl::StatusOr<std::unique_ptr<FrameDecoder>> FrameDecoder::Open(const InputFile& input,
                                                                 const VideoOptions& options,
                                                                 LibavLog& log, FrameMemory* memory,
                                                                 Acceleration acceleration) {
  std::unique_ptr<FrameDecoder> decoder(
      new FrameDecoder(input, options, log, memory, std::move(acceleration)));
  GLINT_RETURN_IF_ERROR(decoder->Start(Threads(options.threads)));
  return decoder;
}

absl::StatusOr<const AVCodec*> FrameDecoder::ChooseCodec(const AVStream& stream) {
  const AVCodecParameters& declared = *stream.codecpar;
  const AVCodec* decoder = DecoderFor(declared.codec_id);
  if (decoder == nullptr) {
    return Error(
        Reason::kUnsupportedVideo,
        fmt::format("{} has the codec {}, which glint does not decode; convert it to H.264",
                    input_.name, avcodec_get_name(declared.codec_id)));
  }
  if (declared.width > 0 && declared.height > 0) {
    GLINT_RETURN_IF_ERROR(CheckSize(input_, {declared.width, declared.height}, options_.limits));
  }
  if (accelerator_ != nullptr) {
    if (const std::string why = WhyNotAccelerated(stream); !why.empty()) Decelerate(why);
  }
  return decoder;
}

int FrameDecoder::OpenCodec(const AVStream& stream, const AVCodec& decoder, int threads,
                            CodecPtr& codec) {
  codec.reset(avcodec_alloc_context3(&decoder));
  if (!codec) throw std::bad_alloc();
  int code = avcodec_parameters_to_context(codec.get(), stream.codecpar);
  Configure(*codec, stream, threads, options_.limits, hooks_);
  if (accelerator_ != nullptr) {
    hooks_.surface = accelerator_->surface();
    codec->get_format = ChooseFormat;
    if (accelerator_->device() != nullptr) {
      codec->hw_device_ctx = av_buffer_ref(accelerator_->device());
      if (codec->hw_device_ctx == nullptr) throw std::bad_alloc();
    }
  }
  AVDictionary* settings = nullptr;
  av_dict_set(&settings, "codec_whitelist", DecoderNames().c_str(), 0);
  errors_before_ = log_.decoder_errors();
  log_.NewDecoder();
  if (code >= 0) code = avcodec_open2(codec.get(), &decoder, &settings);
  av_dict_free(&settings);
  return code;
}

absl::Status FrameDecoder::Start(int threads) {
  GLINT_ASSIGN_OR_RETURN(auto demuxer, Demuxer::Open(input_, options_.limits, log_));
  const AVStream& stream = demuxer->stream();
  GLINT_ASSIGN_OR_RETURN(const AVCodec* const decoder, ChooseCodec(stream));
  if (accelerator_ != nullptr) threads = 1;  // more only wait for the GPU
  CodecPtr codec;
  const int code = OpenCodec(stream, *decoder, threads, codec);
  if (code < 0 && accelerator_ != nullptr) {
    Decelerate(fmt::format("its decoder cannot start ({})", LibavError(code)));
    return Start(Threads(options_.threads));
  }
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (code == AVERROR(EAGAIN)) throw std::system_error(EAGAIN, std::generic_category(), "threads");
  if (code < 0) {
    return Error(Reason::kCorruptVideo,
                 fmt::format("the {} decoder cannot start on {} ({}); record or copy the video "
                             "again",
                             decoder->name, input_.name, LibavError(code)));
  }
  codec_ = std::move(codec);  // the old decoder goes before what it reads from
  demuxer_ = std::move(demuxer);
  threads_ = threads;
  draining_ = false;
  incomplete_packet_ = false;
  refusals_while_draining_ = 0;
  damaged_ = 0;
  return absl::OkStatus();
}

void FrameDecoder::Decelerate(std::string_view why) {
  why_ = fmt::format("{} was asked for, but {}", accelerator_->name(), why);
  accelerator_ = nullptr;
}

std::string FrameDecoder::WhyNotAccelerated(const AVStream& stream) const {
  if (!IsDecodedExactly(stream.codecpar->codec_id)) {
    return fmt::format("its pictures of {} are not those of the CPU's decoder",
                       avcodec_get_name(stream.codecpar->codec_id));
  }
  if (input_.ends_early) return "the file ends before the video does";
  return "";
}

/// Brings a frame of the accelerator's to the host; null is the end. @return why the CPU has to
/// decode instead, or ""
std::string FrameDecoder::TakeFromAccelerator(std::shared_ptr<AVFrame>& frame) {
  const std::string said = log_.first_decoder_message();
  if (frame != nullptr && frame->format != accelerator_->surface()) {
    return fmt::format("it does not take this video's codec, profile or size{}",
                       said.empty() ? "" : " (" + said + ")");
  }
  if (SawDamage() || incomplete_packet_) {
    return fmt::format("something is wrong with the video or the GPU ({})",
                       said.empty() ? "a packet is incomplete" : said);
  }
  if (frame == nullptr) return given_ > 0 ? "" : "it gave no frame";
  if (!IsAcceleratedProfile(codec_->codec_id, codec_->profile)) {
    const char* name = avcodec_profile_name(codec_->codec_id, codec_->profile);
    return fmt::format("it does not know the profile {}", name == nullptr ? "of this video" : name);
  }
  if (frame->crop_left != 0 || frame->crop_top != 0) return "it cannot crop the video's frames";
  std::shared_ptr<AVFrame> host = NewFrame();
  int code = accelerator_->Download(*host, *frame);
  if (code >= 0) code = av_frame_copy_props(host.get(), frame.get());
  if (code < 0) return fmt::format("a frame did not come off the GPU ({})", LibavError(code));
  if (host->format != AV_PIX_FMT_NV12 && host->format != AV_PIX_FMT_P010LE) {
    const char* name = av_get_pix_fmt_name(static_cast<AVPixelFormat>(host->format));
    return fmt::format("it gives frames as {}", name == nullptr ? "something unknown" : name);
  }
  host->width = frame->width;
  host->height = frame->height;
  frame = std::move(host);
  return "";
}

AVPixelFormat FrameDecoder::StreamFormat(const AVFrame& frame) const {
  return accelerator_ == nullptr ? static_cast<AVPixelFormat>(frame.format) : codec_->sw_pix_fmt;
}

bool FrameDecoder::SawDamage() const {
  return damaged_ > 0 || log_.decoder_errors() > errors_before_;
}

absl::Status FrameDecoder::StartOver(int threads) {
  GLINT_RETURN_IF_ERROR(Start(threads));
  for (std::int64_t i = 0; i < given_; ++i) Receive();
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<AVFrame>> FrameDecoder::Next() {
  std::shared_ptr<AVFrame> frame = Receive();
  if (accelerator_ != nullptr) {
    if (const std::string why = TakeFromAccelerator(frame); !why.empty()) {
      Decelerate(why);
      GLINT_RETURN_IF_ERROR(StartOver(Threads(options_.threads)));
      frame = Receive();
    }
  }
  // By the time a frame comes out, the threads have reported on all packets that it depends on, so
  // a frame that came out before any report is sound whatever the number of threads.
  if (threads_ > 1 && SawDamage()) {
    GLINT_RETURN_IF_ERROR(StartOver(1));
    frame = Receive();
  }
  if (frame) ++given_;
  return frame;
}

std::shared_ptr<AVFrame> FrameDecoder::Receive() {
  while (true) {
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
}

void FrameDecoder::Feed() {
  int code = 0;
  switch (demuxer_->Read(*packet_)) {
    case Demuxer::Result::kPacket:
      if ((packet_->flags & AV_PKT_FLAG_CORRUPT) != 0) incomplete_packet_ = true;
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
