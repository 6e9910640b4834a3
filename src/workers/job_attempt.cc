// SPDX-License-Identifier: Apache-2.0
#include "workers/job_attempt.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "base/catch_exceptions.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "observe/redact.h"
#include "workers/completion_marker.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxMessageBytes = 2000;

}  // namespace

void JobAttempt::Run(const std::stop_token& shutdown) {
  const ScopedLogScan log(job_.scan_id);
  const Clock::time_point start = Clock::now();
  if (attempts_exhausted_) {
    spdlog::info("{}; looking for a result that it may have published",
                 attempts_exhausted_->message);
  } else {
    spdlog::info("scan started, attempt {}: {}", job_.attempts, job_.shown_url);
  }
  const absl::Status scanned = ExplainTimeout(CatchExceptions(
      [this] { return Scan(); },
      "memory is out; give the worker more, or let fewer scans run at a time (--lanes)"));
  keeper_.Finish();
  ReportOutcome(scanned, std::chrono::duration<double>(Clock::now() - start).count());
  if (keeper_.abandoned() || keeper_.cause() == StopCause::kLeaseLost) return;
  for (auto wait = 100ms;; wait = std::min<std::chrono::milliseconds>(2 * wait, 2s)) {
    const absl::Status recorded = RecordOutcome(scanned);
    if (recorded.ok()) return;
    spdlog::warn("the scan's end was not recorded: {}", Message(recorded));
    if (FailureReasonOf(recorded) == ServiceReason::kClaimLost) return;
    metrics_.JobStoreFailed();
    if (!RealClock().Sleep(wait, shutdown)) return;
  }
}

absl::Status JobAttempt::Scan() {
  GLINT_ASSIGN_OR_RETURN(const ScanRequest request, handler_.request(job_));
  const ScanDeps deps = handler_.deps(job_);
  GLINT_ASSIGN_OR_RETURN(std::optional<std::string> earlier,
                         FindEarlierResult(request, deps.store));
  if (earlier) {
    spdlog::info("an earlier attempt has published the result");
    metrics_.EarlierResultUsed();
    result_ = *std::move(earlier);
    return absl::OkStatus();
  }
  if (attempts_exhausted_) return Error(attempts_exhausted_->reason, attempts_exhausted_->message);
  return ScanAndPublish(request, deps);
}

/// What an attempt that died has published, if any.
absl::StatusOr<std::optional<std::string>> JobAttempt::FindEarlierResult(const ScanRequest& request,
                                                                         ObjectStore& store) const {
  auto found = FindCompletedResult(store, request.prefix, job_, CancelToken(keeper_.stop_token()));
  if (found.ok()) return found;
  if (ReasonOf(found.status()) != Reason::kStoreDenied) {
    return In("looking for an earlier result", found.status());
  }
  // Some credentials may write and not read.
  spdlog::warn("cannot look for an earlier result: {}", Message(found.status()));
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
  GLINT_ASSIGN_OR_RETURN(result_, handler_.result(job_, report, timing, objects));
  const std::string marker = MakeCompletionMarker(job_, result_);
  GLINT_RETURN_IF_ERROR(
      set.Put(kCompletionMarkerName, std::as_bytes(std::span(marker)), "application/json"));
  return keeper_.Confirm();
}

/// A stopped scan only knows that it was stopped; says whether that was for its time limit.
absl::Status JobAttempt::ExplainTimeout(const absl::Status& failure) const {
  if (ReasonOf(failure) != Reason::kCancelled || keeper_.cause() != StopCause::kTimedOut) {
    return failure;
  }
  return Error(Reason::kDeadlineExceeded,
               fmt::format("{}; the scan took longer than it may", Message(failure)));
}

/// Whether the job is not at its end: another worker, or this one later, tries it again.
bool JobAttempt::GivesBack(const absl::Status& scanned) const {
  const std::optional<FailureReason> failure = FailureReasonOf(scanned);
  return failure == ServiceReason::kDecoderUnavailable ||
         (failure == Reason::kCancelled && keeper_.cause() == StopCause::kDraining);
}

absl::Status JobAttempt::RecordOutcome(const absl::Status& scanned) {
  if (scanned.ok()) return jobs_.Complete(keeper_.lease(), result_);
  const FailureReason reason = FailureReasonOf(scanned).value_or(Reason::kInternal);
  if (reason == ServiceReason::kClaimLost) return absl::OkStatus();
  if (GivesBack(scanned)) return jobs_.Release(keeper_.lease());
  return jobs_.Fail(keeper_.lease(),
                    {reason, WithoutPlaces(Redact(Message(scanned))).substr(0, kMaxMessageBytes)});
}

void JobAttempt::ReportOutcome(const absl::Status& scanned, double seconds) {
  const std::optional<FailureReason> failure = FailureReasonOf(scanned);
  if (keeper_.abandoned() || keeper_.cause() == StopCause::kLeaseLost ||
      failure == ServiceReason::kClaimLost) {
    spdlog::warn("the scan came to its end after {:.1f} s, when its job was not ours any more",
                 seconds);
    return;
  }
  if (GivesBack(scanned)) {
    spdlog::info("scan given back to the queue: {}", Message(scanned));
    return;
  }
  if (failure) {
    spdlog::info("scan failed after {:.1f} s: {}: {}", seconds, Info(*failure).name,
                 Message(scanned));
  } else {
    spdlog::info("scan succeeded after {:.1f} s", seconds);
  }
  metrics_.ScanEnded(failure ? &Info(*failure) : nullptr, seconds, keeper_.latest().frames);
}

}  // namespace glint
