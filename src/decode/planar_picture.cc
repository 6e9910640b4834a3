// SPDX-License-Identifier: Apache-2.0
#include "decode/planar_picture.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace glint {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are read as little-endian");

constexpr std::string_view kReadable =
    "gray gray9le gray10le gray12le gray14le gray16le "
    "yuv410p yuv411p yuvj411p yuv440p yuvj440p yuv440p10le yuv440p12le "
    "yuv420p yuvj420p yuv420p9le yuv420p10le yuv420p12le yuv420p14le yuv420p16le "
    "yuv422p yuvj422p yuv422p9le yuv422p10le yuv422p12le yuv422p14le yuv422p16le "
    "yuv444p yuvj444p yuv444p9le yuv444p10le yuv444p12le yuv444p14le yuv444p16le "
    "yuva420p yuva420p9le yuva420p10le yuva420p16le "
    "yuva422p yuva422p9le yuva422p10le yuva422p12le yuva422p16le "
    "yuva444p yuva444p9le yuva444p10le yuva444p12le yuva444p16le "
    "nv12 nv16 nv20le nv21 nv24 nv42 p010le p016le p210le p216le p410le p416le";

}  // namespace

bool IsReadablePixelFormat(std::string_view name) {
  std::string_view rest = kReadable;
  while (!rest.empty()) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, blank) == name) return true;
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return false;
}

void ReadRow(const PlanarPicture& picture, int component, int y, int count, std::uint16_t* out) {
  const PixelLayout& layout = picture.layout;
  const PixelLayout::Component& c = layout.components[static_cast<std::size_t>(component)];
  const auto plane = static_cast<std::size_t>(c.plane);
  const std::uint8_t* from = picture.data[plane] + y * picture.stride[plane] + c.offset;
  if (layout.depth == 8) {
    for (int x = 0; x < count; ++x) out[x] = from[std::ptrdiff_t{x} * c.step];
    return;
  }
  const auto mask = static_cast<std::uint16_t>((1U << layout.depth) - 1);
  for (int x = 0; x < count; ++x) {
    std::uint16_t sample = 0;
    std::memcpy(&sample, from + std::ptrdiff_t{x} * c.step, sizeof sample);
    out[x] = static_cast<std::uint16_t>(sample >> c.shift) & mask;
  }
}

}  // namespace glint
