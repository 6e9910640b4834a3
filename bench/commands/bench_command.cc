// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "base/status_macros.h"
#include "bench/commands/bench_report.h"
#include "bench/commands/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_line.h"
#include "cli/workers.h"
#include "glint/error.h"
#include "glint/scan.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

struct BenchOptions {
  WorkerOptions workers;
  std::vector<std::string> sizes = {"1280x720", "1920x1080"};
  double seconds = 0.2;
  std::string video;
  int frames = 60;
  std::string profile = ScanRequest().profile;
  std::vector<int> at_a_time = {1, 2};
  bool scans = true;
  bool tune = false;
  double cpu_price = 0;
  double gpu_price = 0;
  std::string out;
  bool json = false;
};

absl::StatusOr<std::vector<BenchScene>> ScenesOf(const BenchOptions& options) {
  constexpr int kFrames = 17;  // 16 pairs
  std::vector<BenchScene> scenes;
  for (const std::string& text : options.sizes) {
    Size size;
    char rest = 0;
    const int read = std::sscanf(text.c_str(), "%5dx%5d%c", &size.width, &size.height, &rest);
    if (read != 2 || size.width < 16 || size.height < 16 || size.area() > (64 << 20)) {
      return Error(Reason::kInvalidOption,
                   fmt::format("--size is '{}'; write it as 1280x720, from 16x16 on", text));
    }
    scenes.push_back(BenchScene::Make(size, kFrames));
  }
  return scenes;
}

/// A folder that is gone when this is.
class WorkFolder {
 public:
  WorkFolder() {
    std::error_code error;
    path_ = fs::temp_directory_path(error) / fmt::format("glint-bench-{}", getpid());
    fs::create_directories(path_, error);
  }
  ~WorkFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// One bench under way.
class Bench {
 public:
  Bench(const BenchOptions& options, const CommandContext& context, ThreadPool& pool)
      : options_(options), console_(context.console), cancel_(context.stop), pool_(pool) {
    report.threads = pool.threads();
    if (options.cpu_price > 0) report.prices["cpu"] = options.cpu_price;
    if (options.gpu_price > 0) report.prices["cuda"] = options.gpu_price;
  }

  absl::Status Run() {
    GLINT_ASSIGN_OR_RETURN(const auto scenes, ScenesOf(options_));
    GLINT_RETURN_IF_ERROR(OpenDevices());
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const double copy_speed = report.devices[i].copy_speed;
      absl::Status status = TimeDevice(devices_[i], copy_speed, scenes);
      if (!status.ok()) return In(devices_[i].name, status);
    }
    if (options_.tune) {
      GLINT_RETURN_IF_ERROR(KeepTuning());
    }
    return options_.scans ? TimeWholeScans() : absl::OkStatus();
  }

  BenchReport report;

 private:
  void Tell(const std::string& what) {
    if (!options_.json) console_.Say(what);
  }

  /// The wanted devices, and the CPU in any case.
  absl::Status OpenDevices() {
    const BackendOptions with{.pool = &pool_};
    GLINT_ASSIGN_OR_RETURN(devices_, SelectBackends(options_.workers.device, BackendTable(), with));
    for (const BackendChoice::Probe& probe : devices_.front().probes) {
      if (!probe.status.ok()) report.skipped.push_back(probe);
    }
    if (!devices_.front().backend->device().is_host()) {
      GLINT_ASSIGN_OR_RETURN(auto cpu, SelectBackend("cpu", BackendTable(), with));
      devices_.push_back(std::move(cpu));
    }
    for (const BackendChoice& device : devices_) {
      constexpr std::int64_t kBytes = 64 << 20;
      const auto speed = device.backend->CopySpeed(kBytes);
      if (!speed.ok()) return In(device.name, speed.status());
      report.devices.push_back({device.name, device.backend->description(), *speed});
    }
    return absl::OkStatus();
  }

  Backend& cpu() { return *devices_.back().backend; }

