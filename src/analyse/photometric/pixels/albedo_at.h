// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <opencv2/core.hpp>

#include "glint/plane.h"

namespace glint::photometric {

/// The albedo at a place; the nearest where it lies outside. 1/64 grey.
/// @param albedo  kS16 on the host
inline std::int64_t AlbedoAt(const Plane& albedo, cv::Point at) {
  const int x = std::clamp(at.x, 0, albedo.width() - 1);
  const int y = std::clamp(at.y, 0, albedo.height() - 1);
  return albedo.Row<std::int16_t>(y)[x];
}

}  // namespace glint::photometric
