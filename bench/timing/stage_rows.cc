// SPDX-License-Identifier: Apache-2.0
#include "bench/timing/stage_rows.h"

#include <fmt/format.h>

#include "base/status_macros.h"
#include "bench/timing/stage_work.h"
#include "bench/timing/timing.h"
#include "bench/verify/verify.h"
#include "glint/error.h"

namespace glint {

absl::Status CheckAnswers(Backend& cpu, Backend& device) {
  const std::string name(device.name());
  GLINT_ASSIGN_OR_RETURN(const auto verdict, Verify({.cases = 2, .largest_side = 120, .seed = 7},
                                                    {{.name = "cpu", .backend = &cpu},
                                                     {.name = name, .backend = &device}}));
  for (const StageVerdict& stage : verdict.ways.back().stages) {
    if (stage.differing == 0) continue;
    return Error(Reason::kInternal,
                 fmt::format("{} gives other bytes than the CPU in {}; see glint verify", name,
                             stage.stage));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<StageRow>> TimeStages(Backend& backend, const BenchScene& scene,
                                                 double copy_speed, double seconds,
                                                 const CancelToken& cancel) {
  GLINT_ASSIGN_OR_RETURN(const auto works, StageWorks(backend, scene));
  std::vector<StageRow> rows;
  for (const StageWork& work : works) {
    const auto time = TimeRuns(work.run, seconds, cancel);
    if (!time.ok()) return In(work.stage, time.status());
    StageRow row{.stage = work.stage,
                 .ms_per_frame = 1e3 * *time / work.frames,
                 .frames_per_s = work.frames / *time};
    if (work.bytes > 0) {
      row.mb_per_frame = work.bytes / work.frames / 1e6;
      row.of_floor = work.bytes / copy_speed / *time;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace glint