  absl::Status TimeDevice(const BackendChoice& device, double copy_speed,
                          const std::vector<BenchScene>& scenes) {
    const bool on_gpu = !device.backend->device().is_host();
    if (on_gpu) {
      GLINT_RETURN_IF_ERROR(CheckAnswers(cpu(), *device.backend));
    }
    for (const BenchScene& scene : scenes) {
      Tell(fmt::format("{}: stages at {}", device.name, ToString(scene.size)));
      GLINT_ASSIGN_OR_RETURN(
          auto rows, TimeStages(*device.backend, scene, copy_speed, options_.seconds, cancel_));
      report.stages.push_back({device.name, scene.size, std::move(rows)});
    }
    if (!on_gpu) return absl::OkStatus();  // which takes its batches by the memory that they need
    Tell(fmt::format("{}: batches", device.name));
    GLINT_ASSIGN_OR_RETURN(auto tables,
                           TuneBatches(device, scenes, options_.seconds, tuning_, cancel_));
    report.batches.insert(report.batches.end(), tables.begin(), tables.end());
    if (!options_.tune) return absl::OkStatus();
    GLINT_ASSIGN_OR_RETURN(const auto limit, FindCpuLimit(*device.backend, cpu(), TimeSample));
    report.cpu_limits.push_back({device.name, limit});
    tuning_.Add(Tuning::CpuLimit{device.backend->description(), pool_.threads(), limit});
    return absl::OkStatus();
  }

  /// Adds what was found to the file.
  absl::Status KeepTuning() {
    if (tuning_ == Tuning()) {
      Tell("no GPU works here: there is nothing to tune");
      return absl::OkStatus();
    }
    const fs::path file = options_.workers.tuning_file;
    auto known = ReadTuning(file);
    Tuning all = known.ok() ? *std::move(known) : Tuning();
    for (const Tuning::Batch& batch : tuning_.batches) all.Add(batch);
    for (const Tuning::CpuLimit& limit : tuning_.cpu_limits) all.Add(limit);
    report.tuning_file = file.string();
    return WriteTuning(all, file);
  }

  absl::Status TimeWholeScans() {
    const WorkFolder folder;
    fs::path video = options_.video;
    if (video.empty()) {
      Tell(fmt::format("drawing a video of {} frames", options_.frames));
      GLINT_ASSIGN_OR_RETURN(
          video, DrawBenchVideo({1280, 720}, options_.frames, folder.path(), pool_, cancel_));
    }
    for (const BackendChoice& device : devices_) {
      DevicePool devices(device);
      for (const int at_a_time : options_.at_a_time) {
        Tell(fmt::format("{}: scans, {} at a time", device.name, at_a_time));
        GLINT_ASSIGN_OR_RETURN(auto row,
                               TimeScans(video, devices, pool_, at_a_time, options_.profile,
                                         folder.path() / "results", cancel_));
        report.scans.push_back(std::move(row));
      }
    }
    return absl::OkStatus();
  }

  const BenchOptions& options_;
  Console& console_;
  const CancelToken cancel_;
  ThreadPool& pool_;
  std::vector<BackendChoice> devices_;  // the CPU last
  Tuning tuning_;                       // what was found now
};

absl::StatusOr<int> RunBench(const BenchOptions& options, const CommandContext& context) {
  ThreadPool pool(ThreadsOf(options.workers));
  Bench bench(options, context, pool);
  GLINT_RETURN_IF_ERROR(bench.Run());
  const auto json = ToJson(bench.report);
  if (!options.out.empty()) {
    GLINT_RETURN_IF_ERROR(WriteText(options.out, json.dump(2) + "\n"));
  }
  context.console.Print(options.json ? JsonLine(json) : ToText(bench.report));
  return kExitSuccess;
}

}  // namespace

void AddBenchCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand(
      "bench", "Measure this machine: every stage and whole scans, on the CPU and on GPUs");
  AddWorkerOptions(*command, options->workers);
  command->add_option("--size", options->sizes, "Of frames; may be repeated")
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "For each number, about")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  command->add_option("--video", options->video,
                      "What is scanned; default: a drawn one of 1280x720");
  command->add_option("--frames", options->frames, "Of the drawn video")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  command->add_option("--profile", options->profile, "Of the scans")
      ->check(CLI::IsMember({"classic", "photometric"}))
      ->capture_default_str();
  command->add_option("--at-a-time", options->at_a_time, "Scans at once; may be repeated")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_flag("--scans,!--no-scans", options->scans, "Time whole scans, too");
  command->add_flag("--tune", options->tune,
                    "Keep the best batch per GPU and size of frames, and for which sizes the CPU "
                    "is faster, for the scans that follow");
  command->add_option("--cpu-price", options->cpu_price, "Of this machine without a GPU, per hour")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--gpu-price", options->gpu_price, "Of this machine with its GPUs, per hour")
      ->check(CLI::NonNegativeNumber);
  command->add_option("-o,--out", options->out, "Also write everything (JSON) to this file");
  command->add_flag("--json", options->json, "Everything on stdout, as one line");
  command->footer(
      "A device whose answers are not the CPU's is not timed. Other work on the machine shows in "
      "the numbers. Exits with 7 when the wanted device does not work here.");
  ActWhenChosen(*command, action, options, RunBench);
}

}  // namespace glint
