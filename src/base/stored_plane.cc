// SPDX-License-Identifier: Apache-2.0
#include "glint/stored_plane.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/large_memory.h"
#include "base/packed_plane.h"

namespace glint {
namespace {

/// Whole blocks of a PackedPlane: a part is unpacked in so large pieces.
constexpr Size kTile = {128, 64};

int Tiled(int pixels, int tile) { return (pixels + tile - 1) / tile; }

/// Of the tile whose first pixel is (x, y).
Size TileAt(int x, int y, Size plane) {
  return {std::min(kTile.width, plane.width - x), std::min(kTile.height, plane.height - y)};
}

}  // namespace

/// The packed tiles, by rows. In one piece: many small ones would lie between what others need in
/// turn and keep it from them.
struct StoredPlane::Tiles {
  int across = 0;
  std::vector<std::size_t> ends;  // of each, bytes
  LargeMemory memory;

  std::span<const std::uint8_t> At(int tile) const {
    const auto at = static_cast<std::size_t>(tile);
    const std::size_t begin = at == 0 ? 0 : ends[at - 1];
    return {reinterpret_cast<const std::uint8_t*>(memory.data()) + begin, ends[at] - begin};
  }
};

StoredPlane::StoredPlane(const Plane& plane) : size_(plane.size()), type_(plane.type()) {
  assert(plane.type() == PixelType::kU8 || plane.type() == PixelType::kS16);
  if (!plane.device().is_host()) {
    on_device_ = plane;
    return;
  }
  const int bytes = BytesPerPixel(type_);
  const auto tiles = std::make_shared<Tiles>();
  tiles->across = Tiled(size_.width, kTile.width);
  std::vector<std::uint8_t> all;
  all.reserve(static_cast<std::size_t>(size_.area() * bytes));
  for (int y = 0; y < size_.height; y += kTile.height) {
    for (int x = 0; x < size_.width; x += kTile.width) {
      const PackedPlane tile({.first = plane.Row<std::uint8_t>(y) + std::ptrdiff_t{x} * bytes,
                              .stride = plane.stride(),
                              .size = TileAt(x, y, size_),
                              .sample_bytes = bytes});
      all.insert(all.end(), tile.packed().begin(), tile.packed().end());
      tiles->ends.push_back(all.size());
    }
  }
  tiles->memory = LargeMemory(all.size());
  std::memcpy(tiles->memory.data(), all.data(), all.size());
  tiles_ = tiles;
}

Plane StoredPlane::Part(int x, int y, Size size) const {
  assert(tiles_ != nullptr && x >= 0 && y >= 0 && size.width >= 1 && size.height >= 1 &&
         x + size.width <= size_.width && y + size.height <= size_.height);
  const int left = x / kTile.width, right = Tiled(x + size.width, kTile.width);
  const int top = y / kTile.height, bottom = Tiled(y + size.height, kTile.height);
  const Plane tiles =
      Plane::Host({(right - left) * kTile.width, (bottom - top) * kTile.height}, type_);
  const std::ptrdiff_t bytes = BytesPerPixel(type_);
  for (int down = top; down < bottom; ++down) {
    auto* row = tiles.Row<std::uint8_t>((down - top) * kTile.height);
    for (int across = left; across < right; ++across) {
      UnpackSamples(tiles_->At(down * tiles_->across + across),
                    TileAt(across * kTile.width, down * kTile.height, size_),
                    static_cast<int>(bytes),
                    row + std::ptrdiff_t{across - left} * kTile.width * bytes, tiles.stride());
    }
  }
  return {std::make_shared<Plane>(tiles),
          tiles.Row<std::byte>(y - top * kTile.height) + (x - left * kTile.width) * bytes,
          size,
          type_,
          tiles.stride(),
          {}};
}

}  // namespace glint
