// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/thread_pool.h"
#include "glint/device_pool.h"
#include "glint/tuning_file.h"
#include "glint/video_opener.h"

namespace glint {

class Console;

/// The flags that say what computes.
struct WorkerOptions {
  std::string device = "auto";
  int threads = 0;                                ///< 0: one per core that this process may use
  std::string tuning_file = DefaultTuningFile();  ///< may be empty
};

/// Adds --device, --threads and --tuning-file.
void AddWorkerOptions(CLI::App& command, WorkerOptions& options);

/// The threads that the options mean, >= 1.
int ThreadsOf(const WorkerOptions& options);

/// The threads and the devices that all scans of a command share.
struct Workers {
  explicit Workers(int threads) : pool(threads) {}
  ThreadPool pool;
  std::unique_ptr<DevicePool> devices;  // they end before the pool, because they use it
};

/// Starts the threads and chooses the devices. Errors: as OpenDevices
absl::StatusOr<std::unique_ptr<Workers>> MakeWorkers(const WorkerOptions& options);

/// What is known of this machine's speed; nothing, with a warning, when the file is of no use.
std::shared_ptr<const Tuning> TuningOf(const std::filesystem::path& file);

/// The flags that say how videos are decoded.
struct DecodeOptions {
  std::string decoder;
  SandboxMode sandbox = SandboxMode::kAuto;
  DecodeMode decode = DecodeMode::kAuto;
};

/// Adds --decoder to a command.
void AddDecoderOption(CLI::App& command, std::string& decoder);

/// Adds --decoder, --decode and --decode-sandbox.
void AddDecodeOptions(CLI::App& command, DecodeOptions& options);

/// What opens videos with these options; warnings go to the log. Errors: as MakeVideoOpener
absl::StatusOr<VideoOpener> OpenerFor(const DecodeOptions& options);

/// Tells the user why a command failed: a line on stderr, and for machines an object on stdout.
/// @return the exit code
int Fail(Console& console, bool json, const absl::Status& status);

/// Writes a file anew. Errors: OUTPUT_UNWRITABLE
absl::Status WriteText(const std::string& path, const std::string& text);

}  // namespace glint
