// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "cli/scan_jobs.h"
#include "glint/progress.h"
#include "glint/scan.h"

namespace glint {

class Console;

/// How a batch ended.
struct BatchTotals {
  std::size_t scanned = 0;  ///< of these, `unusable` had no usable frames, of a side at least
  std::size_t unusable = 0;
  std::size_t not_judged = 0;  ///< of these, a clip did not show what a verdict needs
  std::size_t skipped = 0;
  std::size_t failed = 0;
  std::map<std::string, absl::Status> failures;  ///< why, by scan id
  std::size_t not_started = 0;                   ///< because the batch was stopped
  double seconds = 0;                            ///< wall
  int exit_code = 0;
};

/// Tells the user how scans go. Its functions are called one at a time, from any thread.
class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void Begin(std::size_t jobs) = 0;
  virtual void Started(const ScanJob& job) = 0;
  virtual void Advanced(const ScanJob& job, const Progress& progress) = 0;
  /// @param report  where report.html lies
  virtual void Scanned(const ScanJob& job, const ScanResult& result, const std::string& report) = 0;
  virtual void Skipped(const ScanJob& job, const std::string& report) = 0;
  virtual void Failed(const ScanJob& job, const absl::Status& status) = 0;
  virtual void End(const BatchTotals& totals) = 0;
};

/// For people: a status line with a bar on a terminal, one line per step elsewhere; a table for a
/// single scan, one line per scan and totals for a batch. `console` must outlive it.
std::unique_ptr<Reporter> MakeTextReporter(Console& console, bool batch);

/// For machines: one JSON object per line on stdout and nothing else (docs/cli.md lists them).
std::unique_ptr<Reporter> MakeJsonReporter(Console& console);

}  // namespace glint
