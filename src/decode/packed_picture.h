// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "base/spilled_bytes.h"
#include "decode/planar_picture.h"

namespace glint {

/// Where a plane of a picture ends.
struct PlaneExtent {
  std::ptrdiff_t row_bytes = 0;  ///< to behind the last sample; 0: there is no such plane
  int rows = 0;
};

/// Of each of its planes.
std::array<PlaneExtent, 4> PlaneExtentsOf(const PlanarPicture& picture);

/// A picture that is put away for as long as nobody looks at it: packed, and spilled.
class PackedPicture {
 public:
  /// Throws std::bad_alloc.
  explicit PackedPicture(const PlanarPicture& picture);

  /// The same picture, in memory of its own. Throws std::bad_alloc.
  PlanarPicture Unpacked() const { return Unpacked(parts_.size()); }
  /// The same with its first plane alone, where luma lies.
  PlanarPicture UnpackedLuma() const { return Unpacked(1); }

 private:
  PlanarPicture Unpacked(std::size_t planes) const;

  /// Of one plane, packed.
  struct Part {
    Size samples;           // none: there is no such plane
    std::size_t bytes = 0;  // packed
  };

  PlanarPicture layout_;  // without planes
  std::array<Part, 4> parts_;
  SpilledBytes packed_;  // plane after plane
};

}  // namespace glint
