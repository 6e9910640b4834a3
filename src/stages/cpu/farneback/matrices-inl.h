// SPDX-License-Identifier: Apache-2.0
// From a displacement to the equations for a better one: the matrices G and the vectors h of
// Farnebäck's method, per pixel.
#if defined(GLINT_FARNEBACK_MATRICES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GLINT_FARNEBACK_MATRICES_INL_H
#undef GLINT_FARNEBACK_MATRICES_INL_H
#else
#define GLINT_FARNEBACK_MATRICES_INL_H
#endif

#include <algorithm>

#include "stages/cpu/farneback/expansion.h"
#include "stages/cpu/farneback/vector-inl.h"
#include "stages/shared/farneback/parameters.h"

HWY_BEFORE_NAMESPACE();
namespace glint::farneback::HWY_NAMESPACE {

/// The polynomials of one vector of pixels.
struct Polynomials {
  V y, x, yy, xx, xy;
};

/// Where one vector of pixels is carried to, in the next frame.
struct Target {
  V column, row;   ///< whole part
  V across, down;  ///< fraction, 0..1
};

/// One row of a tile: what its equations are made of.
struct EquationsRow {
  int y;                ///< in the level
  int begin, count;     ///< columns, in the level
  Size level;           ///< size of the level
  const float* flow_x;  ///< the displacement; from here on, index 0 is column `begin`
  const float* flow_y;
  const float* previous;  ///< the polynomials of the previous frame, first plane
  const float* column_weights;
  float row_weight;
  float* out;                   ///< first plane of the matrices
  const float* next;            ///< the polynomials of the next frame: first plane, row 0, column 0
  std::ptrdiff_t plane_stride;  ///< of the polynomials of either frame

  std::ptrdiff_t row_stride() const { return plane_stride * kCoefficients; }
};

/// The weights of four pixels for a point between them.
struct BilinearWeights {
  explicit HWY_INLINE BilinearWeights(const Target& target) {
    const V left = Set(1.0F) - target.across;
    const V top = Set(1.0F) - target.down;
    top_left = left * top;
    top_right = target.across * top;
    bottom_left = left * target.down;
    bottom_right = target.across * target.down;
  }

  HWY_INLINE V Mix(V at_top_left, V at_top_right, V at_bottom_left, V at_bottom_right) const {
    return ((top_left * at_top_left + top_right * at_top_right) + bottom_left * at_bottom_left) +
           bottom_right * at_bottom_right;
  }

