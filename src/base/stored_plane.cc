// SPDX-License-Identifier: Apache-2.0
#include "glint/stored_plane.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/packed_samples.h"
#include "base/spilled_bytes.h"

namespace glint {
namespace {

/// Whole blocks of a PackedPlane: a part is unpacked in so large pieces.
constexpr Size kTile = {128, 64};

int Tiled(int pixels, int tile) { return (pixels + tile - 1) / tile; }

/// Of the tile whose first pixel is (x, y).
Size TileAt(int x, int y, Size plane) {
  return {std::min(kTile.width, plane.width - x), std::min(kTile.height, plane.height - y)};
}

/// Colours are not: that would take twice the time, for a third of what is in a file anyway.
bool IsPacked(PixelType type) { return type != PixelType::kU8x3; }

/// Appends the rows of a tile.
void AppendRows(const SampleRows& rows, int pixel_bytes, std::vector<std::uint8_t>& all) {
  const std::uint8_t* row = rows.first;
  for (int y = 0; y < rows.size.height; ++y, row += rows.stride) {
    all.insert(all.end(), row, row + std::ptrdiff_t{rows.size.width} * pixel_bytes);
  }
}

/// The rows again of what AppendRows appended.
void CopyRows(std::span<const std::uint8_t> tile, Size size, int pixel_bytes, std::uint8_t* out,
              std::ptrdiff_t stride) {
  const auto row_bytes =
      static_cast<std::size_t>(size.width) * static_cast<std::size_t>(pixel_bytes);
  for (int y = 0; y < size.height; ++y, out += stride) {
    std::ranges::copy(tile.subspan(static_cast<std::size_t>(y) * row_bytes, row_bytes), out);
  }
}

}  // namespace

/// The tiles, by rows. In one piece: many small ones would lie between what others need in turn and
/// keep it from them.
struct StoredPlane::Tiles {
  int across = 0;
  std::vector<std::size_t> ends;  // of each, bytes
  SpilledBytes bytes;

  std::size_t BeginOf(int tile) const {
    return tile == 0 ? 0 : ends[static_cast<std::size_t>(tile) - 1];
  }
  std::size_t EndOf(int tile) const { return ends[static_cast<std::size_t>(tile)]; }
};

StoredPlane::StoredPlane(const Plane& plane) : size_(plane.size()), type_(plane.type()) {
  assert(plane.type() == PixelType::kU8 || plane.type() == PixelType::kU8x3 ||
         plane.type() == PixelType::kS16);
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
      const SampleRows rows = {.first = plane.Row<std::uint8_t>(y) + std::ptrdiff_t{x} * bytes,
                               .stride = plane.stride(),
                               .size = TileAt(x, y, size_),
                               .sample_bytes = bytes};
      if (IsPacked(type_)) {
        const std::vector<std::uint8_t> tile = PackSamples(rows);
        all.insert(all.end(), tile.begin(), tile.end());
      } else {
        AppendRows(rows, bytes, all);
      }
      tiles->ends.push_back(all.size());
    }
  }
  tiles->bytes = SpilledBytes(all);
  tiles_ = tiles;
}

Plane StoredPlane::Part(int x, int y, Size size) const {
  assert(tiles_ != nullptr && x >= 0 && y >= 0 && size.width >= 1 && size.height >= 1 &&
         x + size.width <= size_.width && y + size.height <= size_.height);
  const int left = x / kTile.width, right = Tiled(x + size.width, kTile.width);
  const int top = y / kTile.height, bottom = Tiled(y + size.height, kTile.height);
  const Plane tiles =
      Plane::Host({(right - left) * kTile.width, (bottom - top) * kTile.height}, type_);
  const int bytes = BytesPerPixel(type_);
  std::vector<std::uint8_t> stored;
  for (int down = top; down < bottom; ++down) {
    const int first = down * tiles_->across;
    const std::size_t begin = tiles_->BeginOf(first + left);
    stored.resize(tiles_->EndOf(first + right - 1) - begin);
    tiles_->bytes.Read(begin, stored);
    auto* row = tiles.Row<std::uint8_t>((down - top) * kTile.height);
    for (int across = left; across < right; ++across) {
      const int tile = first + across;
      const auto from = std::span<const std::uint8_t>(stored).subspan(
          tiles_->BeginOf(tile) - begin, tiles_->EndOf(tile) - tiles_->BeginOf(tile));
      const Size here = TileAt(across * kTile.width, down * kTile.height, size_);
      std::uint8_t* to = row + std::ptrdiff_t{across - left} * kTile.width * bytes;
      if (IsPacked(type_)) {
        UnpackSamples(from, here, bytes, to, tiles.stride());
      } else {
        CopyRows(from, here, bytes, to, tiles.stride());
      }
    }
  }
  return {
      std::make_shared<Plane>(tiles),
      tiles.Row<std::byte>(y - top * kTile.height) + std::ptrdiff_t{x - left * kTile.width} * bytes,
      size,
      type_,
      tiles.stride(),
      {}};
}

}  // namespace glint
