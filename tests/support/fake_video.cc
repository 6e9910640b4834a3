// SPDX-License-Identifier: Apache-2.0
#include "support/fake_video.h"

#include <array>
#include <cmath>
#include <numbers>
#include <random>

namespace glint {
namespace {

/// The luma as a picture without colour.
class GreyPicture final : public RawPicture {
 public:
  explicit GreyPicture(Plane luma) : luma_(std::move(luma)) {}

  Plane ToRgb() const override {
    Plane rgb = Plane::Host(luma_.size(), PixelType::kU8x3);
    for (int y = 0; y < luma_.height(); ++y) {
      for (int x = 0; x < 3 * luma_.width(); ++x) {
        rgb.Row<std::uint8_t>(y)[x] = luma_.Row<std::uint8_t>(y)[x / 3];
      }
    }
    return rgb;
  }
  Plane ToLuma() const override { return luma_; }

 private:
  Plane luma_;
};

}  // namespace

FakeVideo::FakeVideo(Size size, std::int64_t frames, std::function<Plane(std::int64_t)> luma)
    : luma_(std::move(luma)) {
  info_ = {.container = "fake",
           .codec = "fake",
           .pixel_format = "gray",
           .coded_size = size,
           .size = size,
           .frames = frames,
           .duration_s = static_cast<double>(frames) / 30,
           .frames_per_s = 30};
}

void FakeVideo::FailAt(std::int64_t index, absl::Status status) {
  fail_at_ = index;
  failure_ = std::move(status);
}

absl::StatusOr<std::optional<VideoFrame>> FakeVideo::Next() {
  const std::int64_t index = summary_.frames;
  if (index == fail_at_) return failure_;
  if (index == info_.frames) return std::nullopt;
  ++summary_.frames;
  VideoFrame frame{.index = index, .timestamp_us = index * 1'000'000 / 30, .luma = luma_(index)};
  frame.picture = std::make_shared<GreyPicture>(frame.luma);
  return frame;
}

Plane ShiftedTexture(Size size, double dx, double dy, std::uint32_t seed) {
  struct Wave {
    double fx, fy, phase;
  };
  std::mt19937 random(seed);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  std::array<Wave, 12> waves{};
  for (Wave& wave : waves) {
    wave = {(uniform() - 0.5) * 1.2, (uniform() - 0.5) * 1.2, 2 * std::numbers::pi * uniform()};
  }
  Plane plane = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      double sum = 0;
      for (const Wave& wave : waves)
        sum += std::sin(wave.fx * (x - dx) + wave.fy * (y - dy) + wave.phase);
      plane.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(std::lround(127.5 + 10 * sum));
    }
  }
  return plane;
}

}  // namespace glint
