// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

#include "base/mat.h"
#include "glint/plane.h"

namespace glint::photometric {

/// A plane of one value in all channels.
inline Plane Filled(Size size, PixelType type, int value) {
  Plane plane = Plane::Host(size, type);
  AsMat(plane).setTo(cv::Scalar::all(value));
  return plane;
}

inline int CountMarked(const Plane& mask) { return cv::countNonZero(AsMat(mask)); }

/// Marked pixels of both masks.
inline int CountBoth(const Plane& mask, const cv::Mat& where) {
  return cv::countNonZero(AsMat(mask) & where);
}

/// Colours of a drawn object and of what it lies on, R, G, B.
inline const cv::Scalar kDesk(90, 70, 50);
inline const cv::Scalar kPaper(225, 220, 205);

}  // namespace glint::photometric
