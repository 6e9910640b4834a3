// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/print_beside.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "base/median.h"

namespace glint::photometric {

bool RunsWithPrint(std::span<const double> steps, int at, const PrintBesideParams& params) {
  double own = 0;
  std::vector<double> beside;
  const int last = static_cast<int>(steps.size()) - 1;
  for (int i = std::max(at - params.beside_px, 0); i <= std::min(at + params.beside_px, last);
       ++i) {
    const double step = steps[static_cast<std::size_t>(i)];
    const int away = std::abs(i - at);
    if (away <= params.near_px) own = std::max(own, step);
    if (away >= params.beside_from_px) beside.push_back(step);
  }
  if (beside.empty()) return true;
  const double median = Median(beside) + params.noise_grey;
  const double straight = NthSmallest(
      beside,
      static_cast<std::size_t>(params.straight_quantile * static_cast<double>(beside.size() - 1)));
  return own > params.max_own_ratio * median || straight > params.max_straight_ratio * median;
}

}  // namespace glint::photometric
