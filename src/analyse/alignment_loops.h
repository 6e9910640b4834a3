// SPDX-License-Identifier: Apache-2.0
// The loops of aligning a picture by its patches, with the best instruction set of this machine:
// the same bits with any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/normal_equations.h"
#include "glint/plane.h"

namespace glint {

/// Side of a patch, pixels.
inline constexpr int kPatchSide = 16;

/// What the patches of a target are compared with.
struct PatchPlanes {
  const Plane& view;                     ///< kU8
  const Plane& target;                   ///< kU8
  const Plane &gradient_x, &gradient_y;  ///< kS16, of the target: -255 .. 255
};

/// Sums over a patch of the view: of its values and squares, and of its products with the target's
/// values and gradients.
struct PatchSums {
  std::int32_t value = 0, square = 0, product = 0, gradient_x = 0, gradient_y = 0;
};

/// @param x,y  the patch's first pixel
PatchSums SumPatch(const PatchPlanes& planes, int x, int y);

/// The equations of patches' movements: two for each, along x and along y.
class PatchEquations {
 public:
  /// @param unknowns  1 .. NormalEquations::kMaxUnknowns
  /// @param most      patches that are added at most
  PatchEquations(std::size_t unknowns, std::size_t most);

  void Add(const NormalEquations::Equation& along_x, const NormalEquations::Equation& along_y);

  std::size_t unknowns() const { return unknowns_; }
  std::size_t patches() const { return rows_.size() / 2; }
  /// Two for each patch, the one along x first.
  std::span<const NormalEquations::Equation> rows() const { return rows_; }
  /// Coefficients of one unknown, or what the patches have moved by where it is `unknowns`, patch
  /// by patch. @param axis  0: along x, 1: along y
  const double* Column(std::size_t axis, std::size_t unknown) const {
    return columns_.data() + (axis * (unknowns_ + 1) + unknown) * most_;
  }

 private:
  std::size_t unknowns_, most_;
  std::vector<NormalEquations::Equation> rows_;
  std::vector<double> columns_;
};

/// J. W. Tukey's weights of equations, by how far the patches lie from a fit.
/// @param fit      as many as unknowns, at least
/// @param reach    distance at which a patch loses all weight, > 0
/// @param weights  one per equation: the same for both of a patch
void TukeyWeights(const PatchEquations& equations, const NormalEquations::Vector& fit, double reach,
                  std::span<double> weights);

}  // namespace glint
