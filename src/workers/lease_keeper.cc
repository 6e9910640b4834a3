// SPDX-License-Identifier: Apache-2.0
#include "workers/lease_keeper.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "observe/log.h"
#include "observe/metrics.h"

namespace glint {
namespace {

using namespace std::chrono_literals;

JobProgress ToJobProgress(const Progress& progress) {
  return {.step = progress.step,
          .fraction = progress.fraction,
          .frames = progress.frames,
          .frames_of = progress.frames_of,
          .bytes = progress.bytes,
          .bytes_of = progress.bytes_of};
}

}  // namespace

LeaseKeeper::LeaseKeeper(JobStore& jobs, JobLease lease, const ScanWorkerOptions& options,
                         ServiceMetrics& metrics)
    : jobs_(jobs),
      lease_(std::move(lease)),
      options_(options),
      metrics_(metrics),
      next_heartbeat_(start_ + options.lease_time / 3),
      thread_([this] { Run(); }) {}

void LeaseKeeper::OnProgress(const Progress& progress) {
  const std::scoped_lock lock(mutex_);
  if (progress.step != latest_.step) {
    const Clock::time_point now = Clock::now();
    if (latest_.step != ScanStep::kQueued) {
      metrics_.StepDone(latest_.step, std::chrono::duration<double>(now - step_start_).count());
    }
    step_start_ = now;
    // The job's end says "done", not the scan, which cannot know whether it was the one that
    // counts.
    if (progress.step != ScanStep::kDone) steps_.push_back(progress);
    within_.reset();
  } else {
    within_ = progress;
  }
  metrics_.BytesDownloaded(std::max<std::int64_t>(0, progress.bytes - latest_.bytes));
  latest_ = progress;
  wake_.notify_one();
}

void LeaseKeeper::Wake() {
  const std::scoped_lock lock(mutex_);
  woken_ = true;
  wake_.notify_one();
}

void LeaseKeeper::Stop(StopCause cause) {
  {
    const std::scoped_lock lock(mutex_);
    if (cause_ != StopCause::kNone) return;
    cause_ = cause;
    stop_time_ = Clock::now();
    wake_.notify_one();
  }
  stop_.request_stop();
}

void LeaseKeeper::Finish() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

StopCause LeaseKeeper::cause() const {
  const std::scoped_lock lock(mutex_);
  return cause_;
}

bool LeaseKeeper::abandoned() const {
  const std::scoped_lock lock(mutex_);
  return abandoned_;
}

Progress LeaseKeeper::latest() const {
  const std::scoped_lock lock(mutex_);
  return latest_;
}

absl::Status LeaseKeeper::Confirm() {
  const Clock::time_point until = Clock::now() + options_.lease_time;
  while (true) {
    const absl::StatusOr<bool> cancelled = jobs_.Heartbeat(lease_, options_.lease_time);
    if (cancelled.ok() && !*cancelled) return absl::OkStatus();
    if (cancelled.ok()) {
      Stop(StopCause::kCancelled);
      return Error(Reason::kCancelled, "cancelled before the result was published");
    }
    Note(cancelled.status());
    if (ReasonOf(cancelled.status()) == Reason::kClaimLost || stop_.stop_requested() ||
        Clock::now() >= until) {
      return cancelled.status();
    }
    std::this_thread::sleep_for(100ms);
  }
}

void LeaseKeeper::Run() {
  const ScopedLogScan scan(lease_.scan_id);
  std::unique_lock lock(mutex_);
  while (!ended_) {
    const Clock::time_point next = NextTask();
    if (next > Clock::now() && !woken_) {
      wake_.wait_until(lock, next);
      continue;  // whatever woke it may have changed what is next
    }
    if (abandoned_) {
      woken_ = false;
      steps_.clear();
      within_.reset();
      continue;
    }
    const Clock::time_point now = Clock::now();
    const bool woken = std::exchange(woken_, false);
    const bool late = stop_time_ && now >= *stop_time_ + options_.stop_grace;
    const bool timed_out = !stop_time_ && now >= start_ + options_.scan_timeout;
    const bool heartbeat_due = now >= next_heartbeat_;
    const StopCause cause = cause_;
    RecordPending(lock);
    lock.unlock();
    if (timed_out) Stop(StopCause::kTimedOut);
    if (late) Abandon(cause);
    if (heartbeat_due && !late) Prolong();
    if (woken && !late) LookForCancellation();
    lock.lock();
  }
  if (!abandoned_) RecordPending(lock);
}

/// When there is something to do next, if nothing happens before. Needs the lock.
LeaseKeeper::Clock::time_point LeaseKeeper::NextTask() const {
  if (abandoned_) return Clock::now() + 1h;
  Clock::time_point next = next_heartbeat_;
  next = std::min(next,
                  stop_time_ ? *stop_time_ + options_.stop_grace : start_ + options_.scan_timeout);
  if (!steps_.empty()) next = Clock::now();
  if (within_) next = std::min(next, next_event_);
  return next;
}

/// Records steps at once and what happens within them now and then. Lets the lock go meanwhile.
void LeaseKeeper::RecordPending(std::unique_lock<std::mutex>& lock) {
  std::deque<Progress> events = std::exchange(steps_, {});
  if (within_ && (Clock::now() >= next_event_ || ended_)) {
    events.push_back(*std::exchange(within_, std::nullopt));
  }
  if (events.empty()) return;
  next_event_ = Clock::now() + options_.event_gap;
  lock.unlock();
  for (const Progress& event : events) Note(jobs_.Record(lease_, ToJobProgress(event)));
  lock.lock();
}

void LeaseKeeper::Prolong() {
  const absl::StatusOr<bool> cancelled = jobs_.Heartbeat(lease_, options_.lease_time);
  Note(cancelled.status());
  if (cancelled.ok() && *cancelled) Stop(StopCause::kCancelled);
  const std::scoped_lock lock(mutex_);
  // After a failure soon again: the lease is running out.
  next_heartbeat_ =
      Clock::now() + (cancelled.ok() ? options_.lease_time / 3 : options_.lease_time / 15);
}

void LeaseKeeper::LookForCancellation() {
  const absl::StatusOr<Job> job = jobs_.Get(lease_.scan_id);
  if (job.ok() && job->cancel_requested) Stop(StopCause::kCancelled);
}

/// Ends the job although its scan still runs. What the scan does later is fenced off.
void LeaseKeeper::Abandon(StopCause cause) {
  spdlog::error("the scan does not stop {} s after it was told to; it is in the step '{}'",
                std::chrono::duration<double>(options_.stop_grace).count(), Name(latest().step));
  metrics_.WatchdogTripped();
  absl::Status status;
  if (cause == StopCause::kDraining) {
    status = jobs_.Release(lease_);
  } else if (cause == StopCause::kCancelled) {
    status = jobs_.Fail(lease_, {Reason::kCancelled, "cancelled"});
  } else if (cause == StopCause::kTimedOut) {
    status = jobs_.Fail(
        lease_, {Reason::kDeadlineExceeded,
                 fmt::format("the scan took longer than {} s and did not stop by itself",
                             std::chrono::duration<double>(options_.scan_timeout).count())});
  }
  Note(status);
  const std::scoped_lock lock(mutex_);
  if (status.ok() || ReasonOf(status) == Reason::kClaimLost) {
    abandoned_ = true;
  } else {
    stop_time_ = Clock::now();  // tried again after another grace period
  }
}

/// Draws the conclusions from a call of the job store.
void LeaseKeeper::Note(const absl::Status& status) {
  if (status.ok()) return;
  if (ReasonOf(status) == Reason::kClaimLost) {
    Stop(StopCause::kLeaseLost);
    return;
  }
  metrics_.JobStoreFailed();
  spdlog::warn("{}", Message(status));
}

}  // namespace glint
