// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "decode/orientation.h"
#include "decode/planar_picture.h"
#include "glint/plane.h"

namespace glint {

/// The colours of a picture: kU8x3, as displayed.
///
/// The matrix is the one the picture declares; none means BT.601 when the shorter side is at most
/// 576 pixels, BT.709 otherwise. Chroma is interpolated linearly between the places of its samples
/// (ChromaSite). Integers throughout: the same bytes on every machine.
Plane PictureToRgb(const PlanarPicture& picture, Orientation orientation);

}  // namespace glint
