// SPDX-License-Identifier: Apache-2.0
#include "analyse/alignment_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "analyse/alignment_loops.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// clang-format off
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace glint::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums of products of 8 and 9 bits over a patch fit into 32 bits, however they are shared out.
PatchSums PatchSumsAt(const PatchPlanes& planes, int x, int y) {
  const hn::CappedTag<std::int16_t, kPatchSide> d;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const hn::RepartitionToWide<decltype(d)> d32;
  const auto one = hn::Set(d, std::int16_t{1});
  auto value0 = hn::Zero(d32), value1 = hn::Zero(d32);
  auto square0 = hn::Zero(d32), square1 = hn::Zero(d32);
  auto product0 = hn::Zero(d32), product1 = hn::Zero(d32);
  auto x0 = hn::Zero(d32), x1 = hn::Zero(d32);
  auto y0 = hn::Zero(d32), y1 = hn::Zero(d32);
  for (int v = y; v < y + kPatchSide; ++v) {
    const auto* view = planes.view.Row<std::uint8_t>(v) + x;
    const auto* target = planes.target.Row<std::uint8_t>(v) + x;
    const auto* along_x = planes.gradient_x.Row<std::int16_t>(v) + x;
    const auto* along_y = planes.gradient_y.Row<std::int16_t>(v) + x;
    for (std::size_t u = 0; u < kPatchSide; u += hn::Lanes(d)) {
      const auto seen = hn::PromoteTo(d, hn::LoadU(bytes, view + u));
      const auto expected = hn::PromoteTo(d, hn::LoadU(bytes, target + u));
      value0 = hn::ReorderWidenMulAccumulate(d32, seen, one, value0, value1);
      square0 = hn::ReorderWidenMulAccumulate(d32, seen, seen, square0, square1);
      product0 = hn::ReorderWidenMulAccumulate(d32, seen, expected, product0, product1);
      x0 = hn::ReorderWidenMulAccumulate(d32, seen, hn::LoadU(d, along_x + u), x0, x1);
      y0 = hn::ReorderWidenMulAccumulate(d32, seen, hn::LoadU(d, along_y + u), y0, y1);
    }
  }
  const auto total = [&](auto first, auto second) HWY_ATTR {
    return hn::GetLane(hn::SumOfLanes(d32, hn::Add(first, second)));
  };
  return {.value = total(value0, value1),
          .square = total(square0, square1),
          .product = total(product0, product1),
          .gradient_x = total(x0, x1),
          .gradient_y = total(y0, y1)};
}

// Weights of some patches, as many as the tag has lanes.
template <class D>
HWY_INLINE void WeightSome(D d, const PatchEquations& equations, const NormalEquations::Vector& fit,
                           double reach, std::size_t patch, double* weights) {
  const std::size_t unknowns = equations.unknowns();
  auto left_x = hn::LoadU(d, equations.Column(0, unknowns) + patch);
  auto left_y = hn::LoadU(d, equations.Column(1, unknowns) + patch);
  for (std::size_t k = 0; k < unknowns; ++k) {
    const auto of = hn::Set(d, fit[k]);
    left_x = hn::Sub(left_x, hn::Mul(hn::LoadU(d, equations.Column(0, k) + patch), of));
    left_y = hn::Sub(left_y, hn::Mul(hn::LoadU(d, equations.Column(1, k) + patch), of));
  }
  const auto length = hn::Sqrt(hn::Add(hn::Mul(left_x, left_x), hn::Mul(left_y, left_y)));
  const auto away = hn::Div(length, hn::Set(d, reach));
  const auto one = hn::Set(d, 1.0);
  const auto share = hn::Sub(one, hn::Mul(away, away));
  const auto weight = hn::IfThenZeroElse(hn::Ge(away, one), hn::Mul(share, share));
  hn::StoreInterleaved2(weight, weight, d, weights + 2 * patch);
}

void WeightAll(const PatchEquations& equations, const NormalEquations::Vector& fit, double reach,
               double* weights) {
  const hn::ScalableTag<double> d;
  const hn::CappedTag<double, 1> one;
  std::size_t patch = 0;
  for (; patch + hn::Lanes(d) <= equations.patches(); patch += hn::Lanes(d)) {
    WeightSome(d, equations, fit, reach, patch, weights);
  }
  for (; patch < equations.patches(); ++patch) {
    WeightSome(one, equations, fit, reach, patch, weights);
  }
}

}  // namespace glint::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glint {

HWY_EXPORT(PatchSumsAt);
HWY_EXPORT(WeightAll);

PatchSums SumPatch(const PatchPlanes& planes, int x, int y) {
  return HWY_DYNAMIC_DISPATCH(PatchSumsAt)(planes, x, y);
}

void TukeyWeights(const PatchEquations& equations, const NormalEquations::Vector& fit, double reach,
                  std::span<double> weights) {
  HWY_DYNAMIC_DISPATCH(WeightAll)(equations, fit, reach, weights.data());
}

PatchEquations::PatchEquations(std::size_t unknowns, std::size_t most)
    : unknowns_(unknowns), most_(most), columns_(2 * (unknowns + 1) * most) {
  rows_.reserve(2 * most);
}

void PatchEquations::Add(const NormalEquations::Equation& along_x,
                         const NormalEquations::Equation& along_y) {
  const std::size_t patch = patches();
  double* column = columns_.data() + patch;
  for (const NormalEquations::Equation* equation : {&along_x, &along_y}) {
    for (std::size_t k = 0; k < unknowns_; ++k, column += most_) *column = equation->row[k];
    *column = equation->value;
    column += most_;
    rows_.push_back(*equation);
  }
}

}  // namespace glint
#endif
