// SPDX-License-Identifier: Apache-2.0
#include "notify/notifier.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <exception>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "glint/error.h"
#include "notify/notification_queue.h"

namespace glint {
namespace {

/// One target with its queue and its thread.
class Delivery {
 public:
  Delivery(std::unique_ptr<NotificationTarget> target, const NotifierOptions& options)
      : target_(std::move(target)), on_final_(options.on_final), queue_(options) {
    thread_ = std::thread([this] { Run(); });
  }
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;
  ~Delivery() {
    Close();
    const auto left =
        queue_.end().value_or(NotificationQueue::Clock::now()) - NotificationQueue::Clock::now();
    {
      const MutexLock lock(mutex_);
      ended_.WaitFor(mutex_, left,
                     [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return done_; });
    }
    stop_.request_stop();  // what is on its way is given up
    thread_.join();
  }

  void Close() { queue_.Close(); }
  void Push(const ScanNotification& notification) { queue_.Push(notification); }
  NotificationCounts counts() const {
    return {target_->name(), delivered_, queue_.merged(), failed_, queue_.dropped()};
  }

 private:
  void Run() {
    while (const auto notification = queue_.Pop()) {
      absl::Status told = Deliver(*notification);
      ++(told.ok() ? delivered_ : failed_);
      Log(*notification, told);
      if (told.ok() && notification->final && on_final_) {
        on_final_(notification->scan_id, target_->name());
      }
    }
    const MutexLock lock(mutex_);
    done_ = true;
    ended_.NotifyAll();
  }

  absl::Status Deliver(const ScanNotification& notification) {
    try {
      return target_->Deliver(notification, CancelToken(stop_.get_token()));
    } catch (const std::exception& bug) {
      return Error(Reason::kInternal, bug.what());
    }
  }

  /// One line per scan that has trouble, not one per notification.
  void Log(const ScanNotification& notification, const absl::Status& told) {
    if (!told.ok() && failing_scans_.insert(notification.scan_id).second) {
      spdlog::warn("{}: scan {}: a notification was not delivered: {}", target_->name(),
                   notification.scan_id, Message(told));
    }
    if (told.ok() || notification.final) failing_scans_.erase(notification.scan_id);
  }

  const std::unique_ptr<NotificationTarget> target_;
  const std::function<void(const std::string&, const std::string&)> on_final_;
  NotificationQueue queue_;
  std::stop_source stop_;
  std::set<std::string> failing_scans_;
  std::atomic<std::int64_t> delivered_ = 0;
  std::atomic<std::int64_t> failed_ = 0;
  Mutex mutex_;
  CondVar ended_;
  bool done_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

class QueuedNotifier final : public Notifier {
 public:
  QueuedNotifier(std::vector<std::unique_ptr<NotificationTarget>> targets,
                 const NotifierOptions& options) {
    for (auto& target : targets) {
      deliveries_.push_back(std::make_unique<Delivery>(std::move(target), options));
    }
  }
  ~QueuedNotifier() override {
    for (const auto& delivery : deliveries_)
      delivery->Close();  // all at once, so that one wait is enough
  }

  void Post(const ScanNotification& notification) noexcept override {
    try {
      for (const auto& delivery : deliveries_) delivery->Push(notification);
    } catch (const std::exception&) {
      // Out of memory: a notification is lost, the scan goes on.
    }
  }

  std::vector<NotificationCounts> counts() const override {
    std::vector<NotificationCounts> counts;
    for (const auto& delivery : deliveries_) counts.push_back(delivery->counts());
    return counts;
  }

 private:
  std::vector<std::unique_ptr<Delivery>> deliveries_;
};

}  // namespace

std::unique_ptr<Notifier> MakeNotifier(std::vector<std::unique_ptr<NotificationTarget>> targets,
                                       const NotifierOptions& options) {
  return std::make_unique<QueuedNotifier>(std::move(targets), options);
}

}  // namespace glint
