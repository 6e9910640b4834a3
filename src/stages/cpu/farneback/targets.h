// SPDX-License-Identifier: Apache-2.0
// The vector code, for the best instruction set that this processor has. All sets give the same
// bytes as reference.h.
#pragma once

#include <cstdint>
#include <vector>

#include "glint/plane.h"
#include "stages/cpu/farneback/expansion.h"
#include "stages/shared/farneback/geometry.h"

namespace glint::farneback {

/// Expands one band of rows of each level of a frame that `out` keeps.
/// @param luma  kU8 on the host, of the size of `geometry`
void ExpandBand(const Geometry& geometry, const Plane& luma, Part band, Scratch& scratch,
                Expansion& out);

/// One tile of the flow of a coarser level, into pair.coarse_flow, where the flow of the next
/// coarser one is complete. @param level  1 .. number of levels - 1
void EstimateCoarseTile(const FramePair& pair, int level, Columns tile, Scratch& scratch);

/// One tile of the finest level's flow, when the coarser ones are complete.
/// @param out  kF32x2 on the host, of the frames' size
void EstimateFieldTile(const FramePair& pair, Columns tile, Scratch& scratch, const Plane& out);

/// The sum of QuantisedLength (flow_length.h) over such a tile, whose flow is not stored.
std::int64_t SumTileLengths(const FramePair& pair, Columns tile, Scratch& scratch);

/// The instruction sets that this build holds and this processor has (HWY_AVX2 and so on, of
/// hwy/detect_targets.h), best first.
std::vector<std::int64_t> RunnableTargets();

/// Makes the whole process use one of them; 0 is the best. For tests and benchmarks.
void UseTarget(std::int64_t target);

}  // namespace glint::farneback
