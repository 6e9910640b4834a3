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
#include "store/forwarding_store.h"
#include "workers/completion_marker.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxMessageBytes = 2000;

/// Takes the one set that a scan publishes for the worker to keep; asks the store itself otherwise.
class KeepingStore final : public ForwardingStore {
 public:
  KeepingStore(ObjectStore& store, ResultWriter& writer)
      : ForwardingStore(store), writer_(writer) {}

  /// Whether the scan has published its set.
  bool committed() const { return committed_; }

  absl::StatusOr<std::unique_ptr<Publication>> Resume(std::string_view /*prefix*/,
                                                      const PublicationAttempt& /*attempt*/,
                                                      const CancelToken& /*cancel*/) override {
    return std::make_unique<Set>(*this);
  }

 private:
  class Set final : public Publication {
   public:
    explicit Set(KeepingStore& keeping) : keeping_(keeping) {}
    absl::Status Put(std::string_view name, std::span<const std::byte> content,
                     std::string_view content_type) override {
      return keeping_.writer_.Put(name, content, content_type);
    }
    absl::Status Commit() override {
      keeping_.committed_ = true;
      return absl::OkStatus();
    }

   private:
    KeepingStore& keeping_;
  };

  ResultWriter& writer_;
  bool committed_ = false;
};

}  // namespace

void JobAttempt::Run(const std::stop_token& shutdown) {
  const ScopedLogScan log(job_.scan_id, job_.trace);
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
  if (waiting_) {
    waiting_->seconds = std::chrono::duration<double>(Clock::now() - start).count();
    waiting_->frames = keeper_.latest().frames;
    return deliveries_.Add(*std::move(waiting_), scanned);
  }
  for (auto wait = 100ms;; wait = std::min<std::chrono::milliseconds>(2 * wait, 2s)) {
    const absl::Status recorded = RecordOutcome(scanned);
    if (recorded.ok()) {
      if (kept_ && !GivesBack(scanned)) kept_->Discard();
      return;
    }
    spdlog::warn("the scan's end was not recorded: {}", Message(recorded));
    if (FailureReasonOf(recorded) == ServiceReason::kClaimLost) return;
    metrics_.JobStoreFailed();
    if (!RealClock().Sleep(wait, shutdown)) return;
  }
}

absl::Status JobAttempt::Scan() {
  GLINT_ASSIGN_OR_RETURN(const ScanRequest request, handler_.request(job_));
  const ScanDeps deps = handler_.deps(job_);
  store_ = &deps.store;
  kept_ = kept_results_.Find(job_);
  if (kept_) {
    spdlog::info("an earlier attempt has kept its result");
    metrics_.EarlierResultUsed();
    return DeliverKept(deps.store, request.prefix);
  }
  GLINT_ASSIGN_OR_RETURN(std::optional<std::string> earlier,
                         FindEarlierResult(request, deps.store));
  if (earlier) {
    spdlog::info("an earlier attempt has published the result");
    metrics_.EarlierResultUsed();
    result_ = *std::move(earlier);
    return absl::OkStatus();
  }
  if (attempts_exhausted_) return Error(attempts_exhausted_->reason, attempts_exhausted_->message);
  GLINT_RETURN_IF_ERROR(ScanAndKeep(request, deps));
  return kept_ ? DeliverKept(deps.store, request.prefix) : absl::OkStatus();
}

/// What an attempt that died has published, if any.
absl::StatusOr<std::optional<std::string>> JobAttempt::FindEarlierResult(const ScanRequest& request,
                                                                         ObjectStore& store) const {
  if (!attempts_exhausted_ && deliveries_.status().away) return std::nullopt;
  auto found = FindCompletedResult(store, request.prefix, job_, CancelToken(keeper_.stop_token()));
  if (found.ok()) return found;
  const bool denied = ReasonOf(found.status()) == Reason::kStoreDenied;
  // A store that is away may be back when the scan is made; then it is looked for once more.
  const bool may_scan = !attempts_exhausted_ && deliveries_.MayPass(found.status());
  if (!denied && !may_scan) {
    return In("looking for an earlier result", found.status());
  }
  // Some credentials may write and not read.
  spdlog::warn("cannot look for an earlier result: {}", Message(found.status()));
  return std::nullopt;
}

