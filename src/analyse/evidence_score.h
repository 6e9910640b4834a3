// SPDX-License-Identifier: Apache-2.0
// One scale for the evidence of all families of damage: what heat maps show and strengths are made
// of. Planes kS32 on the host, scores in units of 2^-ClassicFusionStage::kScoreBits.
#pragma once

#include <cstdint>

#include "glint/plane.h"

namespace glint {

/// Evidence, in multiples of what is usual where there is no damage, that shows as a score of 1.
inline constexpr int kStrongestEvidence = 16;

/// Scores in proportion to evidence that is graded: 0 for none, 1 for kStrongestEvidence or more.
/// @param evidence  kS32 on the host, 1/unit of what is usual. @param unit  a power of two, 1..2^16
Plane ScoreOfEvidence(const Plane& evidence, int unit);

/// Raises scores to those of another family where they are higher.
/// @param more  the same size
void AddScore(const Plane& more, Plane& score);

/// Raises scores to 1 where a mask says that something is gone: there is no half of that.
/// @param mask  kU8 on the host, not 0 where it is marked, the same size
void AddCertain(const Plane& mask, Plane& score);

}  // namespace glint
