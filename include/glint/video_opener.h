// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "glint/video.h"

namespace glint {

/// OpenVideo, or what does the same otherwise. Called from several threads.
using VideoOpener = std::function<absl::StatusOr<std::unique_ptr<VideoSource>>(
    const std::filesystem::path& file, const VideoOptions& options, const CancelToken& cancel)>;

/// Whether the decoder's process is confined: whether it gives up all rights but to read its video.
enum class SandboxMode {
  kAuto,  ///< where that works; otherwise it is not, with a warning
  kOn,    ///< or nothing is decoded: DEVICE_UNAVAILABLE where it does not work
  kOff,   ///< it is not: for videos that are trusted
};

/// How videos are opened.
struct VideoOpenerOptions {
  /// The program that decodes, glint-decode of this build. "": where GLINT_DECODER says, else
  /// beside this program or in ../libexec/glint.
  std::filesystem::path decoder;
  SandboxMode sandbox = SandboxMode::kAuto;
  std::optional<DecodeMode> decode;  ///< in the place of VideoOptions::decode
  /// Told once when videos are decoded without the sandbox, and once when the system refuses a part
  /// of its protection; from any thread that opens videos. May be empty.
  std::function<void(std::string_view)> warn;
};

/// What a scan opens videos with. The decoder is looked for once, and kept open: what replaces its
/// file later is not started.
/// Errors: DEVICE_UNAVAILABLE there is no decoder, with where it was looked for. A decoder of
/// another build is found out, and is the same error, when the first video is opened.
absl::StatusOr<VideoOpener> MakeVideoOpener(const VideoOpenerOptions& options);

}  // namespace glint
