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
#include "stages/cpu/farneback/parameters.h"
#include "stages/cpu/farneback/vector-inl.h"

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

/// Bilinear sampling of five planes around pixels that lie side by side, except that each may be
/// one further right (where kShiftRight) or down (where kShiftDown) than the first.
template <bool kShiftRight, bool kShiftDown>
class ContiguousSampler {
 public:
  using Mask = hn::Mask<Floats>;

  ContiguousSampler(const RowBuffer& planes, int column, int row, V across, V down, Mask right,
                    Mask below)
      : top_left_(planes.Row(row) + column),
        plane_stride_(planes.plane_stride()),
        row_stride_(planes.row_stride()),
        right_(right),
        below_(below) {
    const V left_weight = Set(1.0F) - across;
    const V top_weight = Set(1.0F) - down;
    weight00_ = left_weight * top_weight;
    weight01_ = across * top_weight;
    weight10_ = left_weight * down;
    weight11_ = across * down;
  }

  HWY_INLINE V Sample(Coefficient plane) const {
    const float* top = top_left_ + plane * plane_stride_;
    const float* bottom = top + row_stride_;
    V top_left = AtColumn(top);
    V top_right = AtColumn(top + 1);
    V bottom_left = AtColumn(bottom);
    V bottom_right = AtColumn(bottom + 1);
    if constexpr (kShiftDown) {
      const float* lowest = bottom + row_stride_;
      top_left = hn::IfThenElse(below_, bottom_left, top_left);
      top_right = hn::IfThenElse(below_, bottom_right, top_right);
      bottom_left = hn::IfThenElse(below_, AtColumn(lowest), bottom_left);
      bottom_right = hn::IfThenElse(below_, AtColumn(lowest + 1), bottom_right);
    }
    return ((weight00_ * top_left + weight01_ * top_right) + weight10_ * bottom_left) +
           weight11_ * bottom_right;
  }

 private:
  HWY_INLINE V AtColumn(const float* from) const {
    if constexpr (kShiftRight) {
      return hn::IfThenElse(right_, Load(from + 1), Load(from));
    } else {
      return Load(from);
    }
  }

  const float* top_left_;
  std::ptrdiff_t plane_stride_;
  std::ptrdiff_t row_stride_;
  Mask right_, below_;
  V weight00_, weight01_, weight10_, weight11_;
};

template <class Sampler>
HWY_INLINE Polynomials SampleAll(const Sampler& sampler) {
  return {sampler.Sample(kY), sampler.Sample(kX), sampler.Sample(kYY), sampler.Sample(kXX),
          sampler.Sample(kXY)};
}

/// Samples the polynomials of the next frame where pixels of the previous one are carried to. The
/// ways to do it differ in what they load, not in what they compute.
class PolynomialSampler {
 public:
  PolynomialSampler(const RowBuffer& planes, Size size)
      : planes_(planes),
        last_column_(static_cast<float>(size.width - 2)),
        last_row_(static_cast<float>(size.height - 2)),
        last_start_(static_cast<float>(size.width - 1 - kLanes)),
        iota_(hn::Iota(kFloats, 0)) {}

  /// @param own  the polynomials of the pixels themselves: where a pixel leaves the frame, the
  ///             second order is taken from them and the first order is 0
  HWY_INLINE Polynomials Sample(const Target& target, const Polynomials& own) const {
    const float column = hn::GetLane(target.column);
    const float row = hn::GetLane(target.row);
    const V right = target.column - (iota_ + Set(column));
    const V below = target.row - Set(row);
    const auto side_by_side = hn::And(hn::Eq(right, Zero()), hn::Eq(below, Zero()));
    if (HWY_LIKELY(hn::AllTrue(kFloats, side_by_side)) && column >= 0 && column <= last_start_ &&
        row >= 0 && row <= last_row_) {
      const auto none = hn::Eq(right, Set(1.0F));
      return SampleAll(ContiguousSampler<false, false>(planes_, static_cast<int>(column),
                                                       static_cast<int>(row), target.across,
                                                       target.down, none, none));
    }
    // A margin of one keeps the next check simple: vectors at the border are gathered.
    if (column >= 1 && column < last_start_ && row >= 1 && row < last_row_)
      return SampleUneven(target, own, static_cast<int>(column), static_cast<int>(row), right,
                          below);
    return Gather(target, own);
  }

 private:
  /// Pixels that do not stay side by side: most often they cross one pixel boundary in x, y or
  /// both.
  HWY_NOINLINE Polynomials SampleUneven(const Target& target, const Polynomials& own, int column,
                                        int row, V right, V below) const {
    const V one = Set(1.0F);
    if (!hn::AllFalse(kFloats, hn::Lt(right, Zero()))) {
      right = right + one;
      --column;
    }
    if (!hn::AllFalse(kFloats, hn::Lt(below, Zero()))) {
      below = below + one;
      --row;
    }
    const auto is_right = hn::Eq(right, one);
    const auto is_below = hn::Eq(below, one);
    const auto one_step =
        hn::And(hn::Or(is_right, hn::Eq(right, Zero())), hn::Or(is_below, hn::Eq(below, Zero())));
    if (!hn::AllTrue(kFloats, one_step)) return Gather(target, own);
    if (hn::AllFalse(kFloats, is_below)) {
      return SampleAll(ContiguousSampler<true, false>(planes_, column, row, target.across,
                                                      target.down, is_right, is_below));
    }
    if (hn::AllFalse(kFloats, is_right)) {
      return SampleAll(ContiguousSampler<false, true>(planes_, column, row, target.across,
                                                      target.down, is_right, is_below));
    }
    return SampleAll(ContiguousSampler<true, true>(planes_, column, row, target.across, target.down,
                                                   is_right, is_below));
  }

