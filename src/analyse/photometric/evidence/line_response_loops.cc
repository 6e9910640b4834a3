// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/evidence/line_response_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "analyse/photometric/evidence/line_response_loops.cc"
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)  // vectors of any size
#include <hwy/foreach_target.h>                      // compiles this file once per instruction set
// clang-format off
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "stages/shared/photometric_arithmetic.h"

#ifndef GLINT_LINE_RESPONSE_LOOPS_TYPES
#define GLINT_LINE_RESPONSE_LOOPS_TYPES
namespace glint::photometric {

constexpr std::size_t kMostLanes = 16;  // floats

/// What whitening one kind of response needs. Rows go on until there are so many
/// times kMostLanes, unseen.
struct WhiteningRows {
  std::vector<float> squares;
  std::vector<float> beside;       // what lies beside each
  std::vector<float> counted;      // of each square, at most
  std::vector<double> sums;        // of what is counted, of the first so many
  std::vector<double> neighbours;  // seen ones among those within reach, 1 at least
  float first = 0;                 // what stands for `beside` the first time
};

}  // namespace glint::photometric
#endif

HWY_BEFORE_NAMESPACE();
namespace glint::photometric::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Doubles = hn::ScalableTag<double>;
using OneFloat = hn::CappedTag<float, 1>;

static_assert(hn::MaxLanes(Floats()) <= kMostLanes);

// Whole vectors from x on. @return the first pixel left over
template <class D>
HWY_INLINE std::size_t AddPixels(D d, const ResidualRow& row, const ResidualSpread& spread,
                                 std::size_t x, float* sums, float* counts) {
  const hn::Rebind<std::int16_t, D> shorts;
  const hn::Rebind<std::uint8_t, D> bytes;
  const hn::Rebind<std::int32_t, D> words;
  const auto variance = hn::Set(d, spread.deviation * spread.deviation);
  const auto contour = hn::Set(d, spread.contour_variance);
  const auto most = hn::Set(d, spread.max_sigmas);
  const std::size_t lanes = hn::Lanes(d);
  for (; x + lanes <= row.residuals.size(); x += lanes) {
    const auto load = [&](const std::uint8_t* from)
                          HWY_ATTR { return hn::PromoteTo(words, hn::LoadU(bytes, from + x)); };
    const auto none = hn::Zero(words);
    const auto seen =
        hn::RebindMask(d, hn::And(hn::Ne(load(row.valid), none), hn::Ne(load(row.surface), none)));
    const auto gradient = hn::ConvertTo(d, hn::LoadU(words, row.gradients + x));
    const auto rest =
        hn::ConvertTo(d, hn::PromoteTo(words, hn::LoadU(shorts, row.residuals.data() + x)));
    const auto expected = hn::Sqrt(
        hn::Add(variance, hn::Mul(hn::Mul(contour, gradient), hn::Set(d, 1.0F / kGradientUnit))));
    const auto sigmas = hn::Div(hn::Mul(rest, hn::Set(d, 1.0F / kGrey)), expected);
    const auto counted = hn::Min(hn::Max(sigmas, hn::Neg(most)), most);
    hn::StoreU(hn::Add(hn::LoadU(d, sums + x), hn::IfThenElseZero(seen, counted)), d, sums + x);
    hn::StoreU(hn::Add(hn::LoadU(d, counts + x), hn::IfThenElseZero(seen, hn::Set(d, 1.0F))), d,
               counts + x);
  }
  return x;
}

void AddRow(const ResidualRow& row, const ResidualSpread& spread, float* sums, float* counts) {
  const std::size_t rest = AddPixels(Floats(), row, spread, 0, sums, counts);
  AddPixels(OneFloat(), row, spread, rest, sums, counts);
}

template <class D>
HWY_INLINE std::size_t DividePixels(D d, std::span<float> sums, const float* counts,
                                    std::size_t x) {
  const auto unseen = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
  for (; x + hn::Lanes(d) <= sums.size(); x += hn::Lanes(d)) {
    const auto count = hn::LoadU(d, counts + x);
    const auto mean = hn::Div(hn::LoadU(d, &sums[x]), hn::Sqrt(count));
    hn::StoreU(hn::IfThenElse(hn::Gt(count, hn::Zero(d)), mean, unseen), d, &sums[x]);
  }
  return x;
}

void DivideRow(std::span<float> sums, const float* counts) {
  const std::size_t rest = DividePixels(Floats(), sums, counts, 0);
  DividePixels(OneFloat(), sums, counts, rest);
}

