// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/mutex.h"
#include "jobs/job_subscribers.h"
#include "jobs/postgres_connection.h"

namespace glint {

/// Tells subscribers which jobs have changed. Changes of this process come from its own store,
/// those of others by NOTIFY on a connection of the feed's own; and what was missed, because that
/// connection was lost or a worker died between its commit and its NOTIFY, by looking at the table
/// every now and then.
class PostgresFeed {
 public:
  /// @param server  where to LISTEN: the server itself, not a PgBouncer in transaction mode
  /// @param made    called with each new connection before it is used; may throw
  PostgresFeed(PostgresServer server, std::chrono::milliseconds poll_interval,
               std::function<void(PostgresConnection&)> made);
  ~PostgresFeed();
  PostgresFeed(const PostgresFeed&) = delete;
  PostgresFeed& operator=(const PostgresFeed&) = delete;

  /// This process has written.
  void TellOwn(std::vector<NotedChange> changes) ABSL_LOCKS_EXCLUDED(mutex_);
  std::unique_ptr<JobSubscription> Subscribe(std::function<void(const std::string&)> changed,
                                             JobChanges which) {
    return subscribers_->Add(std::move(changed), which);
  }

 private:
  using Clock = std::chrono::steady_clock;
  /// The latest change of each job that was told.
  using Told = std::map<std::string, std::int64_t, std::less<>>;

  void Run(const std::stop_token& stop);
  void Connect();
  void Look();
  void Poll();
  void TellNotifications();
  void Tell(const NotedChange& noted, bool own);
  void Wait(Clock::time_point until);

  const PostgresServer server_;
  const std::chrono::milliseconds poll_interval_;
  const std::function<void(PostgresConnection&)> made_;
  const std::shared_ptr<JobSubscribers> subscribers_ = std::make_shared<JobSubscribers>();
  const Descriptor wake_;  // an eventfd
  Mutex mutex_;
  std::vector<NotedChange> own_ ABSL_GUARDED_BY(mutex_);

  // Of the thread alone.
  std::unique_ptr<PostgresConnection> connection_;
  Clock::time_point next_connect_;
  Clock::time_point next_poll_;
  std::chrono::milliseconds connect_wait_{0};
  std::optional<std::int64_t> horizon_;  // transactions below it have been told
  Told told_, told_before_;              // since the latest look at the table, and the one before
  std::jthread thread_;
};

}  // namespace glint
