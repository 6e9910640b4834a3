// SPDX-License-Identifier: Apache-2.0
#include "bench/timing/tune.h"

namespace glint {

absl::StatusOr<std::vector<BatchTable>> TuneBatches(const BackendChoice& device,
                                                    std::span<const BenchScene> scenes,
                                                    double seconds, Tuning& tuning,
                                                    const CancelToken& cancel) {
  std::vector<BatchTable> tables;
  for (const BenchScene& scene : scenes) {
    for (const bool motion : {false, true}) {
      auto rows = MeasureBatches(*device.backend, scene, motion, seconds, cancel);
      if (!rows.ok()) return rows.status();
      tuning.Add(Tuning::Batch{.device = device.backend->description(),
                               .frame = scene.size,
                               .motion = motion,
                               .frames = BestOf(*rows).frames});
      tables.push_back(
          {.device = device.name, .frame = scene.size, .motion = motion, .rows = *std::move(rows)});
    }
  }
  return tables;
}

}  // namespace glint
