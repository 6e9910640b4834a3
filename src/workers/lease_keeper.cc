// SPDX-License-Identifier: Apache-2.0
#include "workers/lease_keeper.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
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
      next_renewal_(start_ + options.lease_time / 3),
      thread_([this] { Run(); }) {}

void LeaseKeeper::OnProgress(const Progress& progress) {
  const MutexLock lock(mutex_);
  if (progress.step != latest_.step) {
    const Clock::time_point now = Clock::now();
    if (latest_.step != ScanStep::kQueued) {
      metrics_.StepDone(latest_.step, std::chrono::duration<double>(now - step_start_).count());
    }
    if (latest_.step == ScanStep::kDownloading) limit_start_ = now;
    step_start_ = now;
    // The job's end says "done", not the scan, which cannot know whether it was the one that
    // counts.
    if (progress.step != ScanStep::kDone) first_of_steps_.push_back(progress);
    latest_of_step_.reset();
  } else {
    latest_of_step_ = progress;
  }
  metrics_.BytesDownloaded(std::max<std::int64_t>(0, progress.bytes - latest_.bytes));
  latest_ = progress;
  wake_.NotifyOne();
}

void LeaseKeeper::Wake() {
  const MutexLock lock(mutex_);
  woken_ = true;
  wake_.NotifyOne();
}

void LeaseKeeper::Stop(StopCause cause) {
  {
    const MutexLock lock(mutex_);
    if (cause_ != StopCause::kNone) return;
    cause_ = cause;
    stop_time_ = Clock::now();
    wake_.NotifyOne();
  }
  stop_.request_stop();
}

void LeaseKeeper::Finish() {
  {
    const MutexLock lock(mutex_);
    finished_ = true;
    wake_.NotifyOne();
  }
  if (thread_.joinable()) thread_.join();
}

StopCause LeaseKeeper::cause() const {
  const MutexLock lock(mutex_);
  return cause_;
}

bool LeaseKeeper::abandoned() const {
  const MutexLock lock(mutex_);
  return abandoned_;
}

Progress LeaseKeeper::latest() const {
  const MutexLock lock(mutex_);
  return latest_;
}

absl::Status LeaseKeeper::WhyTooSlow() const {
  const Progress progress = latest();
  return Error(Reason::kLimitExceeded,
               fmt::format("{} of {} frames are measured; at this speed the scan would take far "
                           "longer than the {} s that it may; film for a shorter time, or with "
                           "smaller or fewer frames",
                           progress.frames, progress.frames_of,
                           std::chrono::duration<double>(options_.scan_timeout).count()));
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
    HandleStoreError(cancelled.status());
    if (FailureReasonOf(cancelled.status()) == ServiceReason::kClaimLost || Clock::now() >= until ||
        !RealClock().Sleep(100ms, stop_token())) {
      return cancelled.status();
    }
  }
}

void LeaseKeeper::Run() {
  const ScopedLogScan scan(lease_.scan_id, lease_.trace);
  for (bool finished = false; !finished;) {
    const Due due = WaitForDue();
    for (const Progress& event : due.events) {
      HandleStoreError(jobs_.Record(lease_, ToJobProgress(event)));
    }
    if (due.timed_out) Stop(StopCause::kTimedOut);
    if (due.too_slow) Stop(StopCause::kTooSlow);
    if (due.stop_overdue) Abandon();
    if (due.renewal) Renew();
    if (due.cancellation_check) CheckCancellation();
    finished = due.finished;
  }
}

/// Waits until there is something to do.
LeaseKeeper::Due LeaseKeeper::WaitForDue() {
  const MutexLock lock(mutex_);
  while (true) {
    if (abandoned_) {  // nothing is recorded any more
      woken_ = false;
      first_of_steps_.clear();
      latest_of_step_.reset();
    }
    const Clock::time_point next = NextDue();
    if (finished_ || woken_ || next <= Clock::now()) break;
    wake_.WaitUntil(mutex_, next);
  }
  const Clock::time_point now = Clock::now();
  Due due{.events = TakePendingEvents(), .finished = finished_};
  if (finished_) return due;
  due.timed_out = !stop_time_ && now >= TimeLimit();
  due.too_slow = !stop_time_ && IsTooSlow();
  due.stop_overdue = stop_time_ && now >= *stop_time_ + options_.stop_grace;
  due.renewal = !due.stop_overdue && now >= next_renewal_;
  due.cancellation_check = std::exchange(woken_, false) && !due.stop_overdue;
  return due;
}

