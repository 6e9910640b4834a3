// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "glint/stages.h"

namespace glint::warp {

/// The homography with the sign that makes w positive in the middle of the output: h and -h are the
/// same map, but only one has the picture in front of the camera.
inline Homography TowardsViewer(const Homography& h, Size output) {
  const double x = (output.width - 1) / 2.0;
  const double y = (output.height - 1) / 2.0;
  Homography signed_h = h;
  if ((h[6] * x + h[7] * y) + h[8] < 0) {
    for (double& value : signed_h) value = -value;
  }
  return signed_h;
}

}  // namespace glint::warp
