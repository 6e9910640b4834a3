// SPDX-License-Identifier: Apache-2.0
#include "notify/notification_queue.h"

#include <algorithm>

namespace glint {

void NotificationQueue::Push(const ScanNotification& notification) {
  {
    const MutexLock lock(mutex_);
    if (end_) {
      ++dropped_;
      return;
    }
    const auto same = std::ranges::find(waiting_, notification.scan_id, &ScanNotification::scan_id);
    if (same != waiting_.end()) {
      ++merged_;
      if (notification.seq >= same->seq) *same = notification;
    } else {
      if (waiting_.size() >= options_.capacity) {
        ++dropped_;
        const auto victim = std::ranges::find(waiting_, false, &ScanNotification::final);
        if (victim == waiting_.end()) return;
        waiting_.erase(victim);
      }
      waiting_.push_back(notification);
    }
  }
  changed_.NotifyOne();
}

std::deque<ScanNotification>::iterator NotificationQueue::NextReady(Clock::time_point now,
                                                                    Clock::time_point& wake) {
  for (auto notification = waiting_.begin(); notification != waiting_.end(); ++notification) {
    const auto told = last_sent_.find(notification->scan_id);
    const bool ready = notification->final || end_ || told == last_sent_.end() ||
                       told->second + options_.min_interval <= now;
    if (ready) return notification;
    wake = std::min(wake, told->second + options_.min_interval);
  }
  return waiting_.end();
}

std::optional<ScanNotification> NotificationQueue::Pop() {
  const MutexLock lock(mutex_);
  while (true) {
    const Clock::time_point now = Clock::now();
    if (end_ && (waiting_.empty() || now >= *end_)) {
      dropped_ += static_cast<std::int64_t>(waiting_.size());
      waiting_.clear();
      return std::nullopt;
    }
    Clock::time_point wake = now + std::chrono::hours(1);
    const auto ready = NextReady(now, wake);
    if (ready != waiting_.end()) {
      ScanNotification notification = std::move(*ready);
      waiting_.erase(ready);
      if (notification.final) {
        last_sent_.erase(notification.scan_id);
      } else {
        last_sent_[notification.scan_id] = now;
      }
      return notification;
    }
    changed_.WaitUntil(mutex_, wake);
  }
}

void NotificationQueue::Close() {
  {
    const MutexLock lock(mutex_);
    if (!end_) end_ = Clock::now() + options_.drain_timeout;
  }
  changed_.NotifyAll();
}

std::optional<NotificationQueue::Clock::time_point> NotificationQueue::end() const {
  const MutexLock lock(mutex_);
  return end_;
}

std::int64_t NotificationQueue::merged() const {
  const MutexLock lock(mutex_);
  return merged_;
}

std::int64_t NotificationQueue::dropped() const {
  const MutexLock lock(mutex_);
  return dropped_;
}

}  // namespace glint
