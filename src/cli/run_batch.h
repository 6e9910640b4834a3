// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/analysis_params.h"
#include "cli/reporter.h"
#include "cli/scan_jobs.h"
#include "glint/scan.h"

namespace glint {

/// The record of a folder of results: which input each belongs to, so that a later batch into the
/// same folder can tell what is done. One JSON object per line in `batch.jsonl`, a line per
/// finished scan, the latest line of an id counts. Safe to use from several threads.
class BatchRecord {
 public:
  struct Entry {
    std::string input;    ///< InputKey
    std::string options;  ///< what the result depends on besides the input
    std::string version;  ///< of the input's content: size and time of its last change
    bool operator==(const Entry&) const = default;
  };

  /// Reads the record in `folder`; an unreadable line or a missing file is an empty one. With an
  /// empty path nothing is read or kept.
  explicit BatchRecord(const std::filesystem::path& folder);

  /// What is known of an id, or nothing.
  const Entry* Find(const std::string& scan_id) const;
  /// The input of every id.
  std::map<std::string, std::string> Inputs() const;
  /// The line of a result, as the record holds it.
  static std::string Line(const std::string& scan_id, const Entry& entry);
  /// Appends a line. A failure costs a repeated scan later, not this one's result.
  void Add(const std::string& scan_id, const Entry& entry) const;

 private:
  std::filesystem::path file_;
  std::map<std::string, Entry> entries_;
};

/// How a batch runs.
struct BatchOptions {
  std::vector<ScanJob> jobs;
  ScanRequest request;    ///< for every job; id, input, prefix and maybe item type are the job's
  AnalysisParams params;  ///< for every job
  bool batch = false;     ///< results in folders of their own, finished ones skipped
  bool force = false;     ///< scan finished ones again
  int parallel = 1;       ///< scans at a time, >= 1
  double timeout_s = 0;   ///< for each scan; 0: none
  std::filesystem::path root;  ///< where the record lies; empty: none is kept
};

/// Name of the record, in the folder of results and in a result that is a folder of its own.
inline constexpr std::string_view kBatchRecordName = "batch.jsonl";

/// What a result depends on besides its video: BatchRecord::Entry::options.
std::string OptionsKey(const ScanRequest& request, const AnalysisParams& params = {});

/// Runs all jobs; one that fails does not stop the others, a request to stop does.
/// @param deps  its `progress` is not used
/// @return the totals, with the exit code of the whole
BatchTotals RunBatch(const BatchOptions& options, const ScanDeps& deps, Reporter& reporter,
                     const std::stop_token& stop);

}  // namespace glint
