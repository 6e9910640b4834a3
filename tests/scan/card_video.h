// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

#include "support/test_video.h"

namespace glint {

/// A patterned card with a scratch that glitters in some frames, moving a little.
class CardVideo {
 public:
  static constexpr Size kFrame{192, 144};
  static constexpr int kFrames = 24;

  static void Write(const std::string& path) {
    WriteTestVideo(path, {.size = kFrame, .frames = kFrames, .lossless = false}, &Fill);
  }

 private:
  static void Fill(int index, TestFrame& frame) {
    const int shift = index / 6;
    for (int y = 0; y < kFrame.height; ++y) {
      for (int x = 0; x < kFrame.width; ++x) {
        const int u = x - 40 - shift, v = y - 24;
        const bool on_card = u >= 0 && u < 112 && v >= 0 && v < 96;
        const double wave = std::sin(0.31 * u + 0.13 * v) + std::sin(0.17 * u - 0.23 * v);
        const bool scratch = std::abs(u - v - 10) < 2 && u > 30 && u < 80 && index % 3 == 0;
        const int card = 140 + static_cast<int>(std::lround(22 * wave)) + (scratch ? 60 : 0);
        frame.Set(0, x, y, on_card ? card : 35 + (x * 7 + y * 13) % 5);
      }
    }
    for (const int component : {1, 2}) {
      for (int y = 0; y < frame.size(component).height; ++y) {
        for (int x = 0; x < frame.size(component).width; ++x) frame.Set(component, x, y, 128);
      }
    }
  }
};

}  // namespace glint
