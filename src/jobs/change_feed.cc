// SPDX-License-Identifier: Apache-2.0
#include "jobs/change_feed.h"

#include <map>
#include <utility>
#include <vector>

namespace glint {
namespace {

constexpr int kChangeBatch = 1000;

std::int64_t FileVersion(SqliteConnection& connection) {
  SqliteQuery version(connection, "PRAGMA data_version");
  version.Next();
  return version.Integer(0);
}

std::int64_t LatestChange(SqliteConnection& connection) {
  SqliteQuery latest(connection, "SELECT value FROM glint_counters WHERE name = 'change'");
  latest.Next();
  return latest.Integer(0);
}

}  // namespace

struct ChangeFeed::Subscribers {
  Mutex mutex;  // held while callbacks run
  std::int64_t next ABSL_GUARDED_BY(mutex) = 0;
  std::map<std::int64_t, std::function<void(const std::string&)>> callbacks ABSL_GUARDED_BY(mutex);
};

class ChangeFeed::Subscription final : public JobSubscription {
 public:
  Subscription(std::shared_ptr<Subscribers> subscribers, std::int64_t id)
      : subscribers_(std::move(subscribers)), id_(id) {}
  ~Subscription() override {
    const MutexLock lock(subscribers_->mutex);
    subscribers_->callbacks.erase(id_);
  }

 private:
  const std::shared_ptr<Subscribers> subscribers_;
  const std::int64_t id_;
};

ChangeFeed::ChangeFeed(std::unique_ptr<SqliteConnection> connection,
                       std::chrono::milliseconds poll_interval)
    : connection_(std::move(connection)),
      poll_interval_(poll_interval),
      subscribers_(std::make_shared<Subscribers>()) {
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

std::unique_ptr<JobSubscription> ChangeFeed::Subscribe(
    std::function<void(const std::string&)> changed) {
  const MutexLock lock(subscribers_->mutex);
  const std::int64_t id = subscribers_->next++;
  subscribers_->callbacks.emplace(id, std::move(changed));
  return std::make_unique<Subscription>(subscribers_, id);
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
    SqliteQuery rows(*connection_,
                     "SELECT scan_id, change FROM glint_jobs WHERE change > ? ORDER BY change "
                     "LIMIT ?");
    rows.Bind(change_, kChangeBatch);
    while (rows.Next()) {
      changed.push_back(rows.Text(0));
      change_ = rows.Integer(1);
    }
    const MutexLock lock(subscribers_->mutex);
    for (const std::string& scan_id : changed) {
      for (const auto& [id, callback] : subscribers_->callbacks) callback(scan_id);
    }
  } while (changed.size() == kChangeBatch);
  version_ = version;
}

}  // namespace glint
