// SPDX-License-Identifier: Apache-2.0
// Sums over the 15x15 window, and the displacement that solves them.
//
// A sum of 15 is the sum of five sums of three; the tree of additions is the same for every pixel,
// so that no result depends on where a vector or a tile begins (a running sum would).
#if defined(GLINT_FARNEBACK_WINDOW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GLINT_FARNEBACK_WINDOW_INL_H
#undef GLINT_FARNEBACK_WINDOW_INL_H
#else
#define GLINT_FARNEBACK_WINDOW_INL_H
#endif

#include <algorithm>

#include "stages/cpu/farneback/expansion.h"
#include "stages/cpu/farneback/vector-inl.h"
#include "stages/shared/farneback/parameters.h"

HWY_BEFORE_NAMESPACE();
namespace glint::farneback::HWY_NAMESPACE {

HWY_INLINE V SumOfThree(V a, V b, V c) { return (a + b) + c; }
HWY_INLINE V SumOfFive(V a, V b, V c, V d, V e) { return ((a + b) + (d + e)) + c; }

/// The vertical sums of one iteration. Rows of matrices enter one after the other; a row of sums
/// leaves kWindowRadius rows later. Rows above the first and below the last are copies of those.
class ColumnSums {
 public:
  /// @param rows  working memory of all iterations: Scratch::sums
  ColumnSums(TileRows& rows, int iteration, int count, int height)
      : rows_(rows),
        first_(iteration * (kMatrixRows + kTripleRows)),
        count_(count),
        last_(height - 1) {}

  /// Where row `y` of matrices belongs, or the nearest that there is.
  float* Matrices(int y) { return rows_.Row(first_ + std::clamp(y, 0, last_) % kMatrixRows); }

  /// Takes note of row `y`, 0..height + kWindowRadius - 1 in order, and puts the sums around row
  /// y - kWindowRadius into `sums` when there is such a row.
  void Enter(int y, float* HWY_RESTRICT sums) {
    if (y == 0) return Begin();
    const int count = count_;
    const float* HWY_RESTRICT m0 = Matrices(y - 2);
    const float* HWY_RESTRICT m1 = Matrices(y - 1);
    const float* HWY_RESTRICT m2 = Matrices(y);
    const float* HWY_RESTRICT t0 = Triple(y - 13);
    const float* HWY_RESTRICT t1 = Triple(y - 10);
    const float* HWY_RESTRICT t2 = Triple(y - 7);
    const float* HWY_RESTRICT t3 = Triple(y - 4);
    float* HWY_RESTRICT t4 = Triple(y - 1);
    // Plane by plane: with all of them at once, rows would be too many for the processor to foresee
    // what is read next.
    for (int plane = 0; plane < kWindowSums; ++plane) {
      const std::ptrdiff_t first = plane * TileRows::kPlaneStride;
      for (std::ptrdiff_t at = first; at < first + count; at += kLanes) {
        const V triple = SumOfThree(Load(m0 + at), Load(m1 + at), Load(m2 + at));
        Store(triple, t4 + at);
        Store(SumOfFive(Load(t0 + at), Load(t1 + at), Load(t2 + at), Load(t3 + at), triple),
              sums + at);
      }
    }
  }

 private:
  /// The sum of rows y - 1, y, y + 1.
  float* Triple(int y) { return rows_.Row(first_ + kMatrixRows + (y + kTripleRows) % kTripleRows); }

  /// Sums of copies of row 0, for the rows above it.
  void Begin() {
    const float* row = Matrices(0);
    for (int plane = 0; plane < kWindowSums; ++plane) {
      for (int i = 0; i < count_; i += kLanes) {
        const std::ptrdiff_t at = plane * TileRows::kPlaneStride + i;
        const V value = Load(row + at);
        const V triple = SumOfThree(value, value, value);
        for (int y = -(kWindowRadius - 1); y < 0; ++y) Store(triple, Triple(y) + at);
      }
    }
  }

  TileRows& rows_;
  int first_;  // of the iteration's rows
  int count_;
  int last_;
};

/// The horizontal sum of one plane, out of its sums of three.
HWY_INLINE V RowSum(const float* triples, WindowSum plane) {
  const float* from = triples + plane * TileRows::kPlaneStride;
  return SumOfFive(Load(from), Load(from + 3), Load(from + 6), Load(from + 9), Load(from + 12));
}

/// Sums `count` + 14 vertical sums horizontally and solves for `count` displacements.
/// @param triples  room for a row
inline void Solve(const float* HWY_RESTRICT sums, float* HWY_RESTRICT triples, int count,
                  float* HWY_RESTRICT flow_x, float* HWY_RESTRICT flow_y) {
  for (int i = 0; i < count + 2 * (kWindowRadius - 1); i += kLanes) {
    HWY_UNROLL(kWindowSums)
    for (int plane = 0; plane < kWindowSums; ++plane) {
      const std::ptrdiff_t at = plane * TileRows::kPlaneStride + i;
      Store(SumOfThree(Load(sums + at), Load(sums + at + 1), Load(sums + at + 2)), triples + at);
    }
  }
  for (int i = 0; i < count; i += kLanes) {
    const V g_yy = RowSum(triples + i, kGyy);
    const V g_xy = RowSum(triples + i, kGxy);
    const V g_xx = RowSum(triples + i, kGxx);
    const V h_y = RowSum(triples + i, kHy);
    const V h_x = RowSum(triples + i, kHx);
    const V determinant = hn::Max(g_yy * g_xx - g_xy * g_xy, Zero()) + Set(kRegularisation);
    const V inverse = Set(1.0F) / determinant;
    Store((g_yy * h_x - g_xy * h_y) * inverse, flow_x + i);
    Store((g_xx * h_y - g_xy * h_x) * inverse, flow_y + i);
  }
}

}  // namespace glint::farneback::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
