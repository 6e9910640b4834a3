// SPDX-License-Identifier: Apache-2.0
#include "bench/timing/scan_rows.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "base/status_macros.h"
#include "bench/synth/synth.h"
#include "glint/error.h"

namespace glint {

absl::StatusOr<ScanRow> TimeScans(const std::filesystem::path& video, DevicePool& devices,
                                  ThreadPool& pool, int at_a_time, const std::string& profile,
                                  const std::filesystem::path& folder, const CancelToken& cancel) {
  using Clock = std::chrono::steady_clock;
  const auto fetcher = MakeFileFetcher();
  const auto store = MakeFolderStore(folder);
  const ScanDeps deps{*fetcher, *store, devices, pool};
  std::vector<absl::StatusOr<ScanResult>> results(static_cast<std::size_t>(at_a_time));
  const auto start = Clock::now();
  {
    std::vector<std::jthread> lanes;
    for (std::size_t i = 0; i < results.size(); ++i) {
      lanes.emplace_back([&, i] {
        const std::string id = fmt::format("bench-{}", i);
        results[i] =
            RunScan({.scan_id = id, .input = video.string(), .prefix = id, .profile = profile},
                    deps, cancel);
      });
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (const auto& result : results) {
    if (!result.ok()) return result.status();
  }
  const auto frames = std::ssize(results[0]->report.frames);
  return ScanRow{.device = results[0]->report.device,
                 .at_a_time = at_a_time,
                 .frames = frames,
                 .s_per_scan = seconds / at_a_time,
                 .frames_per_s = static_cast<double>(frames) * at_a_time / seconds};
}

absl::StatusOr<std::filesystem::path> DrawBenchVideo(Size size, int frames,
                                                     const std::filesystem::path& folder,
                                                     ThreadPool& pool, const CancelToken& cancel) {
  const SynthOptions options{.seed = 5,
                             .kind = SynthKind::kCard,
                             .name = fmt::format("bench_{}", ToString(size)),
                             .video_size = size,
                             .frames = frames};
  const auto no_progress = [](int, int) {};
  GLINT_ASSIGN_OR_RETURN(const auto drawn, RenderScan(options, folder, pool, no_progress, cancel));
  return drawn.video;
}

}  // namespace glint
