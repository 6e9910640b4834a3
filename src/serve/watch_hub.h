// SPDX-License-Identifier: Apache-2.0
// Brings the events of scans to any number of streams without a thread for any of them.
#pragma once

#include <absl/status/status.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "api/scan_message.h"
#include "base/mutex.h"
#include "jobs/job_store.h"
#include "serve/call_executor.h"
#include "serve/watch_feed.h"

namespace glint {

class WatchHub;

/// One open stream. The hub tells it what to do; the stream tells the hub when it is ready for
/// more. None of the hub's locks is held while the stream's own functions run.
class WatchStream : public std::enable_shared_from_this<WatchStream> {
 public:
  virtual ~WatchStream() = default;

 protected:
  /// Sends one message and calls Sent() some time later.
  virtual void Send(const v1::ScanEvent& event, bool snapshot) = 0;
  /// Ends the stream. Called once; nothing is sent after it.
  virtual void End(const absl::Status& status) = 0;

 private:
  friend class WatchHub;
  struct Feed;
  std::shared_ptr<Feed> feed_;       // set by Join
  FeedCursor cursor_;                // this and what follows: guarded by the feed's mutex
  std::deque<SharedEvent> history_;  // events older than the feed's, read from the store
  bool busy_ = false;                // a message is on its way, or history is being read
  bool ended_ = false;
  std::optional<absl::Status> end_;  // how to end as soon as it is not busy
};

/// Which streams follow which scans. A change of a scan is read from the store once, however many
/// streams follow it; a stream that is slow has one message on its way and costs nobody else
/// anything.
class WatchHub {
 public:
  /// All must outlive the hub. @param max_streams  open at once
  WatchHub(JobStore& jobs, CallExecutor& calls, ObjectLinks links, std::size_t max_streams);
  /// All streams must have ended.
  ~WatchHub();
  WatchHub(const WatchHub&) = delete;
  WatchHub& operator=(const WatchHub&) = delete;

  /// Starts a stream with events after `after_seq`. Errors (the stream is not ended then):
  /// OVERLOADED when too many are open; DRAINING after EndAll
  absl::Status Join(const std::shared_ptr<WatchStream>& stream, const std::string& scan_id,
                    std::int64_t after_seq);
  /// The stream's message is on its way to the client; it may have another one.
  void Sent(const std::shared_ptr<WatchStream>& stream);
  /// The stream's client has left; both signs of that may come, in any order.
  /// @param message_lost  its message could not be sent
  /// @return whether this is the first sign, and came before the stream's end
  bool Leave(const std::shared_ptr<WatchStream>& stream, bool message_lost);
  /// Ends every stream, and every later one, with this failure.
  void EndAll(const absl::Status& status);

  std::size_t streams() const { return streams_; }

 private:
  using Feed = WatchStream::Feed;

  void OnChanged(const std::string& scan_id);
  void PostRefresh(const std::shared_ptr<Feed>& feed);
  void Refresh(const std::shared_ptr<Feed>& feed);
  void ReadHistory(const std::shared_ptr<WatchStream>& stream);
  void Advance(const std::shared_ptr<WatchStream>& stream);
  void Remove(const std::shared_ptr<WatchStream>& stream);
  void RefreshQueuePositions(const std::stop_token& stop);

  JobStore& jobs_;
  CallExecutor& calls_;
  const ObjectLinks links_;
  const std::size_t max_streams_;
  std::atomic<std::size_t> streams_ = 0;
  Mutex mutex_;  // taken before a feed's
  std::map<std::string, std::shared_ptr<Feed>, std::less<>> feeds_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> closed_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<JobSubscription> subscription_;
  std::jthread positions_;
};

}  // namespace glint
