// SPDX-License-Identifier: Apache-2.0
#include "analyse/evidence_score.h"

#include <algorithm>
#include <opencv2/core.hpp>

#include "base/mat.h"
#include "glint/stages.h"

namespace glint {
namespace {

constexpr std::int32_t kOne = 1 << ClassicFusionStage::kScoreBits;

}  // namespace

Plane ScoreOfEvidence(const Plane& evidence, int unit) {
  Plane score = Plane::Host(evidence.size(), PixelType::kS32);
  const std::int32_t most = kStrongestEvidence * unit;
  for (int y = 0; y < evidence.height(); ++y) {
    const auto* from = evidence.Row<std::int32_t>(y);
    auto* to = score.Row<std::int32_t>(y);
    for (int x = 0; x < evidence.width(); ++x) to[x] = std::clamp(from[x], 0, most) * (kOne / most);
  }
  return score;
}

void AddScore(const Plane& more, Plane& score) {
  cv::Mat scores = AsMat(score);
  cv::max(scores, AsMat(more), scores);
}

void AddCertain(const Plane& mask, Plane& score) { AsMat(score).setTo(kOne, AsMat(mask)); }

}  // namespace glint
