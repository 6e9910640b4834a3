// SPDX-License-Identifier: Apache-2.0
// Disjoint sets of pixels that many threads join at a time. The label of a pixel is a pixel of the
// same set that does not come after it; the first pixel of a set is its own label. Labels only
// fall, so the result depends on no order (Y. Komura, "GPU-based cluster-labeling algorithm without
// the use of conventional iteration", Computer Physics Communications 2015).
#pragma once

#include "stages/cuda/kernel.h"

namespace glint::cuda {

/// The first pixel of a set, as far as it is joined.
GLINT_HOST_DEVICE inline std::int32_t FirstOf(const std::int32_t* labels, std::int32_t pixel) {
  std::int32_t at = pixel;
  while (true) {
    const std::int32_t next = AtomicLoad(labels + at);
    if (next == at) return at;
    at = next;
  }
}

/// The same; every other pixel on the way then skips the one that it led to, so that the ways of
/// all who come after are half as long. The label that is skipped leads to the same first pixel as
/// the one that replaces it: no join is lost.
GLINT_HOST_DEVICE inline std::int32_t FirstOfHalving(std::int32_t* labels, std::int32_t pixel) {
  std::int32_t at = pixel;
  while (true) {
    const std::int32_t next = AtomicLoad(labels + at);
    if (next == at) return at;
    const std::int32_t beyond = AtomicLoad(labels + next);
    if (beyond == next) return next;
    AtomicMin(labels + at, beyond);
    at = beyond;
  }
}

/// Joins the sets of two pixels: the later first pixel points to the earlier one. Whenever another
/// thread was faster, what it wrote is joined in turn, so that no join is lost.
GLINT_HOST_DEVICE inline void Join(std::int32_t* labels, std::int32_t a, std::int32_t b) {
  while (true) {
    a = FirstOfHalving(labels, a);
    b = FirstOfHalving(labels, b);
    if (a == b) return;
    const std::int32_t later = a > b ? a : b, earlier = a > b ? b : a;
    const std::int32_t before = AtomicMin(labels + later, earlier);
    if (before == later) return;
    a = before;
    b = earlier;
  }
}

}  // namespace glint::cuda
