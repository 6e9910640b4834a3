// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/desk.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/synth/canvas.h"
#include "bench/synth/maths.h"
#include "bench/synth/random.h"

namespace glint {
namespace {

constexpr int kWidth = 2048;
constexpr int kHeight = 1024;

/// Boards along x with grain, of different tones, with dark joints.
Colour Wood(int x, int y, Colour tone, std::uint32_t seed) {
  constexpr int kBoard = kHeight / 4;
  const int board = y / kBoard;
  const double own = ValueNoise(board + 0.5, 0.5, seed) - 0.5;
  const double bend = 14 * ValueNoise(x / 256.0, board, seed + 1, kWidth / 256);
  const double grain =
      FractalNoise(x / 128.0, (y + bend) / 4 + board * 37, seed + 2, 3, kWidth / 128) - 0.5;
  const double fine = ValueNoise(x / 32.0, y, seed + 3, kWidth / 32) - 0.5;
  const int joint = std::min(y % kBoard, kBoard - y % kBoard);
  const double gain = 1 + 0.35 * own + 0.5 * grain + 0.12 * fine - (joint < 2 ? 0.6 : 0);
  return Mix({0, 0, 0}, tone, std::clamp(gain, 0.1, 1.6));
}

/// Noise that fits the texture's period. @param size  of its coarsest grain, a power of two
double Cloud(int x, int y, int size, int octaves, std::uint32_t seed) {
  return FractalNoise(static_cast<double>(x) / size, static_cast<double>(y) / size, seed, octaves,
                      kWidth / size, kHeight / size) -
         0.5;
}

/// Woven threads.
Colour Cloth(int x, int y, Colour tone, std::uint32_t seed) {
  const double weave = 0.5 * Sine(x / 4.0) * Sine(y / 4.0) + 0.5;
  const double gain =
      0.85 + 0.18 * weave + 0.5 * Cloud(x, y, 8, 3, seed) + 0.2 * Cloud(x, y, 256, 2, seed + 1);
  return Mix({0, 0, 0}, tone, gain);
}

Colour Stone(int x, int y, Colour tone, std::uint32_t seed) {
  const double speck = Cloud(x, y, 4, 1, seed + 1);
  const double gain = 1 + 0.3 * Cloud(x, y, 64, 4, seed) +
                      (speck > 0.4     ? -0.45
                       : speck < -0.44 ? 0.25
                                       : 0);
  return Mix({0, 0, 0}, tone, gain);
}

Colour Felt(int x, int y, Colour tone, std::uint32_t seed) {
  return Mix({0, 0, 0}, tone,
             1 + 0.3 * Cloud(x, y, 4, 2, seed) + 0.25 * Cloud(x, y, 128, 3, seed + 1));
}

using Pattern = Colour (*)(int, int, Colour, std::uint32_t);
struct Material {
  Pattern pattern;
  Colour tone;
};
constexpr std::array<Material, 6> kMaterials = {{
    {Wood, {112, 78, 52}},
    {Wood, {74, 52, 40}},
    {Cloth, {52, 74, 104}},
    {Stone, {104, 106, 108}},
    {Felt, {46, 84, 66}},
    {Felt, {58, 58, 66}},
}};

}  // namespace

Desk::Desk(double scale, std::uint32_t seed)
    : texels_per_pixel_(1 / scale), texture_(Plane::Host({kWidth, kHeight}, PixelType::kU8x3)) {
  Random random(seed, 5);
  const Material& material = random.Pick(kMaterials);
  const std::uint32_t own = random.Bits();
  for (int y = 0; y < kHeight; ++y) {
    auto* row = texture_.Row<std::uint8_t>(y);
    for (int x = 0; x < kWidth; ++x) {
      const Colour colour = material.pattern(x, y, material.tone, own);
      *row++ = static_cast<std::uint8_t>(std::clamp(colour.r, 0, 255));
      *row++ = static_cast<std::uint8_t>(std::clamp(colour.g, 0, 255));
      *row++ = static_cast<std::uint8_t>(std::clamp(colour.b, 0, 255));
    }
  }
}

Radiance Desk::At(double x, double y) const {
  // Far to the positive side, where casting rounds down; whole repeats change nothing.
  constexpr int kRepeats = 8;
  const double u = x * texels_per_pixel_ + kRepeats * kWidth;
  const double v = y * texels_per_pixel_ + kRepeats * kHeight;
  const int left = static_cast<int>(u);
  const int top = static_cast<int>(v);
  const auto fx = static_cast<float>(u - left);
  const auto fy = static_cast<float>(v - top);
  const int x0 = left & (kWidth - 1);
  const int x1 = (left + 1) & (kWidth - 1);
  const auto* upper = texture_.Row<std::uint8_t>(top & (kHeight - 1));
  const auto* lower = texture_.Row<std::uint8_t>((top + 1) & (kHeight - 1));
  Radiance colour;
  for (int i = 0; i < 3; ++i) {
    const float above = static_cast<float>(upper[3 * x0 + i]) * (1 - fx) +
                        static_cast<float>(upper[3 * x1 + i]) * fx;
    const float below = static_cast<float>(lower[3 * x0 + i]) * (1 - fx) +
                        static_cast<float>(lower[3 * x1 + i]) * fx;
    const float value = (above * (1 - fy) + below * fy) * (1 / 255.0F);
    colour[static_cast<std::size_t>(i)] = value * value;
  }
  return colour;
}

}  // namespace glint
