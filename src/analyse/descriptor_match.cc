// SPDX-License-Identifier: Apache-2.0
#include "analyse/descriptor_match.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "analyse/descriptor_match.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// clang-format off
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#ifndef GLINT_DESCRIPTOR_MATCH_TYPES
#define GLINT_DESCRIPTOR_MATCH_TYPES
namespace glint {

constexpr int kWords = 8;       // 32-bit words of a descriptor
constexpr int kIndexBits = 16;  // a key is (distance, row), so that the least key is the match
constexpr std::uint32_t kIndexMask = (1U << kIndexBits) - 1;

using Descriptor = std::array<std::uint32_t, kWords>;

/// Descriptors with the same word of all rows side by side.
struct WordColumns {
  std::array<std::vector<std::uint32_t>, kWords> words;
};

}  // namespace glint
#endif

HWY_BEFORE_NAMESPACE();
namespace glint::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

std::uint32_t Distance(const Descriptor& a, const WordColumns& to, std::size_t j) {
  int distance = 0;
  for (std::size_t w = 0; w < kWords; ++w) distance += std::popcount(a[w] ^ to.words[w][j]);
  return static_cast<std::uint32_t>(distance);
}

// The least key of row i of `from` over all rows of `to`; lowers their least keys, too.
std::uint32_t NearestTo(const Descriptor& a, std::uint32_t i, const WordColumns& to,
                        std::span<std::uint32_t> nearest) {
  const std::size_t rows = nearest.size();
  std::uint32_t best = std::numeric_limits<std::uint32_t>::max();
  std::size_t j = 0;
#if HWY_TARGET != HWY_SCALAR  // which has no bytes inside a lane
  const hn::ScalableTag<std::uint32_t> d;
  const hn::Repartition<std::uint8_t, decltype(d)> bytes;
  const std::size_t lanes = hn::Lanes(d);
  auto least = hn::Set(d, std::numeric_limits<std::uint32_t>::max());
  for (; j + lanes <= rows; j += lanes) {
    auto counts = hn::Zero(bytes);  // of set bits per byte: at most 64
    for (std::size_t w = 0; w < kWords; ++w) {
      const auto differing = hn::Xor(hn::Set(d, a[w]), hn::LoadU(d, to.words[w].data() + j));
      counts = hn::Add(counts, hn::PopulationCount(hn::BitCast(bytes, differing)));
    }
    const auto pairs = hn::BitCast(d, counts);
    const auto halves = hn::Add(hn::And(pairs, hn::Set(d, 0x00FF00FF)),
                                hn::And(hn::ShiftRight<8>(pairs), hn::Set(d, 0x00FF00FF)));
    const auto distance = hn::And(hn::Add(halves, hn::ShiftRight<16>(halves)), hn::Set(d, 0xFFFF));
    const auto shifted = hn::ShiftLeft<kIndexBits>(distance);
    least = hn::Min(least, hn::Or(shifted, hn::Iota(d, static_cast<std::uint32_t>(j))));
    const auto key = hn::Or(shifted, hn::Set(d, i));
    hn::StoreU(hn::Min(key, hn::LoadU(d, nearest.data() + j)), d, nearest.data() + j);
  }
  best = hn::GetLane(hn::MinOfLanes(d, least));
#endif
  for (; j < rows; ++j) {
    const std::uint32_t shifted = Distance(a, to, j) << kIndexBits;
    best = std::min(best, shifted | static_cast<std::uint32_t>(j));
    nearest[j] = std::min(nearest[j], shifted | i);
  }
  return best;
}

}  // namespace glint::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glint {

HWY_EXPORT(NearestTo);

namespace {

WordColumns Columns(const cv::Mat& descriptors) {
  WordColumns columns;
  for (auto& word : columns.words) word.resize(static_cast<std::size_t>(descriptors.rows));
  for (int j = 0; j < descriptors.rows; ++j) {
    Descriptor row{};
    std::memcpy(row.data(), descriptors.ptr(j), sizeof(row));
    for (std::size_t w = 0; w < kWords; ++w) columns.words[w][static_cast<std::size_t>(j)] = row[w];
  }
  return columns;
}

}  // namespace

std::vector<std::pair<int, int>> MatchMutually(const cv::Mat& from, const cv::Mat& to) {
  std::vector<std::pair<int, int>> matches;
  if (from.empty() || to.empty()) return matches;
  assert(from.cols == sizeof(Descriptor) && to.cols == sizeof(Descriptor));
  assert(from.rows <= static_cast<int>(kIndexMask) && to.rows <= static_cast<int>(kIndexMask));
  const WordColumns columns = Columns(to);
  std::vector<std::uint32_t> nearest_from(static_cast<std::size_t>(to.rows),
                                          std::numeric_limits<std::uint32_t>::max());
  std::vector<std::uint32_t> nearest_to;
  for (int i = 0; i < from.rows; ++i) {
    Descriptor row{};
    std::memcpy(row.data(), from.ptr(i), sizeof(row));
    nearest_to.push_back(
        HWY_DYNAMIC_DISPATCH(NearestTo)(row, static_cast<std::uint32_t>(i), columns, nearest_from));
  }
  for (std::size_t i = 0; i < nearest_to.size(); ++i) {
    const std::size_t j = nearest_to[i] & kIndexMask;
    if ((nearest_from[j] & kIndexMask) == i)
      matches.emplace_back(static_cast<int>(i), static_cast<int>(j));
  }
  return matches;
}

}  // namespace glint
#endif
