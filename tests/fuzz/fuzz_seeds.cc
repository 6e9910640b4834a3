// SPDX-License-Identifier: Apache-2.0
// Writes the seeds of video_fuzzer: one tiny video for each container and codec.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "support/test_video.h"

namespace {

// Smooth, so that the files stay small.
void Fill(int index, glint::TestFrame& frame) {
  for (int c = 0; c < frame.components(); ++c) {
    for (int y = 0; y < frame.size(c).height; ++y) {
      for (int x = 0; x < frame.size(c).width; ++x) frame.Set(c, x, y, 64 + x + 2 * y + 3 * index);
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_seeds <folder>\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  glint::TestVideoOptions base = {.size = {32, 32}, .frames = 4, .lossless = false};
  struct Seed {
    std::string name, codec, pixel_format, flags;
    double degrees = 0;
  };
  const std::vector<Seed> seeds = {
      {"h264.mp4", "libx264", "yuv420p", "", 90},
      {"h264_fragments.mp4", "libx264", "yuv420p", "frag_keyframe+empty_moov"},
      {"h264_444.mkv", "libx264", "yuv444p10le", ""},
      {"h264.avi", "libx264", "yuv420p", ""},
      {"hevc10.mp4", "libx265", "yuv420p10le", "faststart"},
      {"vp8.webm", "libvpx", "yuv420p", ""},
      {"vp9.webm", "libvpx-vp9", "yuv444p", ""},
      {"av1.mp4", "libaom-av1", "yuv420p", ""},
      {"mjpeg.mov", "mjpeg", "yuv422p", ""},
      {"mpeg4.avi", "mpeg4", "yuv420p", ""},
  };
  for (const Seed& seed : seeds) {
    glint::TestVideoOptions options = base;
    options.codec = seed.codec;
    options.pixel_format = seed.pixel_format;
    options.full_range = seed.codec == "mjpeg";
    options.muxer_flags = seed.flags;
    if (seed.degrees != 0) options.display_matrix = glint::RotationMatrix(seed.degrees);
    glint::WriteTestVideo(folder / seed.name, options, Fill);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "fuzz_seeds: %s\n", error.what());
  return 1;
}
