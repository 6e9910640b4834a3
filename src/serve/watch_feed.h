// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/result.h"
#include "api/scan_message.h"
#include "jobs/job_store.h"

namespace glint {

/// A message of a stream; shared by all streams that send it.
using SharedEvent = std::shared_ptr<const v1::ScanEvent>;

/// What the store knows of a scan after some event.
struct FeedUpdate {
  Job job;                               ///< at or after the last of `events`
  std::int64_t begins_after = 0;         ///< `events` holds all after this one
  std::vector<JobEvent> events;          ///< oldest first
  std::optional<v1::ScanResult> result;  ///< of a job that succeeded, with links
};

/// Reads the job, and its events after `after_seq` (without: the latest few). May take as long as
/// the answers of the job store and the object store.
/// Errors: those of the store
absl::StatusOr<FeedUpdate> ReadUpdate(JobStore& jobs, const std::string& scan_id,
                                      std::optional<std::int64_t> after_seq,
                                      const ObjectLinks& links);

/// How far one stream has come.
struct FeedCursor {
  std::int64_t after_seq = 0;       ///< the event that it had last
  std::uint64_t snapshot_seen = 0;  ///< the snapshot that it had last
};

/// What a stream does next.
struct FeedAction {
  enum class Kind {
    kWait,     ///< there is nothing new
    kSend,     ///< send `event`
    kHistory,  ///< read events after the cursor from the store: the feed does not hold them
    kEnd,      ///< everything was sent, and nothing more will come
  };
  Kind kind = Kind::kWait;
  SharedEvent event;
  bool snapshot = false;
};

/// The events of one scan as all of its streams share them: read from the store once, made into
/// messages once. Serves one thread at a time.
class WatchFeed {
 public:
  /// Takes over what was read.
  void Add(FeedUpdate update);

  /// The stream's next step; moves the cursor past what is to be sent.
  FeedAction Next(FeedCursor& cursor) const;

  /// The last event that was added; nothing before the first Add.
  std::optional<std::int64_t> last_seq() const;
  /// The feed holds all events after this one.
  std::int64_t begins_after() const { return begins_after_; }
  bool queued() const { return known_ && job_.state == JobState::kQueued; }
  const Job& job() const { return job_; }
  /// Of the job, when it succeeded.
  const v1::ScanResult* result() const { return result_ ? &*result_ : nullptr; }

 private:
  bool known_ = false;
  Job job_;
  std::optional<v1::ScanResult> result_;
  SharedEvent snapshot_;
  std::uint64_t snapshot_number_ = 0;  // grows when the snapshot is worth sending again
  std::int64_t begins_after_ = 0;      // all events after this one are in `events_`
  std::deque<SharedEvent> events_;
};

}  // namespace glint
