// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <opencv2/core.hpp>

#include "analyse/reference/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::reference {

/// Pixels of which a channel is blown out, and those around them. CV_8U, 0 and 255
/// @param picture  kU8x3 on the host
cv::Mat OverexposedMask(const Plane& picture, int overexposed_grey);

/// Where a highlight lies on `then` that `now` does not have. Gloss adds light: in linear light
/// (value^2) the luma of `then` is gain * luma of `now` + veil, in windows of 81 px for an object
/// of 782 px (root of its area). A stain of `now` has no veil: it scales, and a window that it
/// fills in part loses contrast, while a highlight leaves the contrast of the print. What is veiled
/// clearly more than usual is a highlight, and so is what lies between.
/// @param now,then  kU8x3 on the host, one size
/// @param where     kU8, the same size: not 0 where both show the object
/// @return CV_8U, 0 and 255
cv::Mat FindHighlights(const Plane& now, const Plane& then, const Plane& where, double scale,
                       ThreadPool& pool, const HighlightParams& params = {});

}  // namespace glint::reference
