// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "glint/plane.h"

namespace glint {

/// A plane that is put away until somebody looks at some of it: on the host spilled to a file where
/// the program has one (base/spilled_bytes.h), and packed without loss where it has one channel,
/// which takes about half of the memory of noise of some bits; on a device as it is. Copying shares
/// it. Safe to use from several threads.
class StoredPlane {
 public:
  /// Nothing: 0x0, no memory.
  StoredPlane() = default;

  /// @param plane  kU8, kU8x3 or kS16, not empty; its host memory is not needed any more
  /// Throws std::bad_alloc.
  explicit StoredPlane(const Plane& plane);

  bool empty() const { return size_ == Size(); }
  Size size() const { return size_; }
  PixelType type() const { return type_; }
  Device device() const { return on_device_.device(); }

  /// The plane, where it lies on a device; else empty.
  const Plane& on_device() const { return on_device_; }

  /// A part of a plane on the host, in memory of its own. Takes the time of copying it.
  /// @param x,y   its first pixel
  /// @param size  within the plane, both sides >= 1
  /// Throws std::bad_alloc; std::system_error when the file can no longer be read.
  Plane Part(int x, int y, Size size) const;

  /// Rows begin .. end - 1 of a plane on the host, the same.
  Plane RowsOf(int begin, int end) const { return Part(0, begin, {size_.width, end - begin}); }

  /// All of a plane on the host, the same.
  Plane Whole() const { return Part(0, 0, size_); }

 private:
  struct Tiles;

  Size size_;
  PixelType type_ = PixelType::kU8;
  Plane on_device_;
  std::shared_ptr<const Tiles> tiles_;  // on the host
};

}  // namespace glint
