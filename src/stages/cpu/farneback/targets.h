// SPDX-License-Identifier: Apache-2.0
// The vector code, for the best instruction set that this processor has. All sets give the same
// bytes as reference.h.
#pragma once

#include <cstdint>
#include <vector>

#include "glint/plane.h"
#include "stages/cpu/farneback/expansion.h"
#include "stages/cpu/farneback/geometry.h"

namespace glint::farneback {

/// Expands a frame. @param luma  kU8 on the host, of the size of `geometry`
void Expand(const Geometry& geometry, const Plane& luma, Scratch& scratch, Expansion& out);

/// The flow of a pair. @param out  kF32x2 on the host, of the frames' size
void EstimateField(const Geometry& geometry, const Expansion& previous, const Expansion& next,
                   Scratch& scratch, const Plane& out);

/// The sum of QuantisedLength (flow_length.h) over the flow of a pair.
std::int64_t SumLengths(const Geometry& geometry, const Expansion& previous, const Expansion& next,
                        Scratch& scratch);

/// The instruction sets that this build holds and this processor has (HWY_AVX2 and so on, of
/// hwy/detect_targets.h), best first.
std::vector<std::int64_t> RunnableTargets();

/// Makes the whole process use one of them; 0 is the best. For tests and benchmarks.
void UseTarget(std::int64_t target);

}  // namespace glint::farneback
