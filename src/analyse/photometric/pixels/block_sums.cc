// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/pixels/block_sums.h"

#include <algorithm>

#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

BlockSums Empty(Size size) {
  BlockSums blocks{
      .columns = size.width / kBlock, .rows = size.height / kBlock, .grey = {}, .seen = {}};
  const std::size_t count =
      static_cast<std::size_t>(blocks.columns) * static_cast<std::size_t>(blocks.rows);
  blocks.grey.resize(count);
  blocks.seen.resize(count);
  return blocks;
}

/// Sums over the rows of a block row, column by column.
struct Columns {
  std::vector<std::int32_t> grey;
  std::vector<std::uint8_t> seen;
};

template <class Value>
void AddRow(const Value* grey, const std::uint8_t* seen, Columns& columns) {
  for (std::size_t x = 0; x < columns.grey.size(); ++x) {
    columns.grey[x] += grey[x];
    columns.seen[x] = static_cast<std::uint8_t>(columns.seen[x] & (seen[x] != 0 ? 1 : 0));
  }
}

/// @param unit  values per grey
template <class Value>
BlockSums Sum(const Plane& grey, const Plane& seen, int unit) {
  BlockSums blocks = Empty(grey.size());
  const auto width = static_cast<std::size_t>(blocks.columns) * kBlock;
  Columns columns{std::vector<std::int32_t>(width), std::vector<std::uint8_t>(width)};
  for (int y = 0; y < blocks.rows; ++y) {
    std::ranges::fill(columns.grey, 0);
    std::ranges::fill(columns.seen, std::uint8_t{1});
    for (int row = y * kBlock; row < (y + 1) * kBlock; ++row) {
      AddRow(grey.Row<Value>(row), seen.Row<std::uint8_t>(row), columns);
    }
    for (int x = 0; x < blocks.columns; ++x) {
      const std::size_t from = static_cast<std::size_t>(x) * kBlock;
      const auto* g = &columns.grey[from];
      const auto* s = &columns.seen[from];
      const bool all = (s[0] & s[1] & s[2] & s[3]) != 0;
      blocks.seen[blocks.At(x, y)] = all ? 1 : 0;
      blocks.grey[blocks.At(x, y)] = all ? (g[0] + g[1] + g[2] + g[3]) / unit : 0;
    }
  }
  return blocks;
}

}  // namespace

BlockSums SumBlocks(const Plane& grey, const Plane& valid) {
  return Sum<std::uint8_t>(grey, valid, 1);
}

BlockSums SumBlocks(const Albedo& albedo) {
  return Sum<std::int16_t>(albedo.grey, albedo.count, kGrey);
}

std::vector<BlockSums> SumBlocks(std::span<const Plane> greys, std::span<const Plane> valid,
                                 ThreadPool& pool) {
  std::vector<BlockSums> views(greys.size());
  pool.ParallelFor(std::ssize(views), [&](std::int64_t i) {
    const auto view = static_cast<std::size_t>(i);
    views[view] = SumBlocks(greys[view], valid[view]);
  });
  return views;
}

}  // namespace glint::photometric
