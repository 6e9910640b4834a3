// SPDX-License-Identifier: Apache-2.0
#include "decode/packed_picture.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

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
  for (std::size_t i = 0; i < planes_.size(); ++i) {
    layout_.data[i] = nullptr;
    if (extents[i].rows == 0) continue;
    const int samples = static_cast<int>((extents[i].row_bytes + sample_bytes - 1) / sample_bytes);
    planes_[i] = PackedPlane({.first = picture.data[i],
                              .stride = picture.stride[i],
                              .size = {samples, extents[i].rows},
                              .sample_bytes = sample_bytes});
  }
  layout_.memory = nullptr;
}

PlanarPicture PackedPicture::Unpacked(std::size_t planes) const {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < planes; ++i) bytes += planes_[i].unpacked_bytes();
  const std::shared_ptr<std::uint8_t[]> memory =
      std::make_shared_for_overwrite<std::uint8_t[]>(bytes);
  PlanarPicture picture = layout_;
  std::uint8_t* to = memory.get();
  for (std::size_t i = 0; i < planes; ++i) {
    if (planes_[i].bytes() == 0) continue;
    picture.data[i] = to;
    picture.stride[i] = planes_[i].stride();
    planes_[i].Unpack(to);
    to += planes_[i].unpacked_bytes();
  }
  picture.memory = memory;
  return picture;
}

}  // namespace glint
