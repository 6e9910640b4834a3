// SPDX-License-Identifier: Apache-2.0
// Where a highlight passed over the object: what shone there is light, not damage.
#pragma once

#include <span>

#include "analyse/photometric/block_sums.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Where the object shines in at least two views: brighter by 24 grey values or more, on average
/// over 48x48 pixels, than the artwork under that view's light, which is a gain that varies evenly
/// over the object (a plane, fitted with Tukey's weights). Damage glints along narrow lines, which
/// do not lift the mean of so large a neighbourhood.
/// @param artwork  @param views  of one size
/// @param size     of the planes they were made of
/// @return kU8 on the host, 0 and 255
Plane FindGlare(const BlockSums& artwork, std::span<const BlockSums> views, Size size,
                ThreadPool& pool);

}  // namespace glint::photometric
