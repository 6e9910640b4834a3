// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "analyse/reference/fields.h"
#include "base/thread_pool.h"

namespace glint::reference {

/// How much one picture must be blurred to be as blurred as another: the variance of a blur,
/// pixels squared. One of both is 0.
struct BlurMatch {
  float of_now = 0;
  float of_then = 0;
};

/// Finds what makes fine texture correlate best.
/// @param now,then  luma in linear light, the same print in one place
/// @param where     CV_8U: not 0 where it is compared
/// @param variances  that are tried, px^2, ascending
BlurMatch MatchBlur(const Field& now, const Field& then, const cv::Mat& where, ThreadPool& pool,
                    std::span<const float> variances, int texture_radius_px);

/// A picture blurred by a kernel of that variance, nearly Gaussian; its border is repeated.
Field Blurred(Field field, float variance, ThreadPool& pool);

}  // namespace glint::reference
