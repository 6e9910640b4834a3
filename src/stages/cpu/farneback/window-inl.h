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
#include "stages/cpu/farneback/parameters.h"
#include "stages/cpu/farneback/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace glint::farneback::HWY_NAMESPACE {

HWY_INLINE V SumOfThree(V a, V b, V c) { return (a + b) + c; }
HWY_INLINE V SumOfFive(V a, V b, V c, V d, V e) { return ((a + b) + (d + e)) + c; }

/// The vertical sums of one iteration. Rows of matrices enter one after the other; a row of sums
/// leaves kWindowRadius rows later. Rows above the first and below the last are copies of those.
class ColumnSums {
 public:
  /// @param matrices,triples  working memory, of kMatrixRows and kTripleRows rows
  ColumnSums(RowBuffer& matrices, RowBuffer& triples, int count, int height)
      : matrices_(matrices), triples_(triples), count_(count), last_(height - 1) {}

  /// Where row `y` of matrices belongs, 0 <= y < height.
  int Slot(int y) const { return y % kMatrixRows; }

  /// Takes note of row `y`, 0..height + kWindowRadius - 1 in order, and puts the sums around row
  /// y - kWindowRadius into `sums` when there is such a row.
  void Enter(int y, RowBuffer& sums, int sums_offset) {
    if (y == 0) return Begin();
    for (int plane = 0; plane < kWindowSums; ++plane) {
      const float* m0 = Matrix(y - 2, plane);
      const float* m1 = Matrix(y - 1, plane);
      const float* m2 = Matrix(y, plane);
      const float* t0 = Triple(y - 13, plane);
      const float* t1 = Triple(y - 10, plane);
      const float* t2 = Triple(y - 7, plane);
      const float* t3 = Triple(y - 4, plane);
      float* t4 = Triple(y - 1, plane);
      float* sum = sums.Row(0, plane) + sums_offset;
      for (int i = 0; i < count_; i += kLanes) {
        const V triple = SumOfThree(Load(m0 + i), Load(m1 + i), Load(m2 + i));
        Store(SumOfFive(Load(t0 + i), Load(t1 + i), Load(t2 + i), Load(t3 + i), triple), sum + i);
        Store(triple, t4 + i);
      }
    }
  }

 private:
  const float* Matrix(int y, int plane) const {
    return matrices_.Row(Slot(std::clamp(y, 0, last_)), plane);
  }
  /// The sum of rows y - 1, y, y + 1.
  float* Triple(int y, int plane) { return triples_.Row((y + kTripleRows) % kTripleRows, plane); }

  /// Sums of copies of row 0, for the rows above it.
  void Begin() {
    for (int plane = 0; plane < kWindowSums; ++plane) {
      const float* row = Matrix(0, plane);
      for (int i = 0; i < count_; i += kLanes) {
        const V value = Load(row + i);
        const V triple = SumOfThree(value, value, value);
        for (int y = -(kWindowRadius - 1); y < 0; ++y) Store(triple, Triple(y, plane) + i);
      }
    }
  }

  RowBuffer& matrices_;
  RowBuffer& triples_;
  int count_;
  int last_;
};

/// Sums `count + 14` vertical sums (row 0 of `window`) horizontally and solves for the
/// displacement.
inline void Solve(RowBuffer& window, int count, float* flow_x, float* flow_y) {
  for (int plane = 0; plane < kWindowSums; ++plane) {
    const float* sums = window.Row(0, plane);
    float* triples = window.Row(1, plane);
    for (int i = 0; i < count + 2 * (kWindowRadius - 1); i += kLanes)
      Store(SumOfThree(Load(sums + i), Load(sums + i + 1), Load(sums + i + 2)), triples + i);
  }
  const auto sum = [&](WindowSum plane, int i) HWY_ATTR {
    const float* triples = window.Row(1, plane) + i;
    return SumOfFive(Load(triples), Load(triples + 3), Load(triples + 6), Load(triples + 9),
                     Load(triples + 12));
  };
  for (int i = 0; i < count; i += kLanes) {
    const V g_yy = sum(kGyy, i);
    const V g_xy = sum(kGxy, i);
    const V g_xx = sum(kGxx, i);
    const V h_y = sum(kHy, i);
    const V h_x = sum(kHx, i);
    const V determinant = hn::Max(g_yy * g_xx - g_xy * g_xy, Zero()) + Set(kRegularisation);
    const V inverse = Set(1.0F) / determinant;
    Store((g_yy * h_x - g_xy * h_y) * inverse, flow_x + i);
    Store((g_xx * h_y - g_xy * h_x) * inverse, flow_y + i);
  }
}

}  // namespace glint::farneback::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
