// SPDX-License-Identifier: Apache-2.0
#include "decode/child/decoders.h"

#include <algorithm>
#include <array>

#include "decode/child/libav.h"

namespace glint {
namespace {

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

}  // namespace

bool IsDecodable(std::string_view codec) {
  return std::ranges::any_of(kDecoders, [codec](const Decoder& decoder) {
    return codec == avcodec_get_name(decoder.codec) &&
           avcodec_find_decoder_by_name(decoder.name) != nullptr;
  });
}

const AVCodec* DecoderFor(int codec_id) {
  const auto* known = std::ranges::find_if(
      kDecoders, [codec_id](const Decoder& decoder) { return decoder.codec == codec_id; });
  return known == kDecoders.end() ? nullptr : avcodec_find_decoder_by_name(known->name);
}

const std::string& DecoderNames() {
  static const std::string names = [] {
    std::string list;
    for (const Decoder& decoder : kDecoders) {
      if (!list.empty()) list += ',';
      list += decoder.name;
    }
    return list;
  }();
  return names;
}

std::string_view FfmpegVersion() { return av_version_info(); }

}  // namespace glint
