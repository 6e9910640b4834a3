// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <opencv2/core.hpp>

#include "analyse/reference/fields.h"
#include "analyse/reference/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::reference {

/// Where two pictures show the same print, so that their colours may be compared.
struct PrintMatch {
  cv::Mat compared;  ///< CV_8U, 0 and 255
  Field flat;        ///< 0..1: how little the print changes there, 0 where nothing is compared.
                     ///< On a contour a little blur or shift changes the colour, in a flat not
  double share = 0;  ///< of the textured places that look alike
};

/// Fine texture (contours, hatching, lettering) of both pictures is correlated in windows.
/// Where one has texture that the other lacks, the print itself differs - lettering that is not in
/// the artwork, another crop - and no colour is compared there, nor around it where most textured
/// places differ; flat places are judged by those around them, or by all when there are none.
/// @param now,then  kU8x3 on the host, one size
/// @param where     kU8, the same size: not 0 where both show the object
PrintMatch MatchPrints(const Plane& now, const Plane& then, const Plane& where, double scale,
                       ThreadPool& pool, const PrintMatchParams& params = {});

}  // namespace glint::reference