  V top_left, top_right, bottom_left, bottom_right;
};

HWY_INLINE Target FindTarget(const EquationsRow& row, int i) {
  const V x = hn::Iota(kFloats, static_cast<float>(row.begin + i)) + Load(row.flow_x + i);
  const V y = Set(static_cast<float>(row.y)) + Load(row.flow_y + i);
  const V column = hn::Floor(x);
  const V line = hn::Floor(y);
  return {column, line, x - column, y - line};
}

/// The polynomials of the pixels themselves.
HWY_INLINE Polynomials LoadOwn(const EquationsRow& row, int i) {
  const float* from = row.previous + i;
  const std::ptrdiff_t plane = row.plane_stride;
  return {Load(from + kY * plane), Load(from + kX * plane), Load(from + kYY * plane),
          Load(from + kXX * plane), Load(from + kXY * plane)};
}

/// The polynomials of the next frame for pixels that land side by side.
HWY_INLINE Polynomials SampleSideBySide(const EquationsRow& row, const Target& target, int column,
                                        int line) {
  const BilinearWeights weights(target);
  const std::ptrdiff_t plane = row.plane_stride;
  const float* top = row.next + line * row.row_stride() + column;
  const float* bottom = top + row.row_stride();
  const auto sample = [&](Coefficient c) GLINT_INLINED {
    return weights.Mix(Load(top + c * plane), Load(top + c * plane + 1), Load(bottom + c * plane),
                       Load(bottom + c * plane + 1));
  };
  return {sample(kY), sample(kX), sample(kYY), sample(kXX), sample(kXY)};
}

/// The same where pixels of the mask `right` (where kRight; else none) land one further right than
/// the others, and those of `below` (where kBelow; else none) one further down.
template <bool kRight, bool kBelow>
HWY_INLINE Polynomials SampleAcrossStep(const EquationsRow& row, const Target& target, int column,
                                        int line, hn::Mask<Floats> right, hn::Mask<Floats> below) {
  const BilinearWeights weights(target);
  const std::ptrdiff_t plane = row.plane_stride;
  const std::ptrdiff_t stride = row.row_stride();
  const float* first = row.next + line * stride + column;
  const auto shifted = [&](const float* from) GLINT_INLINED {
    if constexpr (!kRight) return Load(from);
    return hn::IfThenElse(right, Load(from + 1), Load(from));
  };
  const auto sample = [&](Coefficient c) GLINT_INLINED {
    const float* top = first + c * plane;
    const V left0 = shifted(top);
    const V right0 = shifted(top + 1);
    const V left1 = shifted(top + stride);
    const V right1 = shifted(top + stride + 1);
    if constexpr (!kBelow) return weights.Mix(left0, right0, left1, right1);
    const V left2 = shifted(top + 2 * stride);
    const V right2 = shifted(top + 2 * stride + 1);
    return weights.Mix(hn::IfThenElse(below, left1, left0), hn::IfThenElse(below, right1, right0),
                       hn::IfThenElse(below, left2, left1), hn::IfThenElse(below, right2, right1));
  };
  return {sample(kY), sample(kX), sample(kYY), sample(kXX), sample(kXY)};
}

#if HWY_TARGET <= HWY_AVX3
/// Whether one instruction picks from two vectors. Highway 1.0 has no name for it.
inline constexpr bool kPicksFromTwo = true;

/// Picks one of 2 * kLanes floats for each lane.
class Picker {
 public:
  /// @param places  0..2 * kLanes - 1
  explicit HWY_INLINE Picker(VI places) : places_(places) {}

  HWY_INLINE V From(const float* floats) const {
    return V{_mm512_permutex2var_ps(Load(floats).raw, places_.raw, Load(floats + kLanes).raw)};
  }

 private:
  VI places_;
};
#else
inline constexpr bool kPicksFromTwo = false;

class Picker {
 public:
  explicit HWY_INLINE Picker(VI places)
      : places_(hn::IndicesFromVec(kFloats, hn::And(places, hn::Set(kInts, kLanes - 1)))),
        in_first_(hn::RebindMask(kFloats, hn::Lt(places, hn::Set(kInts, kLanes)))) {}

  HWY_INLINE V From(const float* floats) const {
    return hn::IfThenElse(in_first_, hn::TableLookupLanes(Load(floats), places_),
                          hn::TableLookupLanes(Load(floats + kLanes), places_));
  }

