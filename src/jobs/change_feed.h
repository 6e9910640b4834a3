// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "jobs/job_store.h"
#include "jobs/job_subscribers.h"
#include "jobs/sqlite_connection.h"

namespace glint {

/// Tells subscribers which jobs have changed, in this process or another. SQLite has nothing to
/// wait for, so a thread looks at the file's version, at once when this process has written and
/// otherwise every now and then.
class ChangeFeed {
 public:
  /// @param connection  the feed's own
  ChangeFeed(std::unique_ptr<SqliteConnection> connection, std::chrono::milliseconds poll_interval);

  /// This process has written.
  void Wake();
  /// Every subscriber hears of every change: the file does not say whose it is.
  std::unique_ptr<JobSubscription> Subscribe(std::function<void(const std::string&)> changed,
                                             JobChanges which) {
    return subscribers_->Add(std::move(changed), which);
  }

 private:
  void Run(const std::stop_token& stop);
  void Poll();

  const std::unique_ptr<SqliteConnection> connection_;
  const std::chrono::milliseconds poll_interval_;
  const std::shared_ptr<JobSubscribers> subscribers_;
  std::int64_t version_ = 0;  // of the file, as last seen
  std::int64_t change_ = 0;   // the latest one that was told
  Mutex mutex_;
  CondVar wake_;
  bool woken_ ABSL_GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

}  // namespace glint
