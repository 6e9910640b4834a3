// SPDX-License-Identifier: Apache-2.0
// Times every stage on every backend that works here, beside the OpenCV calls that do the same
// work, so that ratios come from one run. GLINT_BENCH_THREADS sets the threads of the pool
// (default 1). A stage whose answer is wrong is not timed.
//
//   stage_bench --benchmark_filter=Flow
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/thread_pool.h"
#include "bench/programs/stage_cases.h"
#include "glint/error.h"

namespace glint::bench {
namespace {

void TimeOnBackend(benchmark::State& state, const StageCase& stage, Backend& backend,
                   const Scene& scene) {
  const auto work = stage.on_backend(backend, scene);
  if (!work.ok()) {
    state.SkipWithError(std::string(Message(work.status())).c_str());
    return;
  }
  for ([[maybe_unused]] auto _ : state) {
    if (const absl::Status status = (*work)(); !status.ok()) {
      state.SkipWithError(std::string(Message(status)).c_str());
      return;
    }
  }
}

void Register(const std::vector<Scene>& scenes, const std::vector<std::shared_ptr<Backend>>& all) {
  for (const StageCase& stage : StageCases()) {
    for (const Scene& scene : scenes) {
      for (const auto& backend : all) {
        const std::string name = fmt::format("{}/{}/{}", stage.name, scene.name, backend->name());
        benchmark::RegisterBenchmark(name.c_str(),
                                     [&stage, &scene, backend](auto& state) {
                                       TimeOnBackend(state, stage, *backend, scene);
                                     })
            ->Unit(benchmark::kMillisecond)
            ->MeasureProcessCPUTime()
            ->UseRealTime();
      }
      const std::string name = fmt::format("{}/{}/opencv_calls", stage.name, scene.name);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [&stage, &scene](auto& state) {
                                     for ([[maybe_unused]] auto _ : state) stage.by_opencv(scene);
                                   })
          ->Unit(benchmark::kMillisecond)
          ->MeasureProcessCPUTime()
          ->UseRealTime();
    }
  }
}

std::vector<std::shared_ptr<Backend>> WorkingBackends(const BackendOptions& options) {
  std::vector<std::shared_ptr<Backend>> backends;
  for (const BackendEntry& entry : BackendTable()) {
    auto choice = SelectBackend(entry.name, BackendTable(), options);
    const std::string name(entry.name);
    if (choice.ok()) {
      benchmark::AddCustomContext(name, choice->backend->description());
      backends.push_back(choice->backend);
    } else {
      benchmark::AddCustomContext(name, "not timed: " + std::string(Message(choice.status())));
    }
  }
  return backends;
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const char* threads = std::getenv("GLINT_BENCH_THREADS");
  ThreadPool pool(threads != nullptr ? std::max(1, std::atoi(threads)) : 1);
  const auto backends = WorkingBackends({.pool = &pool});
  const std::vector<Scene> scenes = {Scene::Make("720p", {1280, 720}),
                                     Scene::Make("1080p", {1920, 1080})};
  Register(scenes, backends);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace glint::bench

int main(int argc, char** argv) { return glint::bench::Main(argc, argv); }
