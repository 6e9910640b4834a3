// SPDX-License-Identifier: Apache-2.0
#include "decode/packed_picture.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/packed_samples.h"

namespace glint {

std::array<PlaneExtent, 4> PlaneExtentsOf(const PlanarPicture& picture) {
  std::array<PlaneExtent, 4> extents;
  for (int i = 0; i < picture.layout.count(); ++i) {
    const auto plane = picture.layout.components[static_cast<std::size_t>(i)].plane;
    PlaneExtent& extent = extents[static_cast<std::size_t>(plane)];
    extent.row_bytes = std::max(extent.row_bytes, picture.layout.RowBytes(i, picture.size));
    extent.rows = std::max(extent.rows, picture.layout.SizeOf(i, picture.size).height);
  }
  return extents;
}

PackedPicture::PackedPicture(const PlanarPicture& picture) : layout_(picture) {
  const auto extents = PlaneExtentsOf(picture);
  const int sample_bytes = picture.layout.sample_bytes();
  std::vector<std::uint8_t> packed;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    layout_.data[i] = nullptr;
    if (extents[i].rows == 0) continue;
    const int samples = static_cast<int>((extents[i].row_bytes + sample_bytes - 1) / sample_bytes);
    const SampleRows rows = {.first = picture.data[i],
                             .stride = picture.stride[i],
                             .size = {samples, extents[i].rows},
                             .sample_bytes = sample_bytes};
    const std::vector<std::uint8_t> plane = PackSamples(rows);
    parts_[i] = {rows.size, plane.size()};
    packed.insert(packed.end(), plane.begin(), plane.end());
  }
  packed_ = SpilledBytes(packed);
  layout_.memory = nullptr;
}

PlanarPicture PackedPicture::Unpacked(std::size_t planes) const {
  const int sample_bytes = layout_.layout.sample_bytes();
  std::size_t packed_bytes = 0, unpacked_bytes = 0;
  for (const Part& part : std::span(parts_).first(planes)) {
    packed_bytes += part.bytes;
    unpacked_bytes += UnpackedBytes(part.samples, sample_bytes);
  }
  std::vector<std::uint8_t> packed(packed_bytes);
  packed_.Read(0, packed);
  const std::shared_ptr<std::uint8_t[]> memory =
      std::make_shared_for_overwrite<std::uint8_t[]>(unpacked_bytes);
  PlanarPicture picture = layout_;
  std::span<const std::uint8_t> from = packed;
  std::uint8_t* to = memory.get();
  for (std::size_t i = 0; i < planes; ++i) {
    const auto& [samples, bytes] = parts_[i];
    if (bytes == 0) continue;
    picture.data[i] = to;
    picture.stride[i] = UnpackedStride(samples, sample_bytes);
    UnpackSamples(from.first(bytes), samples, sample_bytes, to, picture.stride[i]);
    from = from.subspan(bytes);
    to += UnpackedBytes(samples, sample_bytes);
  }
  picture.memory = memory;
  return picture;
}

}  // namespace glint
