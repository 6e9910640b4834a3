// SPDX-License-Identifier: Apache-2.0
#include "cli/clips.h"

#include <cstdint>

namespace glint {
namespace {

/// Blocks of grey that differ from their neighbours, the same in every frame: texture to measure
/// and corners to find. 30 on the desk.
int CardLuma(int x, int y, Size size) {
  const bool inside = x > size.width / 5 && x < size.width * 4 / 5 && y > size.height / 8 &&
                      y < size.height * 7 / 8;
  if (!inside) return 30;
  std::uint32_t hash =
      static_cast<std::uint32_t>(x / 7) * 73856093U ^ static_cast<std::uint32_t>(y / 5) * 19349663U;
  hash = (hash ^ (hash >> 13U)) * 1274126177U;
  return 90 + static_cast<int>(hash >> 24U) * 140 / 255;
}

}  // namespace

void WriteCardVideo(const std::filesystem::path& file, const TestVideoOptions& options) {
  WriteTestVideo(file, options, [](int, TestFrame& frame) {
    for (int component = 0; component < frame.components(); ++component) {
      const Size size = frame.size(component);
      const int scale = 1 << (frame.depth() - 8);
      for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
          frame.Set(component, x, y, scale * (component == 0 ? CardLuma(x, y, size) : 128));
        }
      }
    }
  });
}

}  // namespace glint
