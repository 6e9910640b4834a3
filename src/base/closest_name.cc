// SPDX-License-Identifier: Apache-2.0
#include "base/closest_name.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace glint {
namespace {

/// Edits between two words, swaps of neighbours counted as one (optimal string alignment).
std::size_t Edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({replaced, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string ClosestName(std::string_view word, std::span<const std::string> names) {
  constexpr std::size_t kLongest = 64;  // nobody mistypes more, and the work grows with its square
  if (word.empty() || word.size() > kLongest) return "";
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string closest;
  for (const std::string& name : names) {
    if (name.size() > 2 * kLongest) continue;
    const std::size_t edits = Edits(word, name);
    if (edits >= least) continue;
    least = edits;
    closest = name;
  }
  return closest;
}

std::string DidYouMean(std::string_view word, std::span<const std::string> names) {
  const std::string closest = ClosestName(word, names);
  return closest.empty() ? "" : "; did you mean '" + closest + "'?";
}

}  // namespace glint
