// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/luma_arithmetic.h"
#include "decode/orientation.h"
#include "decode/planar_picture.h"
#include "glint/plane.h"

namespace glint {

/// The luma of a picture: kU8, full range (FullRangeLuma), as displayed. Always a copy: what made
/// the picture could still write there.
Plane PictureToLuma(const PlanarPicture& picture, Orientation orientation);

}  // namespace glint
