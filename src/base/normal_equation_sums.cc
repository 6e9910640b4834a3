// SPDX-License-Identifier: Apache-2.0
#include "base/normal_equation_sums.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/normal_equation_sums.cc"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)  // arrays of vectors
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// clang-format off
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace glint::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Columns = hn::CappedTag<double, NormalEquations::kMaxUnknowns>;

constexpr std::size_t kLanes = hn::MaxLanes(Columns());
constexpr std::size_t kVectors = NormalEquations::kMaxUnknowns / kLanes;
// So many rows of the matrix stay in registers, eight of them.
constexpr std::size_t kRows = kLanes;

// Every entry of the matrix is a sum over the equations in their order, whatever rows and columns
// are summed side by side.
HWY_INLINE void AddToRows(std::span<const NormalEquations::Equation> equations,
                          std::span<const double> weights, std::size_t first,
                          NormalEquations::Matrix& matrix) {
  const Columns d;
  hn::Vec<Columns> sums[kRows][kVectors];
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[i][v] = hn::LoadU(d, &matrix[first + i][v * kLanes]);
    }
  }
  for (std::size_t e = 0; e < equations.size(); ++e) {
    if (weights[e] == 0) continue;
    const double* row = equations[e].row.data();
    double weighted[kRows];
    hn::StoreU(hn::Mul(hn::Set(d, weights[e]), hn::LoadU(d, row + first)), d, weighted);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto columns = hn::LoadU(d, row + v * kLanes);
      for (std::size_t i = 0; i < kRows; ++i) {
        sums[i][v] = hn::Add(sums[i][v], hn::Mul(hn::Set(d, weighted[i]), columns));
      }
    }
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[i][v], d, &matrix[first + i][v * kLanes]);
    }
  }
}

HWY_INLINE void AddToRight(std::span<const NormalEquations::Equation> equations,
                           std::span<const double> weights, std::size_t first,
                           NormalEquations::Vector& right) {
  const Columns d;
  auto sum = hn::LoadU(d, &right[first]);
  for (std::size_t e = 0; e < equations.size(); ++e) {
    if (weights[e] == 0) continue;
    const auto row = hn::LoadU(d, equations[e].row.data() + first);
    const auto weighted = hn::Mul(hn::Set(d, weights[e]), row);
    sum = hn::Add(sum, hn::Mul(weighted, hn::Set(d, equations[e].value)));
  }
  hn::StoreU(sum, d, &right[first]);
}

void AddAll(std::span<const NormalEquations::Equation> equations, std::span<const double> weights,
            NormalEquations::Matrix& matrix, NormalEquations::Vector& right) {
  for (std::size_t first = 0; first < NormalEquations::kMaxUnknowns; first += kRows) {
    AddToRows(equations, weights, first, matrix);
    AddToRight(equations, weights, first, right);
  }
}

}  // namespace glint::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glint {

HWY_EXPORT(AddAll);

void AddToSums(std::span<const NormalEquations::Equation> equations,
               std::span<const double> weights, NormalEquations::Matrix& matrix,
               NormalEquations::Vector& right) {
  HWY_DYNAMIC_DISPATCH(AddAll)(equations, weights, matrix, right);
}

}  // namespace glint
#endif
