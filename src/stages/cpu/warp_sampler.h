// SPDX-License-Identifier: Apache-2.0
// What a warp reads at its places, on the CPU.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "glint/plane.h"
#include "stages/cpu/warp_places.h"
#include "stages/shared/warp_coordinates.h"

namespace glint {

/// Reads pixels of `channels` bytes, also outside of the source.
template <int channels>
class Sampler {
 public:
  /// The source's fields are copied, since writing bytes makes a compiler read them again through a
  /// reference.
  Sampler(const Plane& source, std::optional<std::uint8_t> border)
      : pixels_(source.Row<std::uint8_t>(0)),
        stride_(source.stride()),
        last_x_(source.width() - 1),
        last_y_(source.height() - 1),
        replicate_(!border) {
    border_.fill(border.value_or(0));
  }

  void Nearest(warp::Place place, std::uint8_t* out) const {
    constexpr int kHalf = warp::kOnePixel / 2;
    const std::uint8_t* pixel =
        At((place.x + kHalf) >> warp::kFractionBits, (place.y + kHalf) >> warp::kFractionBits);
    std::copy_n(pixel, channels, out);
  }

  void Linear(warp::Place place, std::uint8_t* out) const {
    const int x = place.x >> warp::kFractionBits;  // rounds down, also below 0
    const int y = place.y >> warp::kFractionBits;
    const warp::Weights weights(place);
    if (x >= 0 && y >= 0 && x < last_x_ && y < last_y_) {
      const std::uint8_t* top = Pixel(x, y);
      const std::uint8_t* bottom = top + stride_;
      Mix(weights, top, top + channels, bottom, bottom + channels, out);
    } else {
      Mix(weights, At(x, y), At(x + 1, y), At(x, y + 1), At(x + 1, y + 1), out);
    }
  }

  const std::uint8_t* pixels() const { return pixels_; }
  std::ptrdiff_t stride() const { return stride_; }
  int last_x() const { return last_x_; }
  int last_y() const { return last_y_; }

 private:
  static void Mix(const warp::Weights& weights, const std::uint8_t* p00, const std::uint8_t* p01,
                  const std::uint8_t* p10, const std::uint8_t* p11, std::uint8_t* out) {
    std::array<std::uint8_t, channels> mixed;
    for (int c = 0; c < channels; ++c) {
      mixed[static_cast<std::size_t>(c)] = weights.Mix(p00[c], p01[c], p10[c], p11[c]);
    }
    std::ranges::copy(mixed, out);
  }

  const std::uint8_t* Pixel(int x, int y) const {
    return pixels_ + y * stride_ + std::ptrdiff_t{x} * channels;
  }

  const std::uint8_t* At(int x, int y) const {
    const int inner_x = std::clamp(x, 0, last_x_);
    const int inner_y = std::clamp(y, 0, last_y_);
    const bool outside = inner_x != x || inner_y != y;
    return outside && !replicate_ ? border_.data() : Pixel(inner_x, inner_y);
  }

  const std::uint8_t* pixels_;
  std::ptrdiff_t stride_;
  int last_x_;
  int last_y_;
  bool replicate_;
  std::array<std::uint8_t, channels> border_;
};

/// Sampler::Linear for every pixel of a row, with the best instruction set of this machine.
void LinearRow(const Sampler<1>& sampler, const WarpPlaces& places, std::uint8_t* out);
void LinearRow(const Sampler<3>& sampler, const WarpPlaces& places, std::uint8_t* out);

}  // namespace glint
