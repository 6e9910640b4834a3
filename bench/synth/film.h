// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "bench/synth/scene.h"
#include "bench/synth/video_writer.h"

namespace glint {

class ThreadPool;

/// The camera's sensor: turns views of a scene into pictures as video stores them. Keeps its
/// scratch memory; used by one thread at a time. The same bytes for any number of threads.
class Film {
 public:
  /// @param rotation  degrees clockwise that display adds; the pictures are stored turned back
  Film(const Scene& scene, int rotation, std::uint32_t seed, ThreadPool& pool);

  /// Exposes one frame. The picture is overwritten by the next call.
  const Yuv420Picture& Expose(std::size_t frame);

 private:
  void Render(std::size_t frame);
  void Blur(double sigma);
  void Develop(std::size_t frame);
  void DevelopRows(std::size_t frame, int pair);
  const float* PixelAt(int stored_x, int stored_y) const;

  const Scene& scene_;
  const int rotation_;
  const std::uint32_t seed_;
  ThreadPool& pool_;
  std::vector<float> rgb_;      // displayed frame, R, G, B, gamma-coded
  std::vector<float> scratch_;  // for Blur
  Yuv420Picture picture_;
};

}  // namespace glint
