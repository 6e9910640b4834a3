// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "glint/plane.h"

namespace glint::photometric {

/// Evidence and the bits of its directions, side by side.
struct EvidenceField {
  Size size;
  std::vector<std::uint16_t> energy;      ///< a value per pixel
  std::vector<std::uint16_t> directions;  ///< bits of LineEvidence::direction, one of them set

  /// @param energies  kS32, not negative
  /// @param turned    kU8: LineEvidence::direction
  /// @param most      above, it counts as that; below 2^16
  EvidenceField(const Plane& energies, const Plane& turned, std::int32_t most);
};

/// The evidence that counts for lines of one direction, with zeros around it, so that whoever walks
/// along a line need not ask at each place what counts there.
class DirectedEvidence {
 public:
  /// What counts.
  struct Choice {
    std::uint16_t directions = 0;  ///< bits of LineEvidence::direction
    int rim_x = 0, rim_y = 0;      ///< px at the sides, and above and below, in which nothing does
  };

  /// @param reach  px beyond the picture that may be asked for
  DirectedEvidence(Size size, int reach);

  /// @param field  of the size
  void Fill(const EvidenceField& field, const Choice& choice);

  /// The value of a pixel. Those of others lie at their Offset from it.
  const std::uint16_t* At(int x, int y) const { return values_.data() + middle_ + Offset(x, y); }
  std::ptrdiff_t Offset(int x, int y) const { return y * stride_ + x; }

 private:
  std::ptrdiff_t stride_;
  std::ptrdiff_t middle_;  // place of pixel (0, 0)
  std::vector<std::uint16_t> values_;
};

}  // namespace glint::photometric
