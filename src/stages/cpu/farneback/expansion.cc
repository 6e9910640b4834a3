// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/farneback/expansion.h"

#include "stages/cpu/farneback/parameters.h"

namespace glint::farneback {

Expansion::Expansion(const Geometry& geometry) {
  for (const LevelGeometry& level : geometry.levels)
    levels.emplace_back(level.size.height, kCoefficients, level.size.width);
}

std::vector<RowBuffer> CoarseFlow(const Geometry& geometry) {
  std::vector<RowBuffer> flow;
  for (std::size_t k = 1; k < geometry.levels.size(); ++k) {
    const Size size = geometry.levels[k].size;
    flow.emplace_back(size.height, 2, size.width);
  }
  return flow;
}

Scratch::Scratch(const Geometry& geometry) : flow_rows(kIterations + 1, 2), window(2, kWindowSums) {
  const int width = geometry.levels.front().size.width;
  image = RowBuffer(kImageRows, 1, width);
  reduction = RowBuffer(2, 1, width + kPhaseRoom);
  vertical = RowBuffer(1, 3, width);
  coarse_row = RowBuffer(1, 2, width);
  for (int i = 0; i < kIterations; ++i) {
    matrices.emplace_back(kMatrixRows, kWindowSums);
    triples.emplace_back(kTripleRows, kWindowSums);
  }
}

}  // namespace glint::farneback
