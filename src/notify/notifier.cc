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
#include "notify/notice_queue.h"

namespace glint {
namespace {

/// One target with its queue and its thread.
class Outlet {
 public:
  Outlet(std::unique_ptr<NoticeTarget> target, const NotifierOptions& options)
      : target_(std::move(target)), queue_(options) {
    thread_ = std::thread([this] { Run(); });
  }
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;
  ~Outlet() {
    Close();
    const auto left = queue_.end().value_or(NoticeQueue::Clock::now()) - NoticeQueue::Clock::now();
    {
      const MutexLock lock(mutex_);
      ended_.WaitFor(mutex_, left,
                     [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return done_; });
    }
    stop_.request_stop();  // what is on its way is given up
    thread_.join();
  }

  void Close() { queue_.Close(); }
  void Push(const ScanNotice& notice) { queue_.Push(notice); }
  NoticeCounts counts() const {
    return {target_->name(), delivered_, queue_.merged(), failed_, queue_.dropped()};
  }

 private:
  void Run() {
    while (const auto notice = queue_.Pop()) {
      absl::Status told = Deliver(*notice);
      ++(told.ok() ? delivered_ : failed_);
      Log(*notice, told);
    }
    const MutexLock lock(mutex_);
    done_ = true;
    ended_.NotifyAll();
  }

  absl::Status Deliver(const ScanNotice& notice) {
    try {
      return target_->Deliver(notice, CancelToken(stop_.get_token()));
    } catch (const std::exception& bug) {
      return Error(Reason::kInternal, bug.what());
    }
  }

  /// One line per scan that has trouble, not one per notice.
  void Log(const ScanNotice& notice, const absl::Status& told) {
    if (!told.ok() && in_trouble_.insert(notice.scan_id).second) {
      spdlog::warn("{}: scan {}: a notice was not delivered: {}", target_->name(), notice.scan_id,
                   Message(told));
    }
    if (told.ok() || notice.final) in_trouble_.erase(notice.scan_id);
  }

  const std::unique_ptr<NoticeTarget> target_;
  NoticeQueue queue_;
  std::stop_source stop_;
  std::set<std::string> in_trouble_;
  std::atomic<std::int64_t> delivered_ = 0;
  std::atomic<std::int64_t> failed_ = 0;
  Mutex mutex_;
  CondVar ended_;
  bool done_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

class QueuedNotifier final : public Notifier {
 public:
  QueuedNotifier(std::vector<std::unique_ptr<NoticeTarget>> targets,
                 const NotifierOptions& options) {
    for (auto& target : targets) {
      outlets_.push_back(std::make_unique<Outlet>(std::move(target), options));
    }
  }
  ~QueuedNotifier() override {
    for (const auto& outlet : outlets_) outlet->Close();  // all at once, so that one wait is enough
  }

  void Post(const ScanNotice& notice) noexcept override {
    try {
      for (const auto& outlet : outlets_) outlet->Push(notice);
    } catch (const std::exception&) {
      // Out of memory: a notice is lost, the scan goes on.
    }
  }

  std::vector<NoticeCounts> counts() const override {
    std::vector<NoticeCounts> counts;
    for (const auto& outlet : outlets_) counts.push_back(outlet->counts());
    return counts;
  }

 private:
  std::vector<std::unique_ptr<Outlet>> outlets_;
};

}  // namespace

std::unique_ptr<Notifier> MakeNotifier(std::vector<std::unique_ptr<NoticeTarget>> targets,
                                       NotifierOptions options) {
  return std::make_unique<QueuedNotifier>(std::move(targets), options);
}

}  // namespace glint
