// SPDX-License-Identifier: Apache-2.0
// Any bytes, opened as a video: the container and decoder boundary must answer with frames or with
// an error, never crash, hang, or break its limits.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "decode/in_process.h"
#include "glint/error.h"

namespace {

constexpr glint::VideoLimits kLimits = {.max_pixels = 256LL * 256,
                                        .min_side = 16,
                                        .max_frames = 200,
                                        .max_duration_s = 60,
                                        .max_streams = 4,
                                        .max_bytes = 1 << 20};
constexpr int kMaxFrames = 20;

void Require(bool holds) {
  if (!holds) std::abort();
}

void CheckFrame(const glint::VideoFrame& frame, const glint::VideoInfo& info) {
  Require(frame.luma.size() == info.size);
  Require(info.size.area() <= kLimits.max_pixels);
  unsigned sum = 0;  // reads every byte that the frame says it has
  for (int y = 0; y < frame.luma.height(); ++y) {
    for (int x = 0; x < frame.luma.width(); ++x) sum += frame.luma.Row<std::uint8_t>(y)[x];
  }
  const glint::Plane rgb = frame.picture->ToRgb();
  Require(rgb.size() == info.size && (sum > 0 || rgb.data() != nullptr));
}

void Decode(const std::string& path) {
  const auto source = glint::OpenVideoInProcess(path, {.limits = kLimits, .threads = 1});
  if (!source.ok()) {
    Require(!glint::Message(source.status()).empty());
    return;
  }
  std::int64_t last_us = -1;
  for (int i = 0; i < kMaxFrames; ++i) {
    const auto frame = (*source)->Next();
    if (!frame.ok() || !frame->has_value()) return;
    Require((*frame)->index == i && (*frame)->timestamp_us > last_us);
    last_us = (*frame)->timestamp_us;
    CheckFrame(**frame, (*source)->info());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = memfd_create("video", MFD_CLOEXEC);
  if (file < 0) return 0;
  if (write(file, data, size) == static_cast<ssize_t>(size)) {
    Decode("/proc/self/fd/" + std::to_string(file));
  }
  close(file);
  return 0;
}
