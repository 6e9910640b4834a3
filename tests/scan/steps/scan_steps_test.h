// SPDX-License-Identifier: Apache-2.0
// What single steps of a scan are tested with: a drawn card, and everything that a scan works with.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "scan/steps/scan_steps.h"
#include "support/fake_video.h"
#include "support/memory_store.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {

class ScanSteps : public testing::Test {
 protected:
  static constexpr Size kFrame{320, 240};
  static constexpr Rectangle kCard{70, 40, 180, 150};  ///< in frame 0

  void SetUp() override {
    auto cpu = SelectBackend("cpu", BackendTable(), {.pool = &pool_});
    ASSERT_THAT(cpu, IsOk());
    auto stages = StageSet::Make(cpu->backend);
    ASSERT_THAT(stages, IsOk());
    stages_ = *std::move(stages);
    devices_ = std::make_unique<DevicePool>(*std::move(cpu));
    deps_ = std::make_unique<ScanDeps>(ScanDeps{*fetcher_, store_, *devices_, pool_});
    request_.scan_id = "scan-1";
    request_.prefix = "scan-1";
    request_.item_type = "card";
    request_.profile = kProfileClassic;
  }

  ScanContext scan() { return {request_, *deps_, params_, cancel_, clock_}; }

  /// A printed card on a dark table, `shift` pixels to the right.
  static Plane Card(int shift) {
    Plane luma = Plane::Host(kFrame, PixelType::kU8);
    for (int y = 0; y < kFrame.height; ++y) {
      for (int x = 0; x < kFrame.width; ++x) {
        const int u = x - kCard.x - shift, v = y - kCard.y;
        const bool on_card = u >= 0 && u < kCard.width && v >= 0 && v < kCard.height;
        const double print = std::sin(0.31 * u + 0.13 * v) + std::sin(0.17 * u - 0.23 * v) +
                             std::sin(0.07 * v * std::sin(0.05 * u));
        luma.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(
            on_card ? 150 + std::lround(20 * print) : 35 + (x * 7 + y * 13) % 5);
      }
    }
    return luma;
  }

  /// A video of the card, which moves `px_per_frame`.
  static std::unique_ptr<FakeVideo> CardVideo(std::int64_t frames, double px_per_frame) {
    return std::make_unique<FakeVideo>(kFrame, frames, [px_per_frame](std::int64_t index) {
      return Card(static_cast<int>(std::lround(px_per_frame * static_cast<double>(index))));
    });
  }

  static std::vector<VideoFrame> FramesOf(VideoSource& video) {
    std::vector<VideoFrame> frames;
    for (auto next = video.Next(); next.ok() && next->has_value(); next = video.Next()) {
      frames.push_back(**std::move(next));
    }
    return frames;
  }

  /// What OpenInput gives for a video.
  Opened OpenedOf(std::unique_ptr<VideoSource> video) const {
    Opened opened{.video = std::move(video)};
    opened.report.profile = request_.profile;
    opened.report.video = opened.video->info();
    opened.report.motion_limit_px = 1;
    return opened;
  }

  /// What SelectFrames gives when all frames of a video are chosen.
  Selected SelectedOf(std::vector<VideoFrame> frames) const {
    Selected selected{.golden = std::move(frames)};
    selected.report.profile = request_.profile;
    for (const VideoFrame& frame : selected.golden) {
      selected.report.frames.push_back({.index = frame.index});
      selected.report.golden.push_back({.measure = {.index = frame.index}});
    }
    return selected;
  }

  TempFolder folder_;
  ThreadPool pool_{2};
  MemoryStore store_;
  std::unique_ptr<Fetcher> fetcher_ = MakeFileFetcher();
  std::unique_ptr<DevicePool> devices_;
  std::unique_ptr<ScanDeps> deps_;
  ScanRequest request_;
  AnalysisParams params_;
  std::stop_source stop_;
  CancelToken cancel_{stop_.get_token()};
  StepClock clock_{nullptr};
  StageSet stages_;
};

}  // namespace glint
