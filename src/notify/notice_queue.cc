// SPDX-License-Identifier: Apache-2.0
#include "notify/notice_queue.h"

#include <algorithm>

namespace glint {

void NoticeQueue::Push(const ScanNotice& notice) {
  {
    const std::scoped_lock lock(mutex_);
    if (end_) {
      ++dropped_;
      return;
    }
    const auto same = std::ranges::find(waiting_, notice.scan_id, &ScanNotice::scan_id);
    if (same != waiting_.end()) {
      ++merged_;
      if (notice.seq >= same->seq) *same = notice;
    } else {
      if (waiting_.size() >= options_.capacity) {
        ++dropped_;
        const auto victim = std::ranges::find(waiting_, false, &ScanNotice::final);
        if (victim == waiting_.end()) return;
        waiting_.erase(victim);
      }
      waiting_.push_back(notice);
    }
  }
  changed_.notify_one();
}

std::deque<ScanNotice>::iterator NoticeQueue::NextReady(Clock::time_point now,
                                                        Clock::time_point& wake) {
  for (auto notice = waiting_.begin(); notice != waiting_.end(); ++notice) {
    const auto told = told_.find(notice->scan_id);
    const bool ready =
        notice->final || end_ || told == told_.end() || told->second + options_.gap <= now;
    if (ready) return notice;
    wake = std::min(wake, told->second + options_.gap);
  }
  return waiting_.end();
}

std::optional<ScanNotice> NoticeQueue::Pop() {
  std::unique_lock lock(mutex_);
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
      ScanNotice notice = std::move(*ready);
      waiting_.erase(ready);
      if (notice.final) {
        told_.erase(notice.scan_id);
      } else {
        told_[notice.scan_id] = now;
      }
      return notice;
    }
    changed_.wait_until(lock, wake);
  }
}

void NoticeQueue::Close() {
  {
    const std::scoped_lock lock(mutex_);
    if (!end_) end_ = Clock::now() + options_.farewell;
  }
  changed_.notify_all();
}

std::optional<NoticeQueue::Clock::time_point> NoticeQueue::end() const {
  const std::scoped_lock lock(mutex_);
  return end_;
}

std::int64_t NoticeQueue::merged() const {
  const std::scoped_lock lock(mutex_);
  return merged_;
}

std::int64_t NoticeQueue::dropped() const {
  const std::scoped_lock lock(mutex_);
  return dropped_;
}

}  // namespace glint
