// SPDX-License-Identifier: Apache-2.0
// The iterations of a level, and what becomes of its flow.
#if defined(GLINT_FARNEBACK_LEVEL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GLINT_FARNEBACK_LEVEL_INL_H
#undef GLINT_FARNEBACK_LEVEL_INL_H
#else
#define GLINT_FARNEBACK_LEVEL_INL_H
#endif

#include <algorithm>
#include <array>
#include <vector>

#include "stages/cpu/farneback/expand-inl.h"
#include "stages/cpu/farneback/expansion.h"
#include "stages/cpu/farneback/matrices-inl.h"
#include "stages/cpu/farneback/vector-inl.h"
#include "stages/cpu/farneback/window-inl.h"
#include "stages/shared/farneback/parameters.h"
#include "stages/shared/flow_length.h"

HWY_BEFORE_NAMESPACE();
namespace glint::farneback::HWY_NAMESPACE {

/// Columns of a row enlarged to the next finer level. @param out  its first entry is that of
/// `columns.begin`
inline void Enlarge(const Enlargement& geometry, const float* row, Columns columns, float* out) {
  const auto interpolate = [&](int d) {
    const float* from = row + geometry.first[d];
    const float fraction = geometry.fraction[d];
    out[d - columns.begin] = from[0] * (1 - fraction) + from[1] * fraction;
  };
  if (!geometry.doubles) {
    for (int d = columns.begin; d < columns.end; ++d) interpolate(d);
    return;
  }
  const V near = Set(0.75F);
  const V far = Set(0.25F);
  for (int i = columns.begin / 2; 2 * i < columns.end; i += kLanes) {
    const V centre = Load(row + i) * near;
    hn::StoreInterleaved2(Load(row + i - 1) * far + centre, centre + Load(row + i + 1) * far,
                          kFloats, out + (2 * i - columns.begin));
  }
  // The outermost pixels lie outside the centres of the coarser row.
  if (columns.begin == 0) interpolate(0);
  if (columns.end == static_cast<int>(geometry.first.size())) interpolate(columns.end - 1);
}

/// Columns of row `y` of a level's first displacement: twice that of the next coarser level,
/// between its pixels; 0 at the coarsest.
inline void StartRow(const LevelGeometry& level, const RowBuffer* coarser, int y, Columns columns,
                     RowBuffer& blend, float* flow_x, float* flow_y) {
  if (coarser == nullptr) {
    std::fill(flow_x, flow_x + columns.count(), 0.0F);
    std::fill(flow_y, flow_y + columns.count(), 0.0F);
    return;
  }
  const Enlargement& across = level.enlarge[0];
  const Enlargement& down = level.enlarge[1];
  const int begin = across.first[columns.begin];
  const int end = across.first[columns.end - 1] + 2;
  const float fraction = down.fraction[y];
  const V top_weight = Set(2 * (1 - fraction));
  const V bottom_weight = Set(2 * fraction);
  for (const int plane : {0, 1}) {
    const float* top = coarser->Row(down.first[y], plane);
    const float* bottom = coarser->Row(down.first[y] + 1, plane);
    float* row = blend.Row(0, plane);
    for (int x = begin; x < end; x += kLanes)
      Store(top_weight * Load(top + x) + bottom_weight * Load(bottom + x), row + x);
    Enlarge(across, row, columns, plane == 0 ? flow_x : flow_y);
  }
}

/// Rows of an expansion that is kept.
class KeptRows {
 public:
  explicit KeptRows(const RowBuffer& rows) : rows_(rows) {}
  const float* Row(int y) const { return rows_.Row(y); }

 private:
  const RowBuffer& rows_;
};

/// Rows of the finest level of an expansion that is not kept: each is made when it is first asked
/// for, and is there until kStreamedRows later ones were. So they never leave the cache.
class StreamedRows {
 public:
  StreamedRows(const FramePair& pair, Columns columns, Scratch& scratch)
      : expander_(pair.previous_luma, pair.geometry, 0, columns, 0, scratch),
        rows_(scratch.streamed) {}

  const float* Row(int y) {
    for (; made_ <= y; ++made_)
      expander_.Next(rows_.Row(made_ % kStreamedRows), rows_.plane_stride());
    return rows_.Row(y % kStreamedRows);
  }

