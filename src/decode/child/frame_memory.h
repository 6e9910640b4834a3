// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "decode/child/libav.h"

namespace glint {

class LibavLog;

/// Where a decoder puts its pictures, in place of libav's own pool.
class FrameMemory {
 public:
  virtual ~FrameMemory() = default;
  /// Gives `frame` buffers for a picture of its size and format, as AVCodecContext::get_buffer2 is
  /// asked to. Called from the decoder's threads, several at a time; must not throw.
  /// @return 0, or one of libav's error codes
  virtual int Allocate(AVCodecContext& codec, AVFrame& frame, int flags) = 0;
};

/// What the `opaque` of every AVCodecContext of ours points to.
struct CodecHooks {
  LibavLog* log = nullptr;
  FrameMemory* memory = nullptr;  ///< null: libav's own
  /// The format to be taken wherever the decoder offers it: a GPU's.
  AVPixelFormat surface = AV_PIX_FMT_NONE;
};

}  // namespace glint
