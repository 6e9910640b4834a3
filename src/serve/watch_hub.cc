// SPDX-License-Identifier: Apache-2.0
#include "serve/watch_hub.h"

#include <chrono>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace glint {
namespace {

/// How often streams of waiting scans learn their place in the queue, when it has changed.
constexpr std::chrono::seconds kPositionPeriod(2);
constexpr int kHistoryPage = 64;

}  // namespace

/// What the streams of one scan share.
struct WatchStream::Feed {
  explicit Feed(std::string id) : scan_id(std::move(id)) {}
  const std::string scan_id;

  Mutex mutex;  // also of the streams' members that say so
  WatchFeed events ABSL_GUARDED_BY(mutex);
  std::set<std::shared_ptr<WatchStream>> streams ABSL_GUARDED_BY(mutex);
  bool refreshing ABSL_GUARDED_BY(mutex) = false;     // a refresh is posted or runs
  bool refresh_again ABSL_GUARDED_BY(mutex) = false;  // something changed since it began
};

WatchHub::WatchHub(JobStore& jobs, CallExecutor& calls, ObjectLinks links, std::size_t max_streams)
    : jobs_(jobs), calls_(calls), links_(std::move(links)), max_streams_(max_streams) {
  subscription_ = jobs_.Subscribe([this](const std::string& scan_id) { OnChanged(scan_id); });
  positions_ = std::jthread([this](const std::stop_token& stop) { RefreshQueuePositions(stop); });
}

WatchHub::~WatchHub() { subscription_.reset(); }

absl::Status WatchHub::Join(const std::shared_ptr<WatchStream>& stream, const std::string& scan_id,
                            std::int64_t after_seq) {
  const MutexLock lock(mutex_);
  if (closed_) return *closed_;
  if (streams_ >= max_streams_) {
    return Error(ServiceReason::kOverloaded,
                 "as many streams are open as the worker allows; try again "
                 "later, or ask with GetScan");
  }
  std::shared_ptr<Feed>& feed = feeds_[scan_id];
  if (!feed) feed = std::make_shared<Feed>(scan_id);
  ++streams_;
  stream->feed_ = feed;
  {
    const MutexLock feed_lock(feed->mutex);
    stream->cursor_.after_seq = after_seq;
    feed->streams.insert(stream);
  }
  PostRefresh(feed);
  return absl::OkStatus();
}

void WatchHub::OnChanged(const std::string& scan_id) {
  const MutexLock lock(mutex_);
  if (const auto found = feeds_.find(scan_id); found != feeds_.end()) PostRefresh(found->second);
}

void WatchHub::PostRefresh(const std::shared_ptr<Feed>& feed) {
  {
    const MutexLock lock(feed->mutex);
    if (std::exchange(feed->refreshing, true)) {
      feed->refresh_again = true;
      return;
    }
  }
  calls_.Post([this, feed] { Refresh(feed); });
}

void WatchHub::Refresh(const std::shared_ptr<Feed>& feed) {
  std::optional<std::int64_t> after_seq;
  {
    const MutexLock lock(feed->mutex);
    feed->refresh_again = false;
    after_seq = feed->events.last_seq();
  }
  auto update = ReadUpdate(jobs_, feed->scan_id, after_seq, links_);
  std::vector<std::shared_ptr<WatchStream>> streams;
  bool again = false;
  {
    const MutexLock lock(feed->mutex);
    streams.assign(feed->streams.begin(), feed->streams.end());
    if (update.ok()) {
      feed->events.Add(*std::move(update));
    } else {
      for (const auto& stream : streams) stream->end_ = update.status();
    }
    again = feed->refresh_again;
    feed->refreshing = again;
  }
  if (again) calls_.Post([this, feed] { Refresh(feed); });
  for (const auto& stream : streams) Advance(stream);
}

