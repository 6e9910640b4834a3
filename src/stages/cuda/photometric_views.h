// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "glint/photometric_stages.h"
#include "stages/cuda/context.h"
#include "stages/cuda/kernels/photometric_view.h"

namespace glint::cuda {

/// What all kernels on views take; its memory is in `table`.
struct ViewsOnGpu {
  explicit ViewsOnGpu(const PhotometricViews& views)
      : size(views.surface.size()),
        pixels(static_cast<std::size_t>(size.area())),
        count(static_cast<int>(views.greys.size())),
        surface(ImageOf<const std::uint8_t>(views.surface)) {
    for (std::size_t i = 0; i < views.greys.size(); ++i) {
      list.push_back({.grey = ImageOf<const std::uint8_t>(views.greys[i]),
                      .valid = ImageOf<const std::uint8_t>(views.valid[i])});
    }
  }

  absl::Status Allocate(StreamContext& context) {
    GLINT_ASSIGN_OR_RETURN(table, context.Allocate<View>(list.size()));
    return absl::OkStatus();
  }
  absl::Status CopyIn(StreamContext& context) {
    return context.CopyIn(table, std::span<const View>(list));
  }

  const View* views() const { return ValuesOf<const View>(table); }
  Grid GridOf(int layers) const { return {.x = Tiles(size.width, size.height), .y = layers}; }

  Size size;
  std::size_t pixels;
  int count;
  Image<const std::uint8_t> surface;
  std::vector<View> list;
  Block table;
};

/// @param planes  on the device
template <class T>
std::vector<Image<T>> ImagesOf(std::span<const StoredPlane> planes) {
  std::vector<Image<T>> images;
  for (const StoredPlane& plane : planes) images.push_back(ImageOf<T>(plane.on_device()));
  return images;
}

template <class T>
std::vector<Image<T>> ImagesOf(std::span<const Plane> planes) {
  std::vector<Image<T>> images;
  for (const Plane& plane : planes) images.push_back(ImageOf<T>(plane));
  return images;
}

}  // namespace glint::cuda
