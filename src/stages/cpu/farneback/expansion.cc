// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/farneback/expansion.h"

#include "stages/shared/farneback/parameters.h"

namespace glint::farneback {

Expansion::Expansion(const Geometry& geometry, Levels which) : levels(geometry.levels.size()) {
  for (std::size_t k = which == Levels::kAll ? 0 : 1; k < levels.size(); ++k) {
    const Size size = geometry.levels[k].size;
    levels[k] = RowBuffer(size.height, kCoefficients, size.width);
  }
}

std::vector<RowBuffer> CoarseFlow(const Geometry& geometry) {
  std::vector<RowBuffer> flow;
  for (std::size_t k = 1; k < geometry.levels.size(); ++k) {
    const Size size = geometry.levels[k].size;
    flow.emplace_back(size.height, 2, size.width);
  }
  return flow;
}

Scratch::Scratch(const Geometry& geometry)
    : flow_rows(kIterations + 1, 2),
      sums(kIterations * (kMatrixRows + kTripleRows), kWindowSums),
      window(2, kWindowSums) {
  const int width = geometry.levels.front().size.width;
  image = RowBuffer(kImageRows, 1, width);
  reduction = RowBuffer(2, 1, width + kPhaseRoom);
  vertical = RowBuffer(1, 3, width);
  coarse_row = RowBuffer(1, 2, width);
  static_assert(kStreamedRows > (kIterations - 1) * kWindowRadius);
  streamed = RowBuffer(kStreamedRows, kCoefficients, width);
}

}  // namespace glint::farneback
