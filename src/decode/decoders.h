// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct AVCodec;

namespace glint {

/// A codec that glint decodes, and whether the FFmpeg here can.
struct DecoderInfo {
  std::string_view codec;    ///< e.g. "h264"
  std::string_view decoder;  ///< FFmpeg's name of what decodes it, e.g. "libdav1d"
  bool available = false;
};

/// All codecs that glint decodes.
std::vector<DecoderInfo> Decoders();

/// FFmpeg's decoder for an AVCodecID; null for a codec that is not on the list or missing here.
const AVCodec* DecoderFor(int codec_id);

/// The names of all decoders on the list, as FFmpeg's codec_whitelist takes them.
const std::string& DecoderNames();

/// FFmpeg's version, e.g. "5.1.6-0+deb12u1".
std::string_view FfmpegVersion();

}  // namespace glint
