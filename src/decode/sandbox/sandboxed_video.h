// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decode/helper_program.h"
#include "glint/cancel.h"
#include "glint/video.h"

namespace glint {

/// How a decoder child is started, and what it may use.
struct SandboxOptions {
  std::shared_ptr<const HelperProgram> program = nullptr;  ///< null: HelperProgram::Find()
  std::vector<std::string> arguments = {};                 ///< of the program
  bool confined = true;                   ///< false: the child keeps all rights of this process
  bool whole = false;                     ///< a protection that the system refuses is a failure
  std::int64_t memory_bytes = 4LL << 30;  ///< the child's private memory
  std::int64_t frame_bytes = 4LL << 30;   ///< memory for frames that both share; beyond it: copies
  std::int64_t cpu_s = 3'600;             ///< the child's processor time, seconds
  std::chrono::seconds patience{120};     ///< for a child that shows no sign of life
  /// Told which protections the system refused, if any; from the thread that opens the video.
  std::function<void(std::string_view missing)> on_missing;
};

/// Opens a video in a process of its own, which holds no rights but to read this file and to
/// answer: whatever the video does to the decoder, only this video fails. Errors: those of
/// OpenVideo; DECODER_DIED when the child crashes, hangs, lies or is killed, in Open and Next; and
/// OUT_OF_MEMORY when shared memory cannot be had.
///
/// With DecodeMode::kNvdec the child opens the GPU's driver before it reads the video, and keeps
/// more system calls for it (ConfineForDriver). When it dies before the first frame, another child
/// decodes on the CPU, and VideoInfo::decoder_why says so.
///
/// Frames lie in memory shared with the child and stay valid when the source is gone; what else the
/// child writes there later can only change their colours.
/// @param started  set to whether the child was running confined, so that an error is the video's
absl::StatusOr<std::unique_ptr<VideoSource>> OpenVideoInSandbox(const std::filesystem::path& file,
                                                                const VideoOptions& options,
                                                                const CancelToken& cancel,
                                                                const SandboxOptions& sandbox,
                                                                bool* started = nullptr);

/// What a decoder child says of itself.
struct DecoderStatus {
  std::filesystem::path program;
  bool confined = true;  ///< whether it gives up its rights
  std::string missing;   ///< protections that this system refuses, or why it is not confined; or ""
  std::string ffmpeg_version;                        ///< e.g. "5.1.6-0+deb12u1"
  std::vector<std::pair<std::string, bool>> codecs;  ///< those that glint decodes; whether it can
  bool accelerated = false;                          ///< whether a GPU would decode
  std::string decoder_why;                           ///< why it would, or would not
};

/// Decodes a small video of its own in a child, as a scan would, to the last frame. Errors: as
/// OpenVideoInSandbox; INTERNAL when the frames are not there
absl::Status TryToDecode(const SandboxOptions& how, const CancelToken& cancel = {});

/// Starts a child and lets it confine itself, without a video. Errors: DEVICE_UNAVAILABLE when the
/// decoder is missing, may not run or is of another build; otherwise as OpenVideoInSandbox
absl::StatusOr<DecoderStatus> ProbeDecoder(const SandboxOptions& sandbox,
                                           DecodeMode decode = DecodeMode::kAuto,
                                           const CancelToken& cancel = {});

}  // namespace glint
