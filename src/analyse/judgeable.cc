// SPDX-License-Identifier: Apache-2.0
#include "analyse/judgeable.h"

#include <opencv2/core.hpp>

#include "analyse/detection.h"
#include "base/mat.h"

namespace glint {

bool IsStill(const std::optional<double>& light_change, const JudgeableParams& params) {
  return light_change && *light_change < params.min_light_change;
}

std::optional<NotJudgedCause> WhyNotJudgeable(const Detection& found, bool light_matters,
                                              const JudgeableParams& params) {
  const cv::Mat seen = AsMat(found.seen);
  const auto known =
      static_cast<double>(cv::countNonZero(seen)) / static_cast<double>(seen.total());
  if (known == 0) return NotJudgedCause::kNoObject;
  if (1 - known > params.max_unknown_share) return NotJudgedCause::kFewViews;
  if (!light_matters || !IsStill(found.light_change, params)) return std::nullopt;
  if (cv::countNonZero(AsMat(found.mask)) > 0) return std::nullopt;
  return NotJudgedCause::kStillLight;
}

}  // namespace glint
