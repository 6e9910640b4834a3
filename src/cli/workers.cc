// SPDX-License-Identifier: Apache-2.0
#include "cli/workers.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <thread>

#include "base/spilled_bytes.h"
#include "base/status_macros.h"
#include "cli/choice.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_line.h"
#include "cli/text.h"

namespace glint {

void AddWorkerOptions(CLI::App& command, WorkerOptions& options) {
  command
      .add_option("--device", options.device,
                  "What computes: auto (the best that works here), a name that `glint doctor` "
                  "lists, or a kind (cuda: every GPU that works); a name never falls back to "
                  "another device")
      ->capture_default_str();
  command.add_option("--threads", options.threads, "CPU threads; 0 is one per core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command.add_option("--tuning-file", options.tuning_file,
                     "What glint bench --tune found out about this machine. Default: "
                     "glint/tuning.json in the user's cache folder");
}

int ThreadsOf(const WorkerOptions& options) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());  // 0 when unknown
  return options.threads > 0 ? options.threads : std::max(1, cores);
}

absl::StatusOr<std::unique_ptr<Workers>> MakeWorkers(const WorkerOptions& options) {
  SpillTo({}, [](const std::string& text) { spdlog::warn("{}", text); });
  auto workers = std::make_unique<Workers>(ThreadsOf(options));
  GLINT_ASSIGN_OR_RETURN(workers->devices, OpenDevices(options.device, BackendTable(),
                                                       {.pool = &workers->pool,
                                                        .tuning = TuningOf(options.tuning_file)}));
  for (const BackendChoice& device : workers->devices->devices()) {
    spdlog::info("device {}: {} ({})", device.name, device.backend->description(), device.why);
  }
  if (const auto& small = workers->devices->small_frames()) spdlog::info("cpu: {}", small->cpu.why);
  return workers;
}

std::shared_ptr<const Tuning> TuningOf(const std::filesystem::path& file) {
  auto tuning = ReadTuning(file);
  if (tuning.ok()) return std::make_shared<const Tuning>(*std::move(tuning));
  spdlog::warn("{}", Message(tuning.status()));
  return nullptr;
}

void AddDecoderOption(CLI::App& command, std::string& decoder) {
  command
      .add_option("--decoder", decoder,
                  "The program that decodes, glint-decode of this build. Default: beside glint, or "
                  "in ../libexec/glint")
      ->envname("GLINT_DECODER");
}

void AddDecodeOptions(CLI::App& command, DecodeOptions& options) {
  AddDecoderOption(command, options.decoder);
  AddChoice(command, "--decode", options.decode,
            {{"auto", DecodeMode::kAuto}, {"cpu", DecodeMode::kCpu}, {"nvdec", DecodeMode::kNvdec}},
            "What decodes: auto (the CPU, until it is known that something else is faster), cpu, "
            "nvdec (an NVIDIA GPU; the CPU decodes what it cannot, and the report says why); the "
            "frames are the same");
  AddChoice(command, "--decode-sandbox", options.sandbox,
            {{"auto", SandboxMode::kAuto}, {"on", SandboxMode::kOn}, {"off", SandboxMode::kOff}},
            "Confine the process that opens videos: auto (where that works), on (or fail), off");
}

absl::StatusOr<VideoOpener> OpenerFor(const DecodeOptions& options) {
  return MakeVideoOpener({.decoder = options.decoder,
                          .sandbox = options.sandbox,
                          .decode = options.decode,
                          .warn = [](std::string_view text) { spdlog::warn("{}", text); }});
}

absl::Status WriteText(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.flush();
  if (file) return absl::OkStatus();
  return Error(Reason::kOutputUnwritable, fmt::format("'{}' cannot be written", path));
}

int Fail(Console& console, bool json, const absl::Status& status) {
  console.Say("glint: " + OneLine(Message(status)));
  if (json) console.Print(JsonLine(FailureJson(status)));
  return ExitCodeOf(status);
}

}  // namespace glint
