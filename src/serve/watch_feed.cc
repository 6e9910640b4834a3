// SPDX-License-Identifier: Apache-2.0
#include "serve/watch_feed.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/status_macros.h"

namespace glint {
namespace {

/// Events that a feed keeps in memory for streams that are a little behind.
constexpr std::size_t kKeptEvents = 64;
constexpr int kPage = 64;

JobTime Now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

/// Appends the events after those that are there. @return how many
absl::StatusOr<std::size_t> ReadEvents(JobStore& jobs, const std::string& scan_id,
                                       std::int64_t after_seq, std::vector<JobEvent>& events) {
  const std::size_t before = events.size();
  for (;;) {
    const std::int64_t last = events.empty() ? after_seq : events.back().seq;
    GLINT_ASSIGN_OR_RETURN(auto page, jobs.Events(scan_id, last, kPage));
    events.insert(events.end(), page.begin(), page.end());
    if (page.size() < kPage) return events.size() - before;
  }
}

}  // namespace

absl::StatusOr<FeedUpdate> ReadUpdate(JobStore& jobs, const std::string& scan_id,
                                      std::optional<std::int64_t> after_seq,
                                      const ObjectLinks& links) {
  FeedUpdate update;
  if (!after_seq) {
    GLINT_ASSIGN_OR_RETURN(const auto job, jobs.Get(scan_id));
    after_seq = std::max<std::int64_t>(0, job.last_seq - static_cast<std::int64_t>(kKeptEvents));
  }
  update.begins_after = *after_seq;
  // The job after its events, so that it is never behind them: a final event needs its result. Nor
  // may it be ahead of them: what has happened in between is read, too, or a stream would end
  // without the final event.
  for (bool first = true;; first = false) {
    GLINT_ASSIGN_OR_RETURN(const std::size_t more,
                           ReadEvents(jobs, scan_id, *after_seq, update.events));
    GLINT_ASSIGN_OR_RETURN(update.job, jobs.Get(scan_id));
    const std::int64_t last = update.events.empty() ? *after_seq : update.events.back().seq;
    if (update.job.last_seq <= last || (!first && more == 0)) break;
  }
  if (!update.job.result.empty()) {
    GLINT_ASSIGN_OR_RETURN(update.result, DecodeResult(update.job.result, links));
  }
  return update;
}

void WatchFeed::Add(FeedUpdate update) {
  const bool moved = !known_ || (update.job.state == JobState::kQueued &&
                                 update.job.queue_position != job_.queue_position);
  if (!known_) begins_after_ = update.begins_after;
  known_ = true;
  job_ = std::move(update.job);
  result_ = std::move(update.result);
  for (const JobEvent& event : update.events) {
    if (!events_.empty() && event.seq <= events_.back()->seq()) continue;
    if (!events_.empty() &&
        IsFinal(ToJobState(events_.back()->scan().state()).value_or(JobState::kQueued))) {
      // The scan was submitted again after it had failed: what was is forgotten.
      begins_after_ = events_.back()->seq();
      events_.clear();
    }
    events_.push_back(std::make_shared<v1::ScanEvent>(ToEventMessage(job_, event, result())));
  }
  while (events_.size() > kKeptEvents) {
    begins_after_ = events_.front()->seq();
    events_.pop_front();
  }
  snapshot_ = std::make_shared<v1::ScanEvent>(ToSnapshot(job_, Now(), result()));
  if (moved) ++snapshot_number_;
}

FeedAction WatchFeed::Next(FeedCursor& cursor) const {
  if (!known_) return {};
  const bool first = cursor.snapshot_seen == 0;
  if (first || (queued() && cursor.snapshot_seen != snapshot_number_)) {
    cursor.snapshot_seen = snapshot_number_;
    return {FeedAction::Kind::kSend, snapshot_, true};
  }
  if (cursor.after_seq < begins_after_) return {FeedAction::Kind::kHistory, nullptr, false};
  const auto next = std::ranges::upper_bound(events_, cursor.after_seq, {},
                                             [](const SharedEvent& event) { return event->seq(); });
  if (next != events_.end()) {
    cursor.after_seq = (*next)->seq();
    return {FeedAction::Kind::kSend, *next, false};
  }
  const bool over = IsFinal(job_.state) && cursor.after_seq >= last_seq().value_or(0);
  return {over ? FeedAction::Kind::kEnd : FeedAction::Kind::kWait, nullptr, false};
}

std::optional<std::int64_t> WatchFeed::last_seq() const {
  if (!known_) return std::nullopt;
  return events_.empty() ? begins_after_ : events_.back()->seq();
}

}  // namespace glint
