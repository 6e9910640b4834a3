// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

struct AVCodec;

namespace glint {

/// Whether this FFmpeg has glint's decoder for the codec of that name.
bool IsDecodable(std::string_view codec);

/// FFmpeg's decoder for an AVCodecID; null for a codec that is not on the list or missing here.
const AVCodec* DecoderFor(int codec_id);

/// The names of all decoders on the list, as FFmpeg's codec_whitelist takes them.
const std::string& DecoderNames();

/// FFmpeg's version, e.g. "5.1.6-0+deb12u1".
std::string_view FfmpegVersion();

}  // namespace glint
