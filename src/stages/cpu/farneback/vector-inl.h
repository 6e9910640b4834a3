// SPDX-License-Identifier: Apache-2.0
// Vectors of floats for the instruction set that is being compiled; included once per set.
//
// Every operation here rounds once, as IEEE 754 says, on every instruction set. There is no fused
// multiply-add anywhere: SSE4.2 has none.
#if defined(GLINT_FARNEBACK_VECTOR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GLINT_FARNEBACK_VECTOR_INL_H
#undef GLINT_FARNEBACK_VECTOR_INL_H
#else
#define GLINT_FARNEBACK_VECTOR_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

/// For lambdas that work on vectors. Called five times, the compiler would not inline them, and a
/// call takes every vector through memory.
#undef GLINT_INLINED
#define GLINT_INLINED HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace glint::farneback::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// At most 16 lanes: no frame is narrower.
using Floats = hn::CappedTag<float, 16>;
using Ints = hn::RebindToSigned<Floats>;
using V = hn::Vec<Floats>;
using VI = hn::Vec<Ints>;
inline constexpr Floats kFloats;
inline constexpr Ints kInts;
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(Floats()));

HWY_INLINE V Load(const float* from) { return hn::LoadU(kFloats, from); }
HWY_INLINE void Store(V value, float* to) { hn::StoreU(value, kFloats, to); }
HWY_INLINE V Set(float value) { return hn::Set(kFloats, value); }
HWY_INLINE V Zero() { return hn::Zero(kFloats); }

/// Repeats the first and last of `width` values over `reach` places to either side.
inline void ReplicateEnds(float* row, int width, int reach) {
  std::fill(row - reach, row, row[0]);
  std::fill(row + width, row + width + reach, row[width - 1]);
}

}  // namespace glint::farneback::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