bool LeaseKeeper::IsTooSlow() const {
  using Seconds = std::chrono::duration<double>;
  constexpr int kEnoughFrames = 8;    // one alone may have waited for something else
  constexpr double kFarLonger = 1.5;  // who shares the machine now may be gone later
  if (latest_.step != ScanStep::kMeasuring || latest_.frames <= 0) return false;
  const Clock::time_point now = Clock::now();
  const Seconds measuring = now - step_start_;
  if (latest_.frames < kEnoughFrames && measuring < options_.foresee_after) return false;
  const Seconds left = measuring * (static_cast<double>(latest_.frames_of - latest_.frames) /
                                    static_cast<double>(latest_.frames));
  const double doubt = std::max(1.0, Seconds(options_.foresee_after) / measuring);
  return left > kFarLonger * doubt * Seconds(TimeLimit() - now);
}

/// When the scan has taken too long. Downloads have a limit of their own, and who has done with one
/// may have to wait for others: that is not the scan's time.
LeaseKeeper::Clock::time_point LeaseKeeper::TimeLimit() const {
  constexpr auto kLongestDownload = 24h;
  return limit_start_ + options_.scan_timeout +
         (latest_.step == ScanStep::kDownloading ? kLongestDownload : 0h);
}

/// When there is something to do next, if nothing happens before.
LeaseKeeper::Clock::time_point LeaseKeeper::NextDue() const {
  if (abandoned_) return Clock::now() + 1h;
  if (!first_of_steps_.empty()) return Clock::now();
  const Clock::time_point limit = stop_time_ ? *stop_time_ + options_.stop_grace : TimeLimit();
  const Clock::time_point next = std::min(next_renewal_, limit);
  return latest_of_step_ ? std::min(next, next_event_) : next;
}

/// Steps at once, and what happens within them now and then.
std::deque<Progress> LeaseKeeper::TakePendingEvents() {
  std::deque<Progress> events = std::exchange(first_of_steps_, {});
  if (latest_of_step_ && (Clock::now() >= next_event_ || finished_)) {
    events.push_back(*std::exchange(latest_of_step_, std::nullopt));
  }
  if (!events.empty()) next_event_ = Clock::now() + options_.event_gap;
  return events;
}

void LeaseKeeper::Renew() {
  const absl::StatusOr<bool> cancelled = jobs_.Heartbeat(lease_, options_.lease_time);
  HandleStoreError(cancelled.status());
  if (cancelled.ok() && *cancelled) Stop(StopCause::kCancelled);
  const MutexLock lock(mutex_);
  // After a failure soon again: the lease is running out.
  next_renewal_ =
      Clock::now() + (cancelled.ok() ? options_.lease_time / 3 : options_.lease_time / 15);
}

void LeaseKeeper::CheckCancellation() {
  const absl::StatusOr<Job> job = jobs_.Get(lease_.scan_id);
  if (job.ok() && job->cancel_requested) Stop(StopCause::kCancelled);
}

/// Ends the job although its scan still runs. What the scan does later is fenced off.
void LeaseKeeper::Abandon() {
  spdlog::error("the scan does not stop {} s after it was told to; it is in the step '{}'",
                std::chrono::duration<double>(options_.stop_grace).count(), Name(latest().step));
  metrics_.WatchdogTripped();
  const absl::Status status = EndJobWithoutScan(cause());
  HandleStoreError(status);
  const MutexLock lock(mutex_);
  if (status.ok() || FailureReasonOf(status) == ServiceReason::kClaimLost) {
    abandoned_ = true;
  } else {
    stop_time_ = Clock::now();  // tried again after another grace period
  }
}

absl::Status LeaseKeeper::EndJobWithoutScan(StopCause cause) {
  switch (cause) {
    case StopCause::kDraining:
      return jobs_.Release(lease_);
    case StopCause::kCancelled:
      return jobs_.Fail(lease_, {Reason::kCancelled, "cancelled"});
    case StopCause::kTimedOut:
      return jobs_.Fail(
          lease_, {Reason::kDeadlineExceeded,
                   fmt::format("the scan took longer than {} s and did not stop by itself",
                               std::chrono::duration<double>(options_.scan_timeout).count())});
    case StopCause::kTooSlow:
      return jobs_.Fail(lease_, {Reason::kLimitExceeded, std::string(Message(WhyTooSlow()))});
    case StopCause::kLeaseLost:
    case StopCause::kNone:
      break;
  }
  return absl::OkStatus();
}

/// Logs and counts a failed call of the job store; a lost lease stops the scan.
void LeaseKeeper::HandleStoreError(const absl::Status& status) {
  if (status.ok()) return;
  if (FailureReasonOf(status) == ServiceReason::kClaimLost) {
    Stop(StopCause::kLeaseLost);
    return;
  }
  metrics_.JobStoreFailed();
  spdlog::warn("{}", Message(status));
}

}  // namespace glint
