// SPDX-License-Identifier: Apache-2.0
// Medians, and the spread of what has outliers.
//
// Of an even number of values there are two medians in use here, and masks depend on which: each
// function says which one it is.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <vector>

namespace glint {

/// Standard deviations of a normal distribution per median absolute deviation (MAD) ...
inline constexpr double kDeviationsPerMad = 1.4826;
/// ... and the other way round: the MAD of a normal distribution of deviation 1. Not the inverse to
/// the last digit, so that each user keeps to one of them.
inline constexpr double kMadOfNormal = 0.6745;

/// The value that would stand at position `at` if `values` were sorted. Reorders them.
/// @param at  0 .. size - 1
/// @param key  what of a value is compared and returned
template <std::ranges::random_access_range Values, class Key = std::identity>
auto NthSmallest(Values&& values, std::size_t at, Key key = {}) {
  assert(at < static_cast<std::size_t>(std::ranges::size(values)));
  const auto nth = std::ranges::begin(values) + static_cast<std::ptrdiff_t>(at);
  std::ranges::nth_element(values, nth, {}, key);
  return std::invoke(key, *nth);
}

/// The upper median: of an even number of values the larger of the middle two. Reorders them.
/// @param values  at least one
template <std::ranges::random_access_range Values, class Key = std::identity>
auto UpperMedian(Values&& values, Key key = {}) {
  return NthSmallest(values, static_cast<std::size_t>(std::ranges::size(values)) / 2, key);
}

/// The median: of an even number of values the mean of the middle two; 0 of none.
template <class Value>
double Median(std::vector<Value> values) {
  if (values.empty()) return 0;
  const auto upper = static_cast<double>(UpperMedian(values));
  if (values.size() % 2 == 1) return upper;
  const auto middle = values.begin() + std::ssize(values) / 2;
  return (upper + static_cast<double>(*std::max_element(values.begin(), middle))) / 2;
}

}  // namespace glint
