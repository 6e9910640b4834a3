// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "decode/child/libav.h"

namespace glint {

/// A GPU's video decoder behind libav's own: libav reads the stream and has this make the pictures.
/// Serves one video.
class VideoAccelerator {
 public:
  virtual ~VideoAccelerator() = default;
  /// As reports call it: "nvdec".
  virtual std::string_view name() const = 0;
  /// The pixel format of pictures that are still on the GPU.
  virtual AVPixelFormat surface() const = 0;
  /// What AVCodecContext::hw_device_ctx refers to; null where libav needs none.
  virtual AVBufferRef* device() const = 0;
  /// Copies the pixels of a picture to host memory.
  /// @param to  empty; gets buffers of its own and a size, which may be larger than the picture's
  /// @return 0, or one of libav's error codes
  virtual int Download(AVFrame& to, const AVFrame& picture) = 0;
};

/// Who decodes a video, and why.
struct Acceleration {
  std::shared_ptr<VideoAccelerator> accelerator;  ///< null: the CPU does
  std::string why;
};

/// Whether every decoder of the codec must give the same pictures, by the codec's standard, so that
/// a GPU's may take the place of glint's.
inline bool IsDecodedExactly(AVCodecID codec) {
  return codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC || codec == AV_CODEC_ID_VP8 ||
         codec == AV_CODEC_ID_VP9;
}

/// Whether the GPU's decoders know the profile: those of 4:2:0 with 8 or 10 bits. It is known when
/// the first frame is; FFmpeg asks a GPU to decode some others, too.
inline bool IsAcceleratedProfile(AVCodecID codec, int profile) {
  if (codec == AV_CODEC_ID_H264) {
    const int plain = profile & ~FF_PROFILE_H264_CONSTRAINED;
    return plain == FF_PROFILE_H264_BASELINE || plain == FF_PROFILE_H264_MAIN ||
           plain == FF_PROFILE_H264_HIGH;
  }
  if (codec == AV_CODEC_ID_HEVC) {
    return profile == FF_PROFILE_HEVC_MAIN || profile == FF_PROFILE_HEVC_MAIN_10;
  }
  if (codec == AV_CODEC_ID_VP9) {
    return profile == FF_PROFILE_VP9_0 || profile == FF_PROFILE_VP9_2;
  }
  return codec == AV_CODEC_ID_VP8;
}

}  // namespace glint
