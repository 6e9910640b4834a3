// SPDX-License-Identifier: Apache-2.0
#include "support/loop_video.h"

extern "C" {
#include <libavformat/avformat.h>
}

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

namespace glint {
namespace {

void Require(int code, const std::string& what) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  if (code < 0)
    throw std::runtime_error(what + ": " + av_make_error_string(text, sizeof text, code));
}

struct CloseInput {
  void operator()(AVFormatContext* p) const { avformat_close_input(&p); }
};
struct CloseOutput {
  void operator()(AVFormatContext* p) const {
    avio_closep(&p->pb);
    avformat_free_context(p);
  }
};
struct FreePacket {
  void operator()(AVPacket* p) const { av_packet_free(&p); }
};
using Input = std::unique_ptr<AVFormatContext, CloseInput>;
using Output = std::unique_ptr<AVFormatContext, CloseOutput>;

Input OpenInput(const std::filesystem::path& file) {
  AVFormatContext* raw = nullptr;
  Require(avformat_open_input(&raw, ("file:" + file.string()).c_str(), nullptr, nullptr),
          "opening " + file.string());
  return Input(raw);
}

Output OpenOutput(const std::filesystem::path& file, const AVStream& like) {
  AVFormatContext* raw = nullptr;
  Require(avformat_alloc_output_context2(&raw, nullptr, nullptr, file.c_str()), "the container");
  Output output(raw);
  AVStream* stream = avformat_new_stream(raw, nullptr);
  if (stream == nullptr) throw std::runtime_error("avformat_new_stream failed");
  Require(avcodec_parameters_copy(stream->codecpar, like.codecpar), "stream parameters");
  stream->codecpar->codec_tag = 0;
  stream->time_base = like.time_base;
  stream->avg_frame_rate = like.avg_frame_rate;
  Require(avio_open(&raw->pb, ("file:" + file.string()).c_str(), AVIO_FLAG_WRITE),
          "creating " + file.string());
  Require(avformat_write_header(raw, nullptr), "the header");
  return output;
}

}  // namespace

void LoopVideo(const std::filesystem::path& from, const std::filesystem::path& to, int times) {
  Output output;
  std::int64_t shift = 0;  // of the next round's timestamps, in ticks of the source
  for (int round = 0; round < times; ++round) {
    const Input input = OpenInput(from);
    const AVStream& stream = *input->streams[0];
    if (!output) output = OpenOutput(to, stream);
    const std::unique_ptr<AVPacket, FreePacket> packet(av_packet_alloc());
    std::int64_t end = shift;
    while (packet && av_read_frame(input.get(), packet.get()) >= 0) {
      packet->pts += shift;
      packet->dts += shift;
      end = std::max(end, packet->pts + packet->duration);
      av_packet_rescale_ts(packet.get(), stream.time_base, output->streams[0]->time_base);
      Require(av_interleaved_write_frame(output.get(), packet.get()), "writing a packet");
    }
    shift = end;
  }
  Require(av_write_trailer(output.get()), "the trailer");
}

}  // namespace glint
