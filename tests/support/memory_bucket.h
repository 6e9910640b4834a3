// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "store/bucket.h"

namespace glint {

/// A bucket in memory that can break at a chosen call.
class MemoryBucket final : public Bucket {
 public:
  /// What outlives the bucket.
  struct State {
    std::mutex mutex;
    std::map<std::string, std::string> objects;
    std::map<std::string, std::chrono::sys_seconds> modified;  ///< of some; others: now
    int calls_left = -1;                                       ///< this many calls work; -1: all
    bool dead = false;  ///< whether all later calls fail too, as after a crash
  };
  explicit MemoryBucket(std::shared_ptr<State> state) : state_(std::move(state)) {}

  absl::Status CheckKey(std::string_view key) const override;
  absl::Status Put(const std::string& key, std::span<const std::byte> content,
                   std::string_view content_type, const CancelToken& /*cancel*/) override;
  absl::Status Copy(const std::string& from, const std::string& to,
                    const CancelToken& /*cancel*/) override;
  absl::StatusOr<std::optional<std::string>> Get(const std::string& key,
                                                 const CancelToken& /*cancel*/) override;
  absl::StatusOr<bool> Exists(const std::string& key, const CancelToken& cancel) override;
  absl::Status Delete(std::span<const std::string> keys, const CancelToken& /*cancel*/) override;
  absl::StatusOr<std::vector<ListedObject>> List(const std::string& folder,
                                                 const CancelToken& /*cancel*/) override;
  absl::StatusOr<std::vector<std::string>> Urls(std::span<const std::string> keys,
                                                const CancelToken& /*cancel*/) override;
  std::string Locate(std::string_view key) const override;

 private:
  absl::Status Work();  // under the lock

  const std::shared_ptr<State> state_;
};

}  // namespace glint
