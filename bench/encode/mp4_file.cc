// SPDX-License-Identifier: Apache-2.0
// glint-encode PATH WIDTH HEIGHT ROTATION FRAMES_PER_S QUALITY MEGABITS: writes the pictures that
// come through stdin, a socket, to an MP4 file, and says "ok ENCODER" when it is open and when it
// is finished, or why not. The only program that holds an encoder; bench/synth starts it.
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "base/status_macros.h"
#include "bench/synth/video_writer.h"
#include "glint/error.h"
#include "store/durable_file.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/opt.h>
}

namespace glint {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kEncoders = {"libx264", "libopenh264", "mpeg4"};
// x264 cuts its work by the number of its threads, so a fixed number gives the same bytes anywhere.
constexpr int kEncoderThreads = 4;

struct FormatCloser {
  void operator()(AVFormatContext* format) const {
    if (format->pb) avio_closep(&format->pb);
    avformat_free_context(format);
  }
};
struct CodecCloser {
  void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
};
struct FrameCloser {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};
struct PacketCloser {
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};

std::string AvMessage(int error) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(error, text.data(), text.size());
  return text.data();
}

const AVCodec* FindEncoder() {
  for (const char* name : kEncoders) {
    if (const AVCodec* codec = avcodec_find_encoder_by_name(name)) return codec;
  }
  return nullptr;
}

class Mp4File {
 public:
  Mp4File(fs::path path, const VideoWriterOptions& options)
      : path_(std::move(path)), options_(options) {}

  absl::Status Start() {
    const AVCodec* encoder = FindEncoder();
    if (!encoder) {
      return Error(Reason::kUnsupportedVideo,
                   "this FFmpeg has no encoder for MP4 (libx264, libopenh264 or mpeg4); install "
                   "one that has");
    }
    absl::Status status = OpenEncoder(*encoder);
    if (status.ok()) status = OpenFile();
    return status;
  }

  /// Adds a picture, from where `read` takes its rows.
  template <class ReadBytes>
  absl::Status Write(const ReadBytes& read) {
    // The encoder keeps pictures for a while, so each gets memory of its own.
    if (const int error = av_frame_make_writable(frame_.get()); error < 0) {
      return Failure("cannot store a picture for", error);
    }
    for (std::size_t plane = 0; plane < 3; ++plane) {
      const int shift = plane == 0 ? 0 : 1;
      for (int y = 0; y < options_.size.height >> shift; ++y) {
        if (!read(frame_->data[plane] + std::ptrdiff_t{y} * frame_->linesize[plane],
                  static_cast<std::size_t>(options_.size.width >> shift))) {
          return Error(Reason::kInternal, "a picture was cut off");
        }
      }
    }
    frame_->pts = next_++;
    return Encode(frame_.get());
  }

  absl::Status Finish() {
    if (absl::Status status = Encode(nullptr); !status.ok()) return status;
    int error = av_write_trailer(format_.get());
    if (error >= 0 && format_->pb->error < 0) error = format_->pb->error;
    const int closed = avio_closep(&format_->pb);
    if (error >= 0) error = closed;
    return error < 0 ? Failure("cannot finish", error) : absl::OkStatus();
  }

  std::string encoder() const { return codec_->codec->name; }

 private:
  absl::Status OpenEncoder(const AVCodec& encoder) {
    codec_.reset(avcodec_alloc_context3(&encoder));
    frame_.reset(av_frame_alloc());
    packet_.reset(av_packet_alloc());
    if (!codec_ || !frame_ || !packet_) return Error(Reason::kOutOfMemory, "no memory to encode");
    codec_->width = frame_->width = options_.size.width;
    codec_->height = frame_->height = options_.size.height;
    codec_->pix_fmt = AV_PIX_FMT_YUV420P;
    frame_->format = AV_PIX_FMT_YUV420P;
    codec_->time_base = {1, options_.frames_per_s};
    codec_->framerate = {options_.frames_per_s, 1};
    codec_->gop_size = 60;
    codec_->color_range = AVCOL_RANGE_MPEG;
    codec_->color_primaries = AVCOL_PRI_BT709;
    codec_->color_trc = AVCOL_TRC_BT709;
    codec_->colorspace = AVCOL_SPC_BT709;
    codec_->thread_count = kEncoderThreads;
    codec_->log_level_offset = AV_LOG_TRACE;  // failures come back as statuses
    codec_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT;
    SetQuality(encoder);
    if (const int error = avcodec_open2(codec_.get(), &encoder, nullptr); error < 0) {
      return Error(
          Reason::kUnsupportedVideo,
          fmt::format("encoder {} refuses {} at {} frames/s: {}; choose another size", encoder.name,
                      ToString(options_.size), options_.frames_per_s, AvMessage(error)));
    }
    const int error = av_frame_get_buffer(frame_.get(), 0);
    return error < 0 ? Error(Reason::kOutOfMemory, "no memory to encode") : absl::OkStatus();
  }

  void SetQuality(const AVCodec& encoder) {
    if (std::string_view(encoder.name) == "libx264") {
      av_opt_set(codec_->priv_data, "preset", "veryfast", 0);
      if (options_.megabits > 0) {
        codec_->bit_rate = BitRate();
      } else {
        av_opt_set_double(codec_->priv_data, "crf", options_.quality, 0);
      }
      // x264 164's AVX-512 code for the macroblock tree reads memory that nobody wrote when the
      // height is no multiple of 16: two runs would give different files.
      av_opt_set_int(codec_->priv_data, "mbtree", 0, 0);
      return;
    }
    if (options_.megabits > 0) {
      codec_->bit_rate = BitRate();
      return;
    }
    // The others know no constant rate factor: a quantiser, or for openh264 a rate that is ample.
    codec_->flags |= AV_CODEC_FLAG_QSCALE;
    codec_->global_quality = FF_QP2LAMBDA * static_cast<int>(1 + options_.quality / 5);
    codec_->bit_rate = options_.size.area() * options_.frames_per_s / 5;
  }

