// SPDX-License-Identifier: Apache-2.0
#include "bench/timing/scene.h"

#include <cstdint>

namespace glint {
namespace {

std::uint32_t Mixed(std::uint32_t x, std::uint32_t y, std::uint32_t seed) {
  std::uint32_t value = x * 0x9E3779B1U ^ y * 0x85EBCA77U ^ seed * 0xC2B2AE3DU;
  value ^= value >> 15;
  value *= 0x2C1B3C6DU;
  return value ^ value >> 13;
}

/// Noise of 16x16 px cells, linear between their corners.
int Texture(int x, int y) {
  constexpr int kCell = 16;
  const auto corner = [&](int i, int j) {
    return static_cast<int>(Mixed(static_cast<std::uint32_t>(x / kCell + i),
                                  static_cast<std::uint32_t>(y / kCell + j), 1) &
                            255);
  };
  const int u = x % kCell, v = y % kCell;
  const int top = corner(0, 0) * (kCell - u) + corner(1, 0) * u;
  const int bottom = corner(0, 1) * (kCell - u) + corner(1, 1) * u;
  return (top * (kCell - v) + bottom * v) / (kCell * kCell);
}

Plane Frame(Size size, int index) {
  Plane frame = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) {
    auto* row = frame.Row<std::uint8_t>(y);
    for (int x = 0; x < size.width; ++x) {
      const auto grain = Mixed(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                               static_cast<std::uint32_t>(index) + 2) %
                         9;
      row[x] = static_cast<std::uint8_t>(Texture(x + index, y + index / 2) * 240 / 256 +
                                         static_cast<int>(grain));
    }
  }
  return frame;
}

Plane Filled(Size size, std::uint8_t value) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) plane.Row<std::uint8_t>(y)[x] = value;
  }
  return plane;
}

}  // namespace

BenchScene BenchScene::Make(Size size, int frames) {
  BenchScene scene{.size = size, .frames = {}, .valid = {}, .surface = Filled(size, 255)};
  for (int i = 0; i < frames; ++i) {
    scene.frames.push_back(Frame(size, i));
    scene.valid.push_back(Filled(size, 255));
  }
  return scene;
}

}  // namespace glint
