// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "decode/sandbox/sandboxed_video.h"
#include "glint/video_opener.h"

namespace glint {

/// Whether videos are opened in a process of their own.
enum class SandboxMode {
  kAuto,  ///< where that works; otherwise in this process, with a warning
  kOn,    ///< or not at all: DEVICE_UNAVAILABLE where it does not work
  kOff,   ///< in this process
};

/// What a scan opens videos with. The program's main() must call RunDecodeChild() when its first
/// argument is kDecodeChildCommand (unless `sandbox` names another program that does).
/// @param decode  what decodes, in the place of VideoOptions::decode
/// @param warn  told once when a video is opened without the sandbox, and once when the system
/// refuses a part of its protection; from any thread that opens videos
VideoOpener MakeVideoOpener(SandboxMode mode, DecodeMode decode,
                            std::function<void(std::string_view)> warn,
                            const SandboxOptions& sandbox = {});

}  // namespace glint