  std::int64_t BitRate() const { return std::llround(options_.megabits * 1e6); }

  absl::Status OpenFile() {
    AVFormatContext* format = nullptr;
    if (avformat_alloc_output_context2(&format, nullptr, "mp4", path_.c_str()) < 0) {
      return Error(Reason::kUnsupportedVideo, "this FFmpeg cannot write MP4 files");
    }
    format_.reset(format);
    format_->flags |= AVFMT_FLAG_BITEXACT;  // no version of the library in the file
    AVStream* stream = avformat_new_stream(format, nullptr);
    if (!stream || avcodec_parameters_from_context(stream->codecpar, codec_.get()) < 0) {
      return Error(Reason::kOutOfMemory, "no memory for the video's stream");
    }
    stream->time_base = codec_->time_base;
    stream->avg_frame_rate = codec_->framerate;
    if (!SetRotation(*stream)) return Error(Reason::kOutOfMemory, "no memory for the rotation");
    // The prefix keeps FFmpeg from reading a colon in the name as a protocol.
    int error = avio_open(&format_->pb, ("file:" + path_.string()).c_str(), AVIO_FLAG_WRITE);
    if (error < 0) return Failure("cannot create", error);
    error = avformat_write_header(format, nullptr);
    return error < 0 ? Failure("cannot write", error) : absl::OkStatus();
  }

  bool SetRotation(AVStream& stream) const {
    if (options_.rotation == 0) return true;
    auto* matrix = reinterpret_cast<std::int32_t*>(
        av_stream_new_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof(std::int32_t)));
    if (!matrix) return false;
    av_display_rotation_set(matrix, options_.rotation);
    return true;
  }

  absl::Status Encode(const AVFrame* frame) {
    if (const int error = avcodec_send_frame(codec_.get(), frame); error < 0) {
      return Failure("cannot encode a frame of", error);
    }
    while (true) {
      int error = avcodec_receive_packet(codec_.get(), packet_.get());
      if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return absl::OkStatus();
      if (error < 0) return Failure("cannot encode a frame of", error);
      packet_->duration = 1;
      av_packet_rescale_ts(packet_.get(), codec_->time_base, format_->streams[0]->time_base);
      error = av_interleaved_write_frame(format_.get(), packet_.get());
      if (error >= 0 && format_->pb->error < 0) error = format_->pb->error;
      if (error < 0) return Failure("cannot write", error);
    }
  }

  absl::Status Failure(std::string_view what, int error) const {
    if (error == AVERROR(ENOMEM)) return Error(Reason::kOutOfMemory, "no memory to encode");
    if (error > AVERROR_EOF && error < 0 && AVUNERROR(error) < 4096) {
      return OutputError(what, path_, AVUNERROR(error));
    }
    return Error(Reason::kInternal,
                 fmt::format("{} '{}': {}", what, path_.string(), AvMessage(error)));
  }

  const fs::path path_;
  const VideoWriterOptions options_;
  std::unique_ptr<AVCodecContext, CodecCloser> codec_;
  std::unique_ptr<AVFormatContext, FormatCloser> format_;
  std::unique_ptr<AVFrame, FrameCloser> frame_;
  std::unique_ptr<AVPacket, PacketCloser> packet_;
  std::int64_t next_ = 0;
};

/// Reads all of that many bytes. @return false at the end
bool Read(std::uint8_t* to, std::size_t count) {
  while (count > 0) {
    const ssize_t got = read(STDIN_FILENO, to, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

/// Whether another picture comes.
bool More() {
  char next = 0;
  return recv(STDIN_FILENO, &next, 1, MSG_PEEK) == 1;
}

absl::Status Run(Mp4File& file, const std::function<void()>& say_ok) {
  GLINT_RETURN_IF_ERROR(file.Start());
  say_ok();
  while (More()) GLINT_RETURN_IF_ERROR(file.Write(Read));
  return file.Finish();
}

void Say(const std::string& line) {
  // Whoever asked may have gone: nobody is left to tell.
  [[maybe_unused]] const ssize_t sent = send(STDIN_FILENO, line.data(), line.size(), MSG_NOSIGNAL);
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) {
  using namespace glint;
  if (argc != 8) {
    std::fputs("glint-encode: is started by glint itself, not by hand\n", stderr);
    return 2;
  }
  Mp4File file(argv[1], {.size = {std::atoi(argv[2]), std::atoi(argv[3])},
                         .rotation = std::atoi(argv[4]),
                         .frames_per_s = std::atoi(argv[5]),
                         .quality = std::atof(argv[6]),
                         .megabits = std::atof(argv[7])});
  const auto say_ok = [&file] { Say("ok " + file.encoder() + "\n"); };
  const absl::Status status = Run(file, say_ok);
  if (status.ok()) {
    say_ok();
    return 0;
  }
  const Reason reason = ReasonOf(status).value_or(Reason::kInternal);
  Say(std::string(Info(reason).name) + " " + std::string(Message(status)) + "\n");
  return 1;
}
