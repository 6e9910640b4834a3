// SPDX-License-Identifier: Apache-2.0
#include "workers/job_attempt.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <span>
#include <utility>

#include "observe/log.h"
#include "observe/metrics.h"
#include "observe/redact.h"
#include "workers/completion_marker.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestMessage = 2000;

/// Turns what is thrown into a failure of the scan.
template <class Work>
absl::Status CatchExceptions(Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, "memory is out; give the worker more, or fewer lanes");
  } catch (const std::exception& bug) {
    return Error(Reason::kInternal, fmt::format("a bug of glint: {}", bug.what()));
  } catch (...) {
    return Error(Reason::kInternal, "a bug of glint: something unknown was thrown");
  }
}

/// @return whether the time passed without the stop
bool SleepUnlessStopped(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  return !wake.wait_for(lock, stop, time, [&] { return stop.stop_requested(); });
}

}  // namespace

void JobAttempt::Run(const std::stop_token& give_up) {
  const ScopedLogScan log(job_.scan_id);
  const Clock::time_point start = Clock::now();
  if (attempts_exhausted_) {
    spdlog::info("{}; looking for a result that it may have published",
                 attempts_exhausted_->message);
  } else {
    spdlog::info("scan started, attempt {}: {}", job_.attempts, job_.shown_url);
  }
  const absl::Status scanned = Explain(CatchExceptions([this] { return Scan(); }));
  keeper_.Finish();
  Report(scanned, std::chrono::duration<double>(Clock::now() - start).count());
  if (keeper_.abandoned() || keeper_.cause() == StopCause::kLeaseLost) return;
  for (auto wait = 100ms;; wait = std::min<std::chrono::milliseconds>(2 * wait, 2s)) {
    const absl::Status told = TellEnd(scanned);
    if (told.ok()) return;
    spdlog::warn("the scan's end was not recorded: {}", Message(told));
    if (ReasonOf(told) == Reason::kClaimLost) return;
    metrics_.JobStoreFailed();
    if (!SleepUnlessStopped(wait, give_up)) return;
  }
}

absl::Status JobAttempt::Scan() {
  const absl::StatusOr<ScanRequest> request = handler_.request(job_);
  if (!request.ok()) return request.status();
  const ScanDeps deps = handler_.deps();
  absl::StatusOr<std::optional<std::string>> taken = FindEarlierResult(*request, deps.store);
  if (!taken.ok()) return taken.status();
  if (*taken) {
    spdlog::info("an earlier attempt has published the result");
    metrics_.EarlierResultUsed();
    result_ = **std::move(taken);
    return absl::OkStatus();
  }
  if (attempts_exhausted_) return Error(attempts_exhausted_->reason, attempts_exhausted_->message);
  return ScanAndPublish(*request, deps);
}

/// What an attempt that died has published, if any.
absl::StatusOr<std::optional<std::string>> JobAttempt::FindEarlierResult(const ScanRequest& request,
                                                                         ObjectStore& store) const {
  auto taken = FindCompletedResult(store, request.prefix, job_, CancelToken(keeper_.stop_token()));
  if (taken.ok()) return taken;
  if (ReasonOf(taken.status()) != Reason::kStoreDenied) {
    return In("looking for an earlier result", taken.status());
  }
  // Some credentials may write and not read.
  spdlog::warn("cannot look for an earlier result: {}", Message(taken.status()));
  return std::nullopt;
}

absl::Status JobAttempt::ScanAndPublish(const ScanRequest& request, ScanDeps deps) {
  deps.progress = &keeper_;
  deps.before_commit = [this](const ScanReport& report, const ScanTiming& timing,
                              const std::vector<StoredObject>& objects, Publication& set) {
    return MarkComplete(report, timing, objects, set);
  };
  return handler_.scan(request, deps, CancelToken(keeper_.stop_token())).status();
}

/// Adds the completion marker, and lets the result appear only if the job is still ours.
absl::Status JobAttempt::MarkComplete(const ScanReport& report, const ScanTiming& timing,
                                      const std::vector<StoredObject>& objects, Publication& set) {
  absl::StatusOr<std::string> result = handler_.result(job_, report, timing, objects);
  if (!result.ok()) return result.status();
  result_ = *std::move(result);
  const std::string marker = MakeCompletionMarker(job_, result_);
  absl::Status stored =
      set.Put(kCompletionMarkerName, std::as_bytes(std::span(marker)), "application/json");
  if (!stored.ok()) return stored;
  return keeper_.Confirm();
}

/// A stopped scan only knows that it was stopped; says why.
absl::Status JobAttempt::Explain(const absl::Status& failure) const {
  if (failure.ok() || ReasonOf(failure) != Reason::kCancelled) return failure;
  if (keeper_.cause() != StopCause::kTimedOut) return failure;
  return Error(Reason::kDeadlineExceeded,
               fmt::format("{}; the scan took longer than it may", Message(failure)));
}

absl::Status JobAttempt::TellEnd(const absl::Status& scanned) {
  if (scanned.ok()) return jobs_.Complete(keeper_.lease(), result_);
  const Reason reason = ReasonOf(scanned).value_or(Reason::kInternal);
  if (reason == Reason::kClaimLost) return absl::OkStatus();
  if (reason == Reason::kCancelled && keeper_.cause() == StopCause::kDraining) {
    return jobs_.Release(keeper_.lease());
  }
  return jobs_.Fail(keeper_.lease(), {reason, Redact(Message(scanned)).substr(0, kLongestMessage)});
}

void JobAttempt::Report(const absl::Status& scanned, double seconds) {
  const std::optional<Reason> failure = ReasonOf(scanned);
  if (keeper_.abandoned() || keeper_.cause() == StopCause::kLeaseLost ||
      failure == Reason::kClaimLost) {
    spdlog::warn("the scan came to its end after {:.1f} s, when its job was not ours any more",
                 seconds);
    return;
  }
  if (failure == Reason::kCancelled && keeper_.cause() == StopCause::kDraining) {
    spdlog::info("scan given back to the queue");
    return;
  }
  if (failure) {
    spdlog::info("scan failed after {:.1f} s: {}: {}", seconds, Info(*failure).name,
                 Message(scanned));
  } else {
    spdlog::info("scan succeeded after {:.1f} s", seconds);
  }
  metrics_.ScanEnded(failure, seconds, keeper_.latest().frames);
}

}  // namespace glint