// Squares as integers that are ordered as they are; what is not seen comes last.
HWY_INLINE hn::Vec<hn::RebindToSigned<Floats>> Ordered(const std::vector<float>& squares,
                                                       std::size_t i) {
  const Floats d;
  return hn::BitCast(hn::RebindToSigned<Floats>(), hn::Abs(hn::LoadU(d, &squares[i])));
}

// How many squares are at most that. @param most  as Ordered gives it
HWY_INLINE int CountUpTo(const std::vector<float>& squares, std::int32_t most) {
  const hn::RebindToSigned<Floats> d;
  const auto limit = hn::Set(d, most);
  auto less_those_above = hn::Zero(d);
  for (std::size_t i = 0; i < squares.size(); i += hn::Lanes(d)) {
    // A mask is -1 in every lane that is set.
    less_those_above =
        hn::Add(less_those_above, hn::VecFromMask(d, hn::Gt(Ordered(squares, i), limit)));
  }
  const std::int32_t above = -hn::GetLane(hn::SumOfLanes(d, less_those_above));
  return static_cast<int>(squares.size()) - above;
}

// The largest square that is at most that.
HWY_INLINE std::int32_t LargestUpTo(const std::vector<float>& squares, std::int32_t most) {
  const hn::RebindToSigned<Floats> d;
  const auto limit = hn::Set(d, most);
  auto largest = hn::Zero(d);
  for (std::size_t i = 0; i < squares.size(); i += hn::Lanes(d)) {
    const auto square = Ordered(squares, i);
    largest = hn::Max(largest, hn::IfThenZeroElse(hn::Gt(square, limit), square));
  }
  return static_cast<std::int32_t>(hn::GetLane(hn::MaxOfLanes(d, largest)));
}

// The median of those that are seen, of an even number the mean of the middle two; 0 of none.
// Bisection by counting, which has no branch that depends on a value.
double MedianOf(const std::vector<float>& squares) {
  constexpr auto kLargest = std::bit_cast<std::int32_t>(std::numeric_limits<float>::max());
  const int seen = CountUpTo(squares, kLargest);
  if (seen == 0) return 0;
  std::int32_t low = 0, high = LargestUpTo(squares, kLargest);
  while (low < high) {
    const std::int32_t middle = low + (high - low) / 2;
    if (CountUpTo(squares, middle) > seen / 2) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const double upper = std::bit_cast<float>(high);
  if (seen % 2 == 1) return upper;
  if (high == 0 || CountUpTo(squares, high - 1) < seen / 2) return upper;
  return (upper + double{std::bit_cast<float>(LargestUpTo(squares, high - 1))}) / 2;
}

// What counts of each square.
void CountEach(WhiteningRows& rows, float max_ratio) {
  const Floats d;
  for (std::size_t i = 0; i < rows.squares.size(); i += hn::Lanes(d)) {
    const auto square = hn::LoadU(d, &rows.squares[i]);
    const auto most = hn::Mul(hn::Set(d, max_ratio), hn::LoadU(d, &rows.beside[i]));
    hn::StoreU(hn::IfThenZeroElse(hn::IsNaN(square), hn::Min(square, most)), d, &rows.counted[i]);
  }
}

// `neighbours` from the sums of ones.
void CountNeighbours(WhiteningRows& rows, std::size_t reach) {
  const Doubles d;
  for (std::size_t i = 0; i < rows.squares.size(); i += hn::Lanes(d)) {
    const auto end = hn::LoadU(d, &rows.sums[i + 2 * reach + 1]);
    const auto count = hn::Sub(end, hn::LoadU(d, &rows.sums[i]));
    hn::StoreU(hn::Max(count, hn::Set(d, 1.0)), d, &rows.neighbours[i]);
  }
}

// `beside` from the sums.
void LookBeside(WhiteningRows& rows, std::size_t reach, float gain) {
  const Doubles d;
  const hn::Rebind<float, Doubles> floats;
  for (std::size_t i = 0; i < rows.squares.size(); i += hn::Lanes(d)) {
    const auto end = hn::LoadU(d, &rows.sums[i + 2 * reach + 1]);
    const auto sum = hn::Sub(end, hn::LoadU(d, &rows.sums[i]));
    const auto mean = hn::DemoteTo(floats, hn::Div(sum, hn::LoadU(d, &rows.neighbours[i])));
    hn::StoreU(hn::Mul(mean, hn::Set(floats, gain)), floats, &rows.beside[i]);
  }
}

void DivideSquares(WhiteningRows& rows, float least, float max_ratio) {
  const Floats d;
  for (std::size_t i = 0; i < rows.squares.size(); i += hn::Lanes(d)) {
    const auto square = hn::LoadU(d, &rows.squares[i]);
    const auto beside = hn::Max(hn::LoadU(d, &rows.beside[i]), hn::Set(d, least));
    const auto ratio = hn::Min(hn::Div(square, beside), hn::Set(d, max_ratio));
    hn::StoreU(hn::IfThenZeroElse(hn::IsNaN(square), ratio), d, &rows.squares[i]);
  }
}

}  // namespace glint::photometric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glint::photometric {

