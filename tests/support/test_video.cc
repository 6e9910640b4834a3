// SPDX-License-Identifier: Apache-2.0
#include "support/test_video.h"

#include <dlfcn.h>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <utility>

// libx265 keeps memory when its encoders are closed, NVIDIA's driver when it finds no GPU;
// LeakSanitizer asks for this by name.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libx265.so\nleak:libcuda.so\n";
}
// NOLINTEND(bugprone-reserved-identifier)

namespace glint {
namespace {

#ifdef __SANITIZE_ADDRESS__
// FFmpeg unloads the driver, and LeakSanitizer knows no names of what is unloaded.
const void* const kDriverStaysLoaded = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NODELETE);
#endif

int Require(int code, const std::string& what) {
  if (code >= 0) return code;
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(code, text, sizeof text);
  throw std::runtime_error(what + ": " + text);
}

template <class T>
T* Require(T* pointer, const std::string& what) {
  if (pointer == nullptr) throw std::runtime_error(what + " failed");
  return pointer;
}

struct Closer {
  void operator()(AVFormatContext* p) const {
    if (p->pb != nullptr) avio_closep(&p->pb);
    avformat_free_context(p);
  }
  void operator()(AVCodecContext* p) const { avcodec_free_context(&p); }
  void operator()(AVFrame* p) const { av_frame_free(&p); }
  void operator()(AVPacket* p) const { av_packet_free(&p); }
};
template <class T>
using Owned = std::unique_ptr<T, Closer>;

void SetLossless(AVCodecContext& codec) {
  const std::string name = codec.codec->name;
  if (name == "libx264") av_opt_set_int(codec.priv_data, "qp", 0, 0);
  if (name == "libx265") av_opt_set(codec.priv_data, "x265-params", "lossless=1:log-level=none", 0);
  if (name == "libvpx-vp9") av_opt_set_int(codec.priv_data, "lossless", 1, 0);
}

Owned<AVCodecContext> OpenEncoder(const TestVideoOptions& options, bool global_header) {
  const AVCodec* encoder =
      Require(avcodec_find_encoder_by_name(options.codec.c_str()), "the encoder " + options.codec);
  Owned<AVCodecContext> codec(Require(avcodec_alloc_context3(encoder), "avcodec_alloc_context3"));
  codec->width = options.size.width;
  codec->height = options.size.height;
  codec->pix_fmt = av_get_pix_fmt(options.pixel_format.c_str());
  codec->time_base = {1, options.frames_per_s};
  codec->framerate = {options.frames_per_s, 1};
  codec->gop_size = options.key_frame_every;
  codec->max_b_frames = options.b_frames;
  codec->thread_count = 1;
  codec->color_range = options.full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  codec->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
  if (!options.color_space.empty()) {
    codec->colorspace = static_cast<AVColorSpace>(
        Require(av_color_space_from_name(options.color_space.c_str()), "the colour space"));
  }
  if (global_header) codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  if (options.codec == "libx264" || options.codec == "libx265") {
    av_opt_set(codec->priv_data, "preset", "ultrafast", 0);
    av_opt_set(codec->priv_data, "x265-params", "log-level=none", 0);
  }
  if (options.codec == "mjpeg" || options.codec == "mpeg4") {
    codec->flags |= AV_CODEC_FLAG_QSCALE;
    codec->global_quality = FF_QP2LAMBDA * 2;
  }
  if (options.lossless) SetLossless(*codec);
  Require(avcodec_open2(codec.get(), encoder, nullptr), "opening " + options.codec);
  return codec;
}

TestFrame View(AVFrame& frame) {
  const AVPixFmtDescriptor& about = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  std::vector<TestFrame::Component> components;
  for (int i = 0; i < about.nb_components; ++i) {
    const AVComponentDescriptor& c = about.comp[i];
    const bool chroma = (i == 1 || i == 2) && (about.flags & AV_PIX_FMT_FLAG_RGB) == 0;
    const Size size = {chroma ? AV_CEIL_RSHIFT(frame.width, about.log2_chroma_w) : frame.width,
                       chroma ? AV_CEIL_RSHIFT(frame.height, about.log2_chroma_h) : frame.height};
    components.push_back(
        {frame.data[c.plane], frame.linesize[c.plane], size, c.step, c.offset, c.shift, c.depth});
  }
  return TestFrame(std::move(components));
}

Owned<AVFrame> NewPicture(const AVCodecContext& codec) {
  Owned<AVFrame> frame(Require(av_frame_alloc(), "av_frame_alloc"));
  frame->format = codec.pix_fmt;
  frame->width = codec.width;
  frame->height = codec.height;
  frame->color_range = codec.color_range;
  frame->colorspace = codec.colorspace;
  Require(av_frame_get_buffer(frame.get(), 0), "av_frame_get_buffer");
  return frame;
}

void WritePackets(AVFormatContext& format, AVCodecContext& codec, AVStream& stream) {
  Owned<AVPacket> packet(Require(av_packet_alloc(), "av_packet_alloc"));
  while (true) {
    const int code = avcodec_receive_packet(&codec, packet.get());
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
    Require(code, "encoding");
    av_packet_rescale_ts(packet.get(), codec.time_base, stream.time_base);
    packet->stream_index = stream.index;
    Require(av_interleaved_write_frame(&format, packet.get()), "writing a packet");
  }
}

// Encodes frames first .. last - 1 and flushes the encoder.
void EncodeFrames(AVFormatContext& format, AVCodecContext& codec, AVStream& stream,
                  const TestVideoOptions& options, const FillTestFrame& fill,
                  std::pair<int, int> range) {
  const Owned<AVFrame> frame = NewPicture(codec);
  for (int i = range.first; i < range.second; ++i) {
    Require(av_frame_make_writable(frame.get()), "av_frame_make_writable");
    TestFrame view = View(*frame);
    fill(i, view);
    frame->pts = options.timestamps.empty() ? i : options.timestamps[static_cast<std::size_t>(i)];
    Require(avcodec_send_frame(&codec, frame.get()), "encoding");
    WritePackets(format, codec, stream);
  }
  Require(avcodec_send_frame(&codec, nullptr), "encoding");
  WritePackets(format, codec, stream);
}

void AddMatrix(AVStream& stream, const std::array<std::int32_t, 9>& matrix) {
  std::uint8_t* side =
      Require(av_stream_new_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, sizeof(std::int32_t) * 9),
              "av_stream_new_side_data");
  std::memcpy(side, matrix.data(), sizeof(std::int32_t) * 9);
}

