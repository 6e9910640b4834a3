// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "glint/video.h"

namespace glint {

/// A video out of memory: frames that a function draws, and an error where one is wanted.
class FakeVideo final : public VideoSource {
 public:
  /// @param luma  draws frame `index`, kU8
  FakeVideo(Size size, std::int64_t frames, std::function<Plane(std::int64_t index)> luma);

  /// Makes Next() fail with this status instead of giving frame `index`.
  void FailAt(std::int64_t index, absl::Status status);

  const VideoInfo& info() const override { return info_; }
  absl::StatusOr<std::optional<VideoFrame>> Next() override;
  const DecodeSummary& summary() const override { return summary_; }

 private:
  VideoInfo info_;
  DecodeSummary summary_;
  std::function<Plane(std::int64_t)> luma_;
  std::int64_t fail_at_ = -1;
  absl::Status failure_;
};

/// A picture of smooth random texture, shifted by (dx, dy) pixels: what a moving camera sees.
/// @return kU8 on the host
Plane ShiftedTexture(Size size, double dx, double dy, std::uint32_t seed);

}  // namespace glint
