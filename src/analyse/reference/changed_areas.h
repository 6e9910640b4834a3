// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <opencv2/core.hpp>

#include "analyse/reference/colour_model.h"
#include "analyse/reference/params.h"
#include "analyse/reference/print_matching.h"
#include "base/thread_pool.h"

namespace glint::reference {

/// The areas that changed their colour. Where the change is strong, pieces that are about as strong
/// as each other and that only ink keeps apart - on black nothing can be seen to change - are one.
/// Such an area is kept if it
/// - ends in a step along most of its outline (light and gloss change smoothly, a stain ends);
/// - has an outline that takes no notice of the print's contours (what a wrong model of the print's
///   colours or a shift leaves lies along them);
/// - is the more pronounced the smaller it is, and no mere speck beside what cannot be compared.
/// What is inside an area that fails is judged again by itself, where it is stronger.
/// @return CV_8U, 0 and 255
cv::Mat FindChangedAreas(const ColourChange& change, const PrintMatch& match, double scale,
                         ThreadPool& pool, const ChangedAreaParams& params = {});

}  // namespace glint::reference
