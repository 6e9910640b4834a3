// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/farneback/targets.h"

// Without SSSE3, which no processor has that lacks SSE4; without SVE, whose vectors have no size
// that a struct could hold (such processors have NEON).
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/cpu/farneback/targets.cc"
#include <hwy/foreach_target.h>
// Once per instruction set.
#include "stages/cpu/farneback/expand-inl.h"
#include "stages/cpu/farneback/level-inl.h"

#if HWY_ONCE
namespace glint::farneback {

HWY_EXPORT(ExpandBand);
HWY_EXPORT(EstimateCoarseTile);
HWY_EXPORT(EstimateFieldTile);
HWY_EXPORT(SumTileLengths);

void ExpandBand(const Geometry& geometry, const Plane& luma, Part band, Scratch& scratch,
                Expansion& out) {
  HWY_DYNAMIC_DISPATCH(ExpandBand)(geometry, luma, band, scratch, out);
}

void EstimateCoarseTile(const FramePair& pair, int level, Columns tile, Scratch& scratch) {
  HWY_DYNAMIC_DISPATCH(EstimateCoarseTile)(pair, level, tile, scratch);
}

void EstimateFieldTile(const FramePair& pair, Columns tile, Scratch& scratch, const Plane& out) {
  HWY_DYNAMIC_DISPATCH(EstimateFieldTile)(pair, tile, scratch, out);
}

std::int64_t SumTileLengths(const FramePair& pair, Columns tile, Scratch& scratch) {
  return HWY_DYNAMIC_DISPATCH(SumTileLengths)(pair, tile, scratch);
}

std::vector<std::int64_t> RunnableTargets() {
  std::vector<std::int64_t> targets;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (target != HWY_STATIC_TARGET) targets.push_back(target);
  }
  targets.push_back(HWY_STATIC_TARGET);  // what the compiler assumes, the processor has
  return targets;
}

void UseTarget(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace glint::farneback
#endif
