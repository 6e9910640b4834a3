// SPDX-License-Identifier: Apache-2.0
// Between Plane and OpenCV's matrix, without copying. Only for planes in host memory.
#pragma once

#include <opencv2/core/mat.hpp>

#include "glint/plane.h"

namespace glint {

/// A matrix over the plane's pixels; the plane must outlive it. kU8x3 stays in R, G, B order.
inline cv::Mat AsMat(const Plane& plane) {
  assert(plane.device().is_host());
  int type = CV_8UC1;
  switch (plane.type()) {
    case PixelType::kU8:
      type = CV_8UC1;
      break;
    case PixelType::kU8x3:
      type = CV_8UC3;
      break;
    case PixelType::kS16:
      type = CV_16SC1;
      break;
    case PixelType::kS32:
      type = CV_32SC1;
      break;
    case PixelType::kF32:
      type = CV_32FC1;
      break;
    case PixelType::kF32x2:
      type = CV_32FC2;
      break;
  }
  return {plane.height(), plane.width(), type, plane.data(),
          static_cast<std::size_t>(plane.stride())};
}

/// A plane that shares and keeps the matrix's pixels.
inline Plane AsPlane(const cv::Mat& mat) {
  PixelType type = PixelType::kU8;
  switch (mat.type()) {
    case CV_8UC1:
      type = PixelType::kU8;
      break;
    case CV_8UC3:
      type = PixelType::kU8x3;
      break;
    case CV_16SC1:
      type = PixelType::kS16;
      break;
    case CV_32SC1:
      type = PixelType::kS32;
      break;
    case CV_32FC1:
      type = PixelType::kF32;
      break;
    case CV_32FC2:
      type = PixelType::kF32x2;
      break;
    default:
      assert(false && "no such pixel type");
  }
  auto owner = std::make_shared<cv::Mat>(mat);
  auto* data = reinterpret_cast<std::byte*>(owner->data);
  return {std::move(owner),
          data,
          {mat.cols, mat.rows},
          type,
          static_cast<std::ptrdiff_t>(mat.step[0]),
          {}};
}

}  // namespace glint