 private:
  RowExpander expander_;
  RowBuffer& rows_;
  int made_ = 0;
};

/// Columns of the rows of one level's flow, handed on from the top row to the bottom one:
/// sink(y, columns, flow_x, flow_y), where the flow starts with that of columns.begin.
///
/// The iterations run one behind the other: when a row enters the first one, the row kWindowRadius
/// above it leaves that and enters the second one. So all rows that are in use stay in cache.
template <class Rows, class Sink>
void RunTile(const LevelGeometry& level, Rows previous, const RowBuffer& next,
             const RowBuffer* coarser, Columns tile, Scratch& scratch, const Sink& sink) {
  const int height = level.size.height;
  std::array<Columns, kIterations + 1> columns;  // of the flow that enters each; and of the result
  columns[kIterations] = tile;
  for (int i = kIterations - 1; i >= 0; --i)
    columns[i] = Widen(columns[i + 1], kWindowRadius, level.size.width);
  std::vector<ColumnSums> sums;
  sums.reserve(kIterations);
  for (int i = 0; i < kIterations; ++i)
    sums.emplace_back(scratch.sums, i, columns[i].count(), height);

  for (int step = 0; step < height + kIterations * kWindowRadius; ++step) {
    for (int i = 0; i < kIterations; ++i) {
      const int y = step - i * kWindowRadius;
      if (y < 0 || y >= height + kWindowRadius) continue;
      float* flow_x = scratch.flow_rows.Row(i);
      float* flow_y = flow_x + TileRows::kPlaneStride;
      if (y < height) {
        if (i == 0) StartRow(level, coarser, y, columns[0], scratch.coarse_row, flow_x, flow_y);
        ComputeEquations({.y = y,
                          .begin = columns[i].begin,
                          .count = columns[i].count(),
                          .level = level.size,
                          .flow_x = flow_x,
                          .flow_y = flow_y,
                          .previous = previous.Row(y) + columns[i].begin,
                          .column_weights = level.column_weights.data() + columns[i].begin,
                          .row_weight = level.row_weights[y],
                          .out = sums[i].Matrices(y),
                          .next = next.Row(0),
                          .plane_stride = next.plane_stride()});
      }
      // Sums begin where the windows of the result do, which may be outside the level.
      const int outside = kWindowRadius - (columns[i + 1].begin - columns[i].begin);
      float* window = scratch.window.Row(0);
      sums[i].Enter(y, window + outside);
      if (y < kWindowRadius) continue;
      for (int plane = 0; plane < kWindowSums; ++plane) {
        ReplicateEnds(window + plane * TileRows::kPlaneStride + outside, columns[i].count(),
                      kWindowRadius);
      }
      float* better_x = scratch.flow_rows.Row(i + 1);
      float* better_y = better_x + TileRows::kPlaneStride;
      Solve(window, scratch.window.Row(1), columns[i + 1].count(), better_x, better_y);
      if (i == kIterations - 1) sink(y - kWindowRadius, tile, better_x, better_y);
    }
  }
}

template <class Sink>
void RunTileOf(const FramePair& pair, int k, Columns tile, Scratch& scratch, const Sink& sink) {
  const LevelGeometry& level = pair.geometry.levels[k];
  const RowBuffer* coarser =
      k + 1 < std::ssize(pair.geometry.levels) ? &pair.coarse_flow[k] : nullptr;
  const RowBuffer& previous = pair.previous.levels[k];
  const RowBuffer& next = pair.next.levels[k];
  if (!previous.empty()) {
    RunTile(level, KeptRows(previous), next, coarser, tile, scratch, sink);
  } else {
    const Columns columns = Widen(tile, kIterations * kWindowRadius, level.size.width);
    RunTile(level, StreamedRows(pair, columns, scratch), next, coarser, tile, scratch, sink);
  }
}

inline void EstimateCoarseTile(const FramePair& pair, int k, Columns tile, Scratch& scratch) {
  RowBuffer& flow = pair.coarse_flow[k - 1];
  RunTileOf(pair, k, tile, scratch,
            [&](int y, Columns columns, const float* flow_x, const float* flow_y) {
              std::copy_n(flow_x, columns.count(), flow.Row(y, 0) + columns.begin);
              std::copy_n(flow_y, columns.count(), flow.Row(y, 1) + columns.begin);
            });
}

inline void EstimateFieldTile(const FramePair& pair, Columns tile, Scratch& scratch,
                              const Plane& out) {
  RunTileOf(pair, 0, tile, scratch,
            [&](int y, Columns columns, const float* flow_x, const float* flow_y) {
              float* row = out.Row<float>(y) + std::ptrdiff_t{2} * columns.begin;
              for (std::ptrdiff_t i = 0; i < columns.count(); ++i) {
                row[2 * i] = flow_x[i];
                row[2 * i + 1] = flow_y[i];
              }
            });
}

/// The sum of QuantisedLength over `count` vectors.
inline std::int64_t SumRowLengths(const float* flow_x, const float* flow_y, int count) {
  // Halves of 16 bits: a lane takes in thousands of them before it is full.
  VI low_sum = hn::Zero(kInts);
  VI high_sum = hn::Zero(kInts);
  const V longest = Set(kLongestLength);
  for (int i = 0; i < count; i += kLanes) {
    const V x = Load(flow_x + i);
    const V y = Load(flow_y + i);
    V length = hn::Sqrt(x * x + y * y);
    length = hn::IfThenElse(hn::Lt(length, longest), length, longest);
    VI units = hn::ConvertTo(kInts, length * Set(kLengthUnits) + Set(0.5F));
    if (i + kLanes > count) units = hn::IfThenElseZero(hn::FirstN(kInts, count - i), units);
    low_sum = low_sum + hn::And(units, hn::Set(kInts, 0xFFFF));
    high_sum = high_sum + hn::ShiftRight<16>(units);
  }
  return hn::GetLane(hn::SumOfLanes(kInts, low_sum)) +
         (std::int64_t{hn::GetLane(hn::SumOfLanes(kInts, high_sum))} << 16);
}

inline std::int64_t SumTileLengths(const FramePair& pair, Columns tile, Scratch& scratch) {
  std::int64_t sum = 0;
  RunTileOf(pair, 0, tile, scratch,
            [&](int, Columns columns, const float* flow_x, const float* flow_y) {
              sum += SumRowLengths(flow_x, flow_y, columns.count());
            });
  return sum;
}

}  // namespace glint::farneback::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
