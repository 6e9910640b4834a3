// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>

#include "glint/plane.h"
#include "stages/cpu/farneback/expansion.h"
#include "stages/cpu/farneback/geometry.h"

namespace glint::farneback {

/// G. Farnebäck's flow between frames of one size (kU8 on the host, both sides >= 16), with its
/// working memory: two expansions and some rows. Used by one thread at a time; the results do not
/// depend on the instruction set (targets.h). Throws std::bad_alloc when memory is out.
class Farneback {
 public:
  explicit Farneback(std::shared_ptr<const Geometry> geometry);

  /// Motion that carries `previous` onto `next`, kF32x2.
  Plane Field(const Plane& previous, const Plane& next);

  /// Mean length of the motion from frames[i] to frames[i + 1], in pixels, in out[i]. Each frame is
  /// expanded once. @param out  frames.size() - 1 entries
  void MeanLengths(std::span<const Plane> frames, std::span<double> out);

 private:
  std::shared_ptr<const Geometry> geometry_;
  Scratch scratch_;
  std::array<Expansion, 2> expansions_;
};

}  // namespace glint::farneback