 private:
  decltype(hn::IndicesFromVec(kFloats, VI())) places_;
  hn::Mask<Floats> in_first_;
};
#endif

/// The same where pixels land in any order in columns column .. column + 2 * kLanes - 2, and those
/// of the mask `below` (where kBelow; else none) one line further down.
template <bool kBelow>
HWY_INLINE Polynomials SampleScattered(const EquationsRow& row, const Target& target, int column,
                                       int line, hn::Mask<Floats> below) {
  const BilinearWeights weights(target);
  const std::ptrdiff_t second = row.row_stride();
  const VI places = hn::ConvertTo(kInts, target.column - Set(static_cast<float>(column)));
  const Picker left(places);
  const Picker right(places + hn::Set(kInts, 1));
  const auto sample = [&](Coefficient c) GLINT_INLINED {
    const float* top = row.next + line * second + column + c * row.plane_stride;
    const V left0 = left.From(top);
    const V right0 = right.From(top);
    const V left1 = left.From(top + second);
    const V right1 = right.From(top + second);
    if constexpr (!kBelow) return weights.Mix(left0, right0, left1, right1);
    const V left2 = left.From(top + 2 * second);
    const V right2 = right.From(top + 2 * second);
    return weights.Mix(hn::IfThenElse(below, left1, left0), hn::IfThenElse(below, right1, right0),
                       hn::IfThenElse(below, left2, left1), hn::IfThenElse(below, right2, right1));
  };
  return {sample(kY), sample(kX), sample(kYY), sample(kXX), sample(kXY)};
}

/// The same wherever pixels land.
HWY_INLINE Polynomials SampleAnywhere(const EquationsRow& row, const Target& target) {
  const VI column = hn::ConvertTo(kInts, target.column);
  const VI line = hn::ConvertTo(kInts, target.row);
  const VI index = line * hn::Set(kInts, static_cast<std::int32_t>(row.row_stride())) + column;
  const BilinearWeights weights(target);
  const auto sample = [&](Coefficient c) GLINT_INLINED {
    const float* top = row.next + c * row.plane_stride;
    const float* bottom = top + row.row_stride();
    return weights.Mix(
        hn::GatherIndex(kFloats, top, index), hn::GatherIndex(kFloats, top + 1, index),
        hn::GatherIndex(kFloats, bottom, index), hn::GatherIndex(kFloats, bottom + 1, index));
  };
  return {sample(kY), sample(kX), sample(kYY), sample(kXX), sample(kXY)};
}

/// The equations of one vector of pixels, of which one polynomial is `own` and the other `there`.
HWY_INLINE void StoreEquations(const EquationsRow& row, int i, const Polynomials& own,
                               const Polynomials& there) {
  const V dx = Load(row.flow_x + i);
  const V dy = Load(row.flow_y + i);
  V yy = own.yy + there.yy;
  V xx = own.xx + there.xx;
  V xy = own.xy + there.xy;
  V change_y = (own.y - there.y) + (yy * dy + xy * dx);
  V change_x = (own.x - there.x) + (xy * dy + xx * dx);
  constexpr int kBorder = static_cast<int>(kBorderWeights.size());
  const int x = row.begin + i;
  if (row.row_weight != 1.0F || x < kBorder || x + kLanes > row.level.width - kBorder) {
    const V weight = Load(row.column_weights + i) * Set(row.row_weight);
    yy = yy * weight;
    xx = xx * weight;
    xy = xy * weight;
    change_y = change_y * weight;
    change_x = change_x * weight;
  }
  const V xy_square = xy * xy;
  float* out = row.out + i;
  Store(yy * yy + xy_square, out + kGyy * TileRows::kPlaneStride);
  Store((yy + xx) * xy, out + kGxy * TileRows::kPlaneStride);
  Store(xx * xx + xy_square, out + kGxx * TileRows::kPlaneStride);
  Store(yy * change_y + xy * change_x, out + kHy * TileRows::kPlaneStride);
  Store(xy * change_y + xx * change_x, out + kHx * TileRows::kPlaneStride);
}

/// The nearest of 0..last; 0 for what is no number.
HWY_INLINE V Inside(V value, int last) {
  const V top = Set(static_cast<float>(last));
  value = hn::IfThenElse(hn::Ge(value, Zero()), value, Zero());
  return hn::IfThenElse(hn::Le(value, top), value, top);
}

/// The polynomials of the next frame for pixels that land inside it, but not side by side. Most
/// often they cross one pixel boundary, in x or y or both. All loads stay inside the level's rows
/// and the room beside them.
HWY_INLINE Polynomials SampleUnevenly(const EquationsRow& row, const Target& target) {
  const float line = hn::GetLane(target.row);
  V below = target.row - Set(line);
  const int up = hn::AllFalse(kFloats, hn::Lt(below, Zero())) ? 0 : 1;
  below = below + Set(static_cast<float>(up));
  const auto is_below = hn::Eq(below, Set(1.0F));
  const int from_line = static_cast<int>(line) - up;
  if (!hn::AllTrue(kFloats, hn::Or(is_below, hn::Eq(below, Zero()))))
    return SampleAnywhere(row, target);
  const bool none_below = hn::AllFalse(kFloats, is_below);
  const float column = hn::GetLane(target.column);
  if constexpr (kPicksFromTwo) {
    const V place = target.column - Set(column - 1);
    const auto near = hn::And(hn::Ge(place, Zero()), hn::Le(place, Set(2 * kLanes - 2)));
    if (hn::AllTrue(kFloats, near)) {
      const int first = static_cast<int>(column) - 1;
      return none_below ? SampleScattered<false>(row, target, first, from_line, is_below)
                        : SampleScattered<true>(row, target, first, from_line, is_below);
    }
  } else {
    V right = target.column - (hn::Iota(kFloats, 0) + Set(column));
    const int back = hn::AllFalse(kFloats, hn::Lt(right, Zero())) ? 0 : 1;
    right = right + Set(static_cast<float>(back));
    const auto is_right = hn::Eq(right, Set(1.0F));
    const int first = static_cast<int>(column) - back;
    if (hn::AllTrue(kFloats, hn::Or(is_right, hn::Eq(right, Zero())))) {
      if (none_below)
        return SampleAcrossStep<true, false>(row, target, first, from_line, is_right, is_below);
      if (hn::AllFalse(kFloats, is_right))
        return SampleAcrossStep<false, true>(row, target, first, from_line, is_right, is_below);
      return SampleAcrossStep<true, true>(row, target, first, from_line, is_right, is_below);
    }
  }
  const float least = hn::GetLane(hn::MinOfLanes(kFloats, target.column));
  const float most = hn::GetLane(hn::MaxOfLanes(kFloats, target.column));
  if (most - least > 2 * kLanes - 2) return SampleAnywhere(row, target);
  return none_below
             ? SampleScattered<false>(row, target, static_cast<int>(least), from_line, is_below)
             : SampleScattered<true>(row, target, static_cast<int>(least), from_line, is_below);
}

/// The equations of a vector of pixels that do not land side by side inside the frame. Those that
/// leave the frame get a first order of 0 and their own second order.
HWY_NOINLINE void ComputeUnevenly(const EquationsRow& row, int i) {
  Target target = FindTarget(row, i);
  const V column = Inside(target.column, row.level.width - 2);
  const V line = Inside(target.row, row.level.height - 2);
  const auto inside = hn::And(hn::Eq(column, target.column), hn::Eq(line, target.row));
  target.column = column;
  target.row = line;
  const Polynomials own = LoadOwn(row, i);
  Polynomials there = SampleUnevenly(row, target);
  if (!hn::AllTrue(kFloats, inside)) {
    there = {hn::IfThenElseZero(inside, there.y), hn::IfThenElseZero(inside, there.x),
             hn::IfThenElse(inside, there.yy, own.yy), hn::IfThenElse(inside, there.xx, own.xx),
             hn::IfThenElse(inside, there.xy, own.xy)};
  }
  StoreEquations(row, i, own, there);
}

/// The equations of all pixels of a row.
inline void ComputeEquations(const EquationsRow& shared) {
  const EquationsRow row = shared;  // a copy that no other function knows of stays in registers
  const V iota = hn::Iota(kFloats, 0);
  const float last_column = static_cast<float>(row.level.width - 1 - kLanes);
  const float last_line = static_cast<float>(row.level.height - 2);
  for (int i = 0; i < row.count; i += kLanes) {
    const Target target = FindTarget(row, i);
    const float column = hn::GetLane(target.column);
    const float line = hn::GetLane(target.row);
    const auto side_by_side =
        hn::And(hn::Eq(target.column, iota + Set(column)), hn::Eq(target.row, Set(line)));
    if (HWY_LIKELY(hn::AllTrue(kFloats, side_by_side) && column >= 0 && column <= last_column &&
                   line >= 0 && line <= last_line)) {
      const Polynomials there =
          SampleSideBySide(row, target, static_cast<int>(column), static_cast<int>(line));
      StoreEquations(row, i, LoadOwn(row, i), there);
    } else {
      ComputeUnevenly(shared, i);
    }
  }
}

}  // namespace glint::farneback::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
