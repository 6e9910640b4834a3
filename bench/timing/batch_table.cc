// SPDX-License-Identifier: Apache-2.0
#include "bench/timing/batch_table.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/status_macros.h"
#include "bench/timing/timing.h"

namespace glint {
namespace {

/// Measures `count` batches that all hold the same frames.
absl::Status MeasureFrames(MeasureStage& stage, std::span<const Plane> batch, bool motion,
                           int count) {
  std::vector<LumaStatistics> statistics(batch.size());
  std::vector<double> lengths(motion ? batch.size() : 0);
  int under_way = 0;
  for (int begun = 0; begun < count || under_way > 0;) {
    const bool may_begin = begun < count && under_way < stage.most_in_flight();
    GLINT_RETURN_IF_ERROR(may_begin ? stage.Begin(batch, motion) : stage.End(statistics, lengths));
    begun += may_begin ? 1 : 0;
    under_way += may_begin ? 1 : -1;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<BatchRow>> MeasureBatches(Backend& backend, const BenchScene& scene,
                                                     bool motion, double seconds,
                                                     const CancelToken& cancel) {
  constexpr int kBatches = 6;  // per run, so that the first copy and the last wait count little
  std::vector<BatchRow> rows;
  for (std::size_t frames = 1; frames <= scene.frames.size(); frames *= 2) {
    GLINT_ASSIGN_OR_RETURN(auto stage, backend.MakeMeasure());
    const auto batch = std::span(scene.frames).first(frames);
    const auto run = [&] { return MeasureFrames(*stage, batch, motion, kBatches); };
    GLINT_ASSIGN_OR_RETURN(const auto time, TimeRuns(run, seconds, cancel));
    rows.push_back({.frames = static_cast<int>(frames),
                    .frames_per_s = kBatches * static_cast<double>(frames) / time});
  }
  return rows;
}

BatchRow BestOf(const std::vector<BatchRow>& rows) {
  const double fastest = std::ranges::max(rows, {}, &BatchRow::frames_per_s).frames_per_s;
  return *std::ranges::find_if(
      rows, [&](const BatchRow& row) { return row.frames_per_s >= 0.97 * fastest; });
}

}  // namespace glint