Owned<AVFormatContext> NewFile(const std::filesystem::path& file) {
  AVFormatContext* raw = nullptr;
  Require(avformat_alloc_output_context2(&raw, nullptr, nullptr, file.c_str()), "the container");
  Owned<AVFormatContext> format(raw);
  format->flags |= AVFMT_FLAG_BITEXACT;  // the same file every time
  Require(avio_open(&format->pb, ("file:" + file.string()).c_str(), AVIO_FLAG_WRITE),
          "creating " + file.string());
  return format;
}

void WriteSilence(const std::filesystem::path& file) {
  const Owned<AVFormatContext> format = NewFile(file);
  AVStream& stream = *Require(avformat_new_stream(format.get(), nullptr), "avformat_new_stream");
  stream.codecpar->codec_type = AVMEDIA_TYPE_AUDIO;
  stream.codecpar->codec_id = AV_CODEC_ID_PCM_S16LE;
  stream.codecpar->sample_rate = 8000;
  stream.codecpar->ch_layout = AV_CHANNEL_LAYOUT_MONO;
  stream.codecpar->format = AV_SAMPLE_FMT_S16;
  stream.codecpar->block_align = 2;
  stream.codecpar->bits_per_coded_sample = 16;
  stream.time_base = {1, 8000};
  Require(avformat_write_header(format.get(), nullptr), "the header");
  Owned<AVPacket> packet(Require(av_packet_alloc(), "av_packet_alloc"));
  Require(av_new_packet(packet.get(), 1600), "av_new_packet");
  std::memset(packet->data, 0, 1600);
  packet->pts = packet->dts = 0;
  packet->duration = 800;
  packet->flags |= AV_PKT_FLAG_KEY;
  Require(av_interleaved_write_frame(format.get(), packet.get()), "writing a packet");
  Require(av_write_trailer(format.get()), "the trailer");
}

}  // namespace

