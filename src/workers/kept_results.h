// SPDX-License-Identifier: Apache-2.0
// Finished results on this machine's disk, until the place for results has them: what a store that
// is away, or a worker that dies while it stores, must not cost is the scan
// (docs/adr/0013-kept-results.md).
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "glint/object_store.h"
#include "jobs/job_store.h"

namespace glint {

/// A finished result: its objects, and what ends its job.
class KeptResult {
 public:
  struct Object {
    std::string name;
    std::string content_type;
    std::int64_t offset = 0;  ///< in the file
    std::int64_t bytes = 0;
    std::vector<std::byte> held;  ///< the content, where the disk did not take it
  };

  /// For JobStore::Complete.
  const std::string& result() const { return result_; }
  /// Names the attempt that made it; the same for every attempt to store it.
  const std::string& attempt() const { return attempt_; }
  JobTime finished() const { return finished_; }
  const std::vector<Object>& objects() const { return objects_; }
  /// Of all objects.
  std::int64_t bytes() const;
  /// Whether it outlives this process.
  bool on_disk() const { return on_disk_; }

  /// Errors: OUTPUT_UNWRITABLE, when the file cannot be read
  absl::StatusOr<std::vector<std::byte>> Read(const Object& object) const;
  /// Deletes the file. What cannot be deleted, Sweep() of the folder tries again.
  void Discard() const;

 private:
  friend class KeptResults;
  friend class ResultWriter;
  /// From a file's index. Throws what nlohmann::json does.
  absl::Status Take(const nlohmann::json& index);

  std::filesystem::path file_;
  bool on_disk_ = false;
  std::string result_;
  std::string attempt_;
  JobTime finished_;
  std::vector<Object> objects_;
};

/// Takes the objects of one result while its scan makes them. Put may be called from several
/// threads.
class ResultWriter {
 public:
  /// Where the disk refuses, contents are held in memory. Errors: those of the disk, where what it
  /// has cannot be read back
  absl::Status Put(std::string_view name, std::span<const std::byte> content,
                   std::string_view content_type);
  /// The result, on disk if the disk takes it; the latest object of a name counts.
  /// @param result  for JobStore::Complete
  /// Errors: those of the disk, where neither it nor memory has the whole result
  absl::StatusOr<std::shared_ptr<const KeptResult>> Finish(const Job& job, std::string result,
                                                           JobTime now);

  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

 private:
  friend class KeptResults;
  ResultWriter(std::filesystem::path folder, std::string stem);
  absl::Status Append(std::span<const std::byte> bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CloseFile(const Job& job, KeptResult& kept) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status HoldInMemory(const absl::Status& why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::filesystem::path folder_;
  const std::string stem_;
  Mutex mutex_;
  int file_ ABSL_GUARDED_BY(mutex_) = -1;  // -1: the disk does not take it
  std::int64_t size_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<KeptResult::Object> objects_ ABSL_GUARDED_BY(mutex_);
};

/// The folder of kept results; several workers may share it.
class KeptResults {
 public:
  /// @param folder  made when needed; empty: results are held in memory alone
  explicit KeptResults(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Begins to keep the result of an attempt. @param attempt  differs between attempts
  std::unique_ptr<ResultWriter> Begin(const Job& job, std::string_view attempt) const;
  /// The latest whole result of this job's request; nothing when there is none.
  std::shared_ptr<const KeptResult> Find(const Job& job) const;
  /// Deletes what belongs to jobs that have ended or are not known, and what dead workers had
  /// begun.
  void Sweep(JobStore& jobs) const;

 private:
  const std::filesystem::path folder_;
};

}  // namespace glint
