// SPDX-License-Identifier: Apache-2.0
// The C libraries of FFmpeg, their objects as owners, and their error codes as text.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/error.h>
#include <libavutil/pixdesc.h>
}

#include <memory>
#include <new>
#include <string>

namespace glint {

struct LibavCloser {
  void operator()(AVFormatContext* p) const { avformat_close_input(&p); }
  void operator()(AVCodecContext* p) const { avcodec_free_context(&p); }
  void operator()(AVFrame* p) const { av_frame_free(&p); }
  void operator()(AVPacket* p) const { av_packet_free(&p); }
  void operator()(AVIOContext* p) const {
    av_freep(&p->buffer);
    avio_context_free(&p);
  }
};
using FormatPtr = std::unique_ptr<AVFormatContext, LibavCloser>;
using CodecPtr = std::unique_ptr<AVCodecContext, LibavCloser>;
using FramePtr = std::unique_ptr<AVFrame, LibavCloser>;
using PacketPtr = std::unique_ptr<AVPacket, LibavCloser>;
using IoPtr = std::unique_ptr<AVIOContext, LibavCloser>;

/// An empty frame. Throws std::bad_alloc.
inline FramePtr NewFrame() {
  FramePtr frame(av_frame_alloc());
  if (!frame) throw std::bad_alloc();
  return frame;
}

/// An empty packet. Throws std::bad_alloc.
inline PacketPtr NewPacket() {
  PacketPtr packet(av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  return packet;
}

/// FFmpeg's own words for one of its error codes.
inline std::string LibavError(int code) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(code, text, sizeof text);
  return text;
}

}  // namespace glint