void WatchHub::Advance(const std::shared_ptr<WatchStream>& stream) {
  FeedAction step;
  std::optional<absl::Status> end;
  {
    const MutexLock lock(stream->feed_->mutex);
    if (stream->busy_ || stream->ended_) return;
    if (stream->end_) {
      end = stream->end_;
    } else if (!stream->history_.empty()) {
      step = {FeedAction::Kind::kSend, std::move(stream->history_.front()), false};
      stream->history_.pop_front();
    } else {
      step = stream->feed_->events.Next(stream->cursor_);
      if (step.kind == FeedAction::Kind::kEnd) end = absl::OkStatus();
    }
    stream->ended_ = end.has_value();
    stream->busy_ = !end && step.kind != FeedAction::Kind::kWait;
  }
  // Without the lock: gRPC may call back from inside its functions.
  if (end) {
    Remove(stream);
    stream->End(*end);
  } else if (step.kind == FeedAction::Kind::kSend) {
    stream->Send(*step.event, step.snapshot);
  } else if (step.kind == FeedAction::Kind::kHistory) {
    calls_.Post([this, stream] { ReadHistory(stream); });
  }
}

void WatchHub::ReadHistory(const std::shared_ptr<WatchStream>& stream) {
  Feed& feed = *stream->feed_;
  std::int64_t after_seq = 0;
  {
    const MutexLock lock(feed.mutex);
    after_seq = stream->cursor_.after_seq;
  }
  const auto events = jobs_.Events(feed.scan_id, after_seq, kHistoryPage);
  {
    const MutexLock lock(feed.mutex);
    stream->busy_ = false;
    if (!events.ok()) {
      stream->end_ = events.status();
    } else {
      for (const JobEvent& event : *events) {
        stream->history_.push_back(std::make_shared<v1::ScanEvent>(
            ToEventMessage(feed.events.job(), event, feed.events.result())));
      }
      stream->cursor_.after_seq = events->empty() ? feed.events.begins_after() : events->back().seq;
    }
  }
  Advance(stream);
}

void WatchHub::Sent(const std::shared_ptr<WatchStream>& stream) {
  {
    const MutexLock lock(stream->feed_->mutex);
    stream->busy_ = false;
  }
  Advance(stream);
}

bool WatchHub::Leave(const std::shared_ptr<WatchStream>& stream, bool message_lost) {
  bool first = false;
  {
    const MutexLock lock(stream->feed_->mutex);
    first = !stream->ended_ && !stream->end_;
    if (message_lost) stream->busy_ = false;
    if (!stream->end_) stream->end_ = Error(Reason::kCancelled, "the client has left");
  }
  Advance(stream);
  return first;
}

void WatchHub::EndAll(const absl::Status& status) {
  std::vector<std::shared_ptr<WatchStream>> streams;
  {
    const MutexLock lock(mutex_);
    closed_ = status;
    for (const auto& [id, feed] : feeds_) {
      const MutexLock feed_lock(feed->mutex);
      for (const auto& stream : feed->streams) {
        if (!stream->end_) stream->end_ = status;
        streams.push_back(stream);
      }
    }
  }
  for (const auto& stream : streams) Advance(stream);
}

void WatchHub::Remove(const std::shared_ptr<WatchStream>& stream) {
  const MutexLock lock(mutex_);
  const std::shared_ptr<Feed> feed = stream->feed_;
  const MutexLock feed_lock(feed->mutex);
  feed->streams.erase(stream);
  stream->history_.clear();
  --streams_;
  if (!feed->streams.empty()) return;
  if (const auto found = feeds_.find(feed->scan_id);
      found != feeds_.end() && found->second == feed) {
    feeds_.erase(found);
  }
}

void WatchHub::RefreshQueuePositions(const std::stop_token& stop) {
  while (RealClock().Sleep(kPositionPeriod, stop)) {
    const MutexLock feeds_lock(mutex_);
    for (const auto& [id, feed] : feeds_) {
      bool waits = false;
      {
        const MutexLock feed_lock(feed->mutex);
        waits = feed->events.queued();
      }
      if (waits) PostRefresh(feed);
    }
  }
}

}  // namespace glint
