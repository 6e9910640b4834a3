// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "decode/in_process.h"

namespace glint {

/// A video decoded to its end.
struct DecodedVideo {
  VideoInfo info;
  std::vector<VideoFrame> frames;
  DecodeSummary summary;
};

/// Opens and decodes a whole file. Errors: those of OpenVideo and Next.
inline absl::StatusOr<DecodedVideo> DecodeAll(const std::filesystem::path& file,
                                              const VideoOptions& options = {}) {
  auto source = OpenVideoInProcess(file, options);
  if (!source.ok()) return source.status();
  DecodedVideo video;
  while (true) {
    auto frame = (*source)->Next();
    if (!frame.ok()) return frame.status();
    if (!frame->has_value()) break;
    video.frames.push_back(**std::move(frame));
  }
  video.info = (*source)->info();
  video.summary = (*source)->summary();
  return video;
}

inline std::string ReadBytes(const std::filesystem::path& file) {
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace glint