HWY_EXPORT(AddRow);
HWY_EXPORT(DivideRow);
HWY_EXPORT(MedianOf);
HWY_EXPORT(CountEach);
HWY_EXPORT(CountNeighbours);
HWY_EXPORT(LookBeside);
HWY_EXPORT(DivideSquares);

namespace {

WhiteningRows RowsOf(const SquaredResponses& responses, std::size_t reach) {
  const std::size_t size = responses.squares.size();
  const std::size_t padded = (size + kMostLanes - 1) / kMostLanes * kMostLanes;
  WhiteningRows rows;
  rows.squares.assign(responses.squares.begin(), responses.squares.end());
  rows.squares.resize(padded, std::numeric_limits<float>::quiet_NaN());
  rows.counted.resize(padded);
  rows.beside.resize(padded);
  rows.neighbours.resize(padded);
  rows.sums.resize(padded + 2 * reach + 1);
  return rows;
}

/// Adds up what is counted, in the order of the lines: sums[i + reach] is that of the first i. Each
/// addition waits for the one before, so several rows are added up at a time.
template <std::size_t count>
void AddUp(std::span<WhiteningRows> all, std::size_t reach) {
  std::array<double, count> sums{};
  const std::size_t size = all[0].squares.size();
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < count; ++k) {
      sums[k] += double{all[k].counted[i]};
      all[k].sums[i + reach + 1] = sums[k];
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    std::fill(all[k].sums.end() - static_cast<std::ptrdiff_t>(reach), all[k].sums.end(), sums[k]);
  }
}

void AddUpAll(std::span<WhiteningRows> all, std::size_t reach) {
  for (; all.size() >= 3; all = all.subspan(3)) AddUp<3>(all, reach);
  if (all.size() == 2) AddUp<2>(all, reach);
  if (all.size() == 1) AddUp<1>(all, reach);
}

}  // namespace

void AddInDeviations(const ResidualRow& row, const ResidualSpread& spread, float* sums,
                     float* counts) {
  HWY_DYNAMIC_DISPATCH(AddRow)(row, spread, sums, counts);
}

void DivideByRoots(std::span<float> sums, const float* counts) {
  HWY_DYNAMIC_DISPATCH(DivideRow)(sums, counts);
}

void Whiten(std::span<const SquaredResponses> all, const Whitening& how) {
  const auto reach = static_cast<std::size_t>(how.beside);
  std::vector<WhiteningRows> rows;
  rows.reserve(all.size());
  for (const SquaredResponses& responses : all) {
    WhiteningRows& row = rows.emplace_back(RowsOf(responses, reach));
    const auto median = static_cast<float>(HWY_DYNAMIC_DISPATCH(MedianOf)(row.squares));
    row.first = median * how.first_medians + 1e-6F;
    // Ones where a line is seen: how many lie beside is what they add up to.
    std::ranges::fill(row.beside, 1.0F);
    for (std::size_t i = 0; i < row.squares.size(); ++i) {
      row.counted[i] = std::isnan(row.squares[i]) ? 0.0F : 1.0F;
    }
  }
  AddUpAll(rows, reach);
  for (WhiteningRows& row : rows) {
    HWY_DYNAMIC_DISPATCH(CountNeighbours)(row, reach);
    std::ranges::fill(row.beside, row.first);
  }
  for (int round = 0; round < how.rounds; ++round) {
    for (WhiteningRows& row : rows) HWY_DYNAMIC_DISPATCH(CountEach)(row, how.max_beside_ratio);
    AddUpAll(rows, reach);
    for (WhiteningRows& row : rows) HWY_DYNAMIC_DISPATCH(LookBeside)(row, reach, how.beside_gain);
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    const float least = std::max(how.min_beside_share * rows[k].first, all[k].noise);
    HWY_DYNAMIC_DISPATCH(DivideSquares)(rows[k], least, how.max_ratio);
    std::copy_n(rows[k].squares.begin(), all[k].squares.size(), all[k].squares.begin());
  }
}

}  // namespace glint::photometric
#endif