  HWY_NOINLINE Polynomials Gather(const Target& target, const Polynomials& own) const {
    const auto inside =
        hn::And(hn::And(hn::Ge(target.column, Zero()), hn::Le(target.column, Set(last_column_))),
                hn::And(hn::Ge(target.row, Zero()), hn::Le(target.row, Set(last_row_))));
    const VI column = hn::ConvertTo(kInts, hn::IfThenElseZero(inside, target.column));
    const VI row = hn::ConvertTo(kInts, hn::IfThenElseZero(inside, target.row));
    const auto stride = static_cast<std::int32_t>(planes_.row_stride());
    const VI index = row * hn::Set(kInts, stride) + column;
    const V left_weight = Set(1.0F) - target.across;
    const V top_weight = Set(1.0F) - target.down;
    const V weight00 = left_weight * top_weight;
    const V weight01 = target.across * top_weight;
    const V weight10 = left_weight * target.down;
    const V weight11 = target.across * target.down;
    const auto sample = [&](Coefficient plane, V outside) HWY_ATTR {
      const float* top = planes_.Row(0, plane);
      const float* bottom = top + stride;
      const V top_left = hn::GatherIndex(kFloats, top, index);
      const V top_right = hn::GatherIndex(kFloats, top + 1, index);
      const V bottom_left = hn::GatherIndex(kFloats, bottom, index);
      const V bottom_right = hn::GatherIndex(kFloats, bottom + 1, index);
      const V value = ((weight00 * top_left + weight01 * top_right) + weight10 * bottom_left) +
                      weight11 * bottom_right;
      return hn::IfThenElse(inside, value, outside);
    };
    return {sample(kY, Zero()), sample(kX, Zero()), sample(kYY, own.yy), sample(kXX, own.xx),
            sample(kXY, own.xy)};
  }

  const RowBuffer& planes_;
  float last_column_;
  float last_row_;
  float last_start_;
  V iota_;
};

/// The equations for pixels begin..end - 1 of row `y`: at the displacement `flow_x`, `flow_y`
/// (whose first entries are those of `begin`), in row `slot` of `out`.
inline void ComputeMatrices(const RowBuffer& previous, const RowBuffer& next,
                            const LevelGeometry& level, int y, Columns columns, const float* flow_x,
                            const float* flow_y, RowBuffer& out, int slot) {
  const PolynomialSampler sampler(next, level.size);
  const V iota = hn::Iota(kFloats, 0);
  const float row_weight = level.row_weights[y];
  const auto border = static_cast<int>(kBorderWeights.size());
  for (int i = 0; i < columns.count(); i += kLanes) {
    const int x = columns.begin + i;
    const Polynomials own{Load(previous.Row(y, kY) + x), Load(previous.Row(y, kX) + x),
                          Load(previous.Row(y, kYY) + x), Load(previous.Row(y, kXX) + x),
                          Load(previous.Row(y, kXY) + x)};
    const V dx = Load(flow_x + i);
    const V dy = Load(flow_y + i);
    const V target_x = (iota + Set(static_cast<float>(x))) + dx;
    const V target_y = Set(static_cast<float>(y)) + dy;
    Target target{hn::Floor(target_x), hn::Floor(target_y), Zero(), Zero()};
    target.across = target_x - target.column;
    target.down = target_y - target.row;
    const Polynomials there = sampler.Sample(target, own);

    V yy = own.yy + there.yy;
    V xx = own.xx + there.xx;
    V xy = own.xy + there.xy;
    V change_y = (own.y - there.y) + (yy * dy + xy * dx);
    V change_x = (own.x - there.x) + (xy * dy + xx * dx);
    if (row_weight != 1.0F || x < border || x + kLanes > level.size.width - border) {
      const V weight = Load(level.column_weights.data() + x) * Set(row_weight);
      yy = yy * weight;
      xx = xx * weight;
      xy = xy * weight;
      change_y = change_y * weight;
      change_x = change_x * weight;
    }
    const V xy_square = xy * xy;
    Store(yy * yy + xy_square, out.Row(slot, kGyy) + i);
    Store((yy + xx) * xy, out.Row(slot, kGxy) + i);
    Store(xx * xx + xy_square, out.Row(slot, kGxx) + i);
    Store(yy * change_y + xy * change_x, out.Row(slot, kHy) + i);
    Store(xy * change_y + xx * change_x, out.Row(slot, kHx) + i);
  }
}

}  // namespace glint::farneback::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