std::array<std::int32_t, 9> RotationMatrix(double degrees_clockwise) {
  const double angle = degrees_clockwise * std::numbers::pi / 180;
  const auto fixed = [](double v) { return static_cast<std::int32_t>(std::lround(v * 65'536)); };
  const std::int32_t c = fixed(std::cos(angle));
  const std::int32_t s = fixed(std::sin(angle));
  return {c, s, 0, -s, c, 0, 0, 0, 1 << 30};
}

void TestFrame::Set(int component, int x, int y, int value) {
  const Component& c = components_[component];
  std::uint8_t* at = c.data + y * c.stride + std::ptrdiff_t{x} * c.step + c.offset;
  if (c.depth > 8) {
    const auto sample = static_cast<std::uint16_t>(value << c.shift);
    std::memcpy(at, &sample, sizeof sample);
  } else {
    *at = static_cast<std::uint8_t>(value);
  }
}

int TestFrame::Get(int component, int x, int y) const {
  const Component& c = components_[component];
  const std::uint8_t* at = c.data + y * c.stride + std::ptrdiff_t{x} * c.step + c.offset;
  if (c.depth <= 8) return *at;
  std::uint16_t sample = 0;
  std::memcpy(&sample, at, sizeof sample);
  return sample >> c.shift;
}

void WriteTestVideo(const std::filesystem::path& file, const TestVideoOptions& options,
                    const FillTestFrame& fill) {
  av_log_set_level(AV_LOG_ERROR);
  if (options.audio_only) {
    WriteSilence(file);
    return;
  }
  const Owned<AVFormatContext> format = NewFile(file);
  const bool global_header = (format->oformat->flags & AVFMT_GLOBALHEADER) != 0;
  const Owned<AVCodecContext> codec = OpenEncoder(options, global_header);
  AVStream& stream = *Require(avformat_new_stream(format.get(), nullptr), "avformat_new_stream");
  stream.time_base = codec->time_base;
  stream.avg_frame_rate = codec->framerate;
  Require(avcodec_parameters_from_context(stream.codecpar, codec.get()), "stream parameters");
  if (options.display_matrix) AddMatrix(stream, *options.display_matrix);
  AVDictionary* settings = nullptr;
  if (!options.muxer_flags.empty()) {
    av_dict_set(&settings, "movflags", options.muxer_flags.c_str(), 0);
  }
  const int header = avformat_write_header(format.get(), &settings);
  av_dict_free(&settings);
  Require(header, "the header");
  const int change = options.other_size_from.value_or(options.frames);
  EncodeFrames(*format, *codec, stream, options, fill, {0, change});
  if (options.other_size_from) {
    TestVideoOptions other = options;
    other.size = options.other_size;
    const Owned<AVCodecContext> second = OpenEncoder(other, global_header);
    EncodeFrames(*format, *second, stream, other, fill, {change, options.frames});
  }
  Require(av_write_trailer(format.get()), "the trailer");
}

void FillPattern(int index, TestFrame& frame) {
  for (int c = 0; c < frame.components(); ++c) {
    const Size size = frame.size(c);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        frame.Set(c, x, y,
                  (x * 7 + y * 13 + index * 29 + c * 71 + x * y) & ((1 << frame.depth()) - 1));
      }
    }
  }
}

bool HasEncoder(const std::string& codec) {
  return avcodec_find_encoder_by_name(codec.c_str()) != nullptr;
}

}  // namespace glint
