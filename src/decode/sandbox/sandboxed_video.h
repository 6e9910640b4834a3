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
#include <vector>

#include "decode/sandbox/decode_child.h"
#include "glint/cancel.h"
#include "glint/video.h"

namespace glint {

/// How a decoder child is started, and what it may use.
struct SandboxOptions {
  /// The program that calls RunDecodeChild() for these arguments: this program again, so that both
  /// ends are always of one build.
  std::string program = "/proc/self/exe";
  std::vector<std::string> arguments = {kDecodeChildCommand};
  std::int64_t memory_bytes = 4LL << 30;  ///< the child's private memory
  std::int64_t frame_bytes = 4LL << 30;   ///< memory for frames that both share; beyond it: copies
  std::int64_t cpu_s = 3'600;             ///< the child's processor time, seconds
  std::chrono::seconds patience{120};     ///< for a child that shows no sign of life
  /// Told which protections the system refused, if any; from the thread that opens the video.
  std::function<void(std::string_view missing)> on_missing;
};

/// OpenVideo in a process of its own, which holds no rights but to read this file and to answer:
/// whatever the video does to the decoder, only this video fails. Same frames, same errors; besides
/// these DECODER_DIED when the child crashes, hangs, lies or is killed, in Open and Next; and
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

/// Starts a child and lets it confine itself, without a video.
/// @return the protections that this system refuses, "" when all work. Errors: as starting a child
absl::StatusOr<std::string> ProbeSandbox(const SandboxOptions& sandbox);

}  // namespace glint
