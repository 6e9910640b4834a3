// SPDX-License-Identifier: Apache-2.0
#include "jobs/change_feed.h"

#include <utility>
#include <vector>

namespace glint {
namespace {

constexpr int kChangeBatch = 1000;

std::int64_t FileVersion(SqliteConnection& connection) {
  SqlQuery version(connection, "PRAGMA data_version");
  version.Next();
  return version.Integer(0);
}

std::int64_t LatestChange(SqliteConnection& connection) {
  SqlQuery latest(connection, "SELECT value FROM glint_counters WHERE name = 'change'");
  latest.Next();
  return latest.Integer(0);
}

}  // namespace

ChangeFeed::ChangeFeed(std::unique_ptr<SqliteConnection> connection,
                       std::chrono::milliseconds poll_interval)
    : connection_(std::move(connection)),
      poll_interval_(poll_interval),
      subscribers_(std::make_shared<JobSubscribers>()) {
  // In this order: a change in between is told once too often rather than never.
  version_ = FileVersion(*connection_);
  change_ = LatestChange(*connection_);
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void ChangeFeed::Wake() {
  const MutexLock lock(mutex_);
  woken_ = true;
  wake_.NotifyOne();
}

void ChangeFeed::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      const MutexLock lock(mutex_);
      wake_.WaitFor(mutex_, stop, poll_interval_,
                    [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return woken_; });
      woken_ = false;
    }
    try {
      Poll();
    } catch (const std::exception&) {
      // A locked or broken file: the next look tells what this one has missed, and callers of the
      // store learn the reason.
    }
  }
}

void ChangeFeed::Poll() {
  const std::int64_t version = FileVersion(*connection_);
  if (version == version_) return;
  std::vector<std::string> changed;
  do {
    changed.clear();
    SqlQuery rows(*connection_,
                  "SELECT scan_id, change FROM glint_jobs WHERE change > ? ORDER BY change "
                  "LIMIT ?");
    rows.Bind(change_, kChangeBatch);
    while (rows.Next()) {
      changed.push_back(rows.Text(0));
      change_ = rows.Integer(1);
    }
    for (const std::string& scan_id : changed) {
      subscribers_->Tell(scan_id, [](JobChanges) { return true; });
    }
  } while (changed.size() == kChangeBatch);
  version_ = version;
}

}  // namespace glint