absl::Status JobAttempt::ScanAndKeep(const ScanRequest& request, ScanDeps scan_deps) {
  const auto writer = kept_results_.Begin(job_, std::to_string(keeper_.lease().fence));
  KeepingStore keeping(scan_deps.store, *writer);
  ScanDeps deps{.fetcher = scan_deps.fetcher,
                .store = keeping,
                .devices = scan_deps.devices,
                .pool = scan_deps.pool,
                .progress = &keeper_,
                .open_video = std::move(scan_deps.open_video)};
  deps.before_commit = [this](const ScanResult& result, const std::vector<StoredObject>& objects,
                              Publication& set) { return MarkComplete(result, objects, set); };
  GLINT_RETURN_IF_ERROR(handler_.scan(request, deps, CancelToken(keeper_.stop_token())).status());
  if (!keeping.committed()) return absl::OkStatus();
  GLINT_ASSIGN_OR_RETURN(kept_,
                         writer->Finish(job_, result_,
                                        std::chrono::time_point_cast<std::chrono::microseconds>(
                                            std::chrono::system_clock::now())));
  return absl::OkStatus();
}

/// Stores the kept result, or leaves it to `deliveries_` where its place is away.
absl::Status JobAttempt::DeliverKept(ObjectStore& store, const std::string& prefix) {
  result_ = kept_->result();
  const DeliveryStatus known = deliveries_.status();
  absl::Status delivered =
      known.away ? Error(Reason::kStoreUnavailable, known.because)
                 : Deliver(
                       *kept_, job_, store, prefix, keeper_.lease().fence,
                       [this] { return keeper_.Confirm(); }, CancelToken(keeper_.stop_token()));
  if (!delivered.ok() && keeper_.cause() == StopCause::kTimedOut) {
    delivered = Error(Reason::kStoreUnavailable,
                      fmt::format("the store takes too long: {}", Message(delivered)));
  }
  if (delivered.ok()) {
    deliveries_.StoreWorked();
    metrics_.Delivered("stored");
  } else if (deliveries_.MayPass(delivered)) {
    waiting_ = Deliveries::Waiting{job_, keeper_.lease(), &store, prefix, kept_};
  }
  return delivered;
}

/// Adds the completion marker to the result.
absl::Status JobAttempt::MarkComplete(const ScanResult& result,
                                      const std::vector<StoredObject>& objects, Publication& set) {
  GLINT_ASSIGN_OR_RETURN(result_, handler_.result(job_, result, objects));
  const std::string marker = MakeCompletionMarker(job_, result_);
  return set.Put(kCompletionMarkerName, std::as_bytes(std::span(marker)), "application/json");
}

/// A stopped scan only knows that it was stopped; says whether that was for its time limit.
absl::Status JobAttempt::ExplainTimeout(const absl::Status& failure) const {
  if (ReasonOf(failure) == Reason::kCancelled && keeper_.cause() == StopCause::kTooSlow) {
    return keeper_.WhyTooSlow();
  }
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
  return jobs_.Fail(keeper_.lease(), {reason, ForCallers(scanned, job_, store_, kMaxMessageBytes)});
}

void JobAttempt::ReportOutcome(const absl::Status& scanned, double seconds) {
  const std::optional<FailureReason> failure = FailureReasonOf(scanned);
  if (keeper_.abandoned() || keeper_.cause() == StopCause::kLeaseLost ||
      failure == ServiceReason::kClaimLost) {
    spdlog::warn("the scan came to its end after {:.1f} s, when its job was not ours any more",
                 seconds);
    return;
  }
  if (waiting_) {
    spdlog::warn("scan made in {:.1f} s; its result waits: {}", seconds, Message(scanned));
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
