// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/luma_row.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/cpu/luma_row.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// clang-format off
#include <hwy/highway.h>
// clang-format on

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace glint::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Squares of at most 1020 over so many pixels fit into 31 bits, also when all lanes are summed.
constexpr int kChunk = 2048;

void AddPixel(const LumaRow& luma, int x, LumaStatistics& sums) {
  const int last = luma.width - 1;
  const int left = x > 0 ? x - 1 : std::min(1, last);  // reflect-101
  const int right = x < last ? x + 1 : std::max(last - 1, 0);
  const int value = luma.row[x];
  const int laplacian =
      luma.above[x] + luma.below[x] + luma.row[left] + luma.row[right] - 4 * value;
  sums.laplacian_sum += laplacian;
  sums.laplacian_square_sum += std::int64_t{laplacian} * laplacian;
  sums.dark += value <= 2;
  sums.bright += value >= 253;
}

// Whole vectors in x .. end - 1, none of them at a border. @return the first column left over
int AddVectors(const LumaRow& luma, int x, int end, LumaStatistics& sums) {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const hn::RepartitionToWide<decltype(d16)> d32;
  const auto lanes = static_cast<int>(hn::Lanes(d16));
  const auto load = [&](const std::uint8_t* from)
                        HWY_ATTR { return hn::PromoteTo(d16, hn::LoadU(d8, from)); };
  const auto one = hn::Set(d16, 1);
  auto dark = hn::Zero(d16);
  auto bright = hn::Zero(d16);
  auto sum0 = hn::Zero(d32);
  auto sum1 = hn::Zero(d32);
  auto square0 = hn::Zero(d32);
  auto square1 = hn::Zero(d32);
  for (; x + lanes <= end; x += lanes) {
    const auto value = load(luma.row + x);
    const auto vertical = hn::Add(load(luma.above + x), load(luma.below + x));
    const auto horizontal = hn::Add(load(luma.row + x - 1), load(luma.row + x + 1));
    const auto laplacian = hn::Sub(hn::Add(vertical, horizontal), hn::ShiftLeft<2>(value));
    sum0 = hn::ReorderWidenMulAccumulate(d32, laplacian, one, sum0, sum1);
    square0 = hn::ReorderWidenMulAccumulate(d32, laplacian, laplacian, square0, square1);
    // A mask is -1 in every lane that is set.
    dark = hn::Sub(dark, hn::VecFromMask(d16, hn::Lt(value, hn::Set(d16, 3))));
    bright = hn::Sub(bright, hn::VecFromMask(d16, hn::Gt(value, hn::Set(d16, 252))));
  }
  const auto total = [&](auto vector) HWY_ATTR { return hn::GetLane(hn::SumOfLanes(d32, vector)); };
  sums.laplacian_sum += total(hn::Add(sum0, sum1));
  sums.laplacian_square_sum += total(hn::Add(square0, square1));
  auto none = hn::Zero(d32);
  sums.dark +=
      total(hn::Add(hn::ReorderWidenMulAccumulate(d32, dark, one, hn::Zero(d32), none), none));
  none = hn::Zero(d32);
  sums.bright +=
      total(hn::Add(hn::ReorderWidenMulAccumulate(d32, bright, one, hn::Zero(d32), none), none));
  return x;
}

void AddRow(const LumaRow& luma, LumaStatistics& sums) {
  const int last = luma.width - 1;
  AddPixel(luma, 0, sums);
  int x = 1;
  while (x < last) {
    const int end = std::min(x + kChunk, last);
    const int left_over = AddVectors(luma, x, end, sums);
    for (x = left_over; x < end; ++x) AddPixel(luma, x, sums);
  }
  if (last > 0) AddPixel(luma, last, sums);
  sums.pixels += luma.width;
}

}  // namespace glint::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glint {

HWY_EXPORT(AddRow);

void AddLumaRow(const LumaRow& luma, LumaStatistics& sums) {
  HWY_DYNAMIC_DISPATCH(AddRow)(luma, sums);
}

}  // namespace glint
#endif
