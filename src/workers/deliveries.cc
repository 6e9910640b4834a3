// SPDX-License-Identifier: Apache-2.0
#include "workers/deliveries.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/at_once.h"
#include "base/catch_exceptions.h"
#include "base/status_macros.h"
#include "http/retry.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "observe/redact.h"
#include "workers/completion_marker.h"

namespace glint {
namespace {

/// As many objects are under way at a time: a store takes long to answer, and little work.
constexpr std::size_t kAtATime = 16;
constexpr std::size_t kMaxBecauseBytes = 500;

JobTime Now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

std::string Shown(const Deliveries::Waiting& waiting, const absl::Status& failure) {
  return ForCallers(failure, waiting.job, waiting.store, kMaxBecauseBytes);
}

}  // namespace

std::string ForCallers(const absl::Status& failure, const Job& job, const ObjectStore* store,
                       std::size_t max_bytes) {
  std::string host = store != nullptr ? store->Host() : "";
  if (job.shown_url.find(host) != std::string::npos) host.clear();
  return WithoutPlaces(Redact(Message(failure)), host).substr(0, max_bytes);
}

absl::Status Deliver(const KeptResult& kept, const Job& job, ObjectStore& store,
                     std::string_view prefix, std::int64_t fence,
                     const std::function<absl::Status()>& confirm, const CancelToken& cancel) {
  // Each claim has a name of its own for what it uploads: a worker that lost its lease without
  // knowing deletes nothing of its successor's.
  const std::string attempt = fmt::format("{}-{}", kept.attempt(), fence);
  auto stored = FindCompletedResult(store, prefix, job, cancel);
  if (!stored.ok() && ReasonOf(stored.status()) != Reason::kStoreDenied) return stored.status();
  if (stored.ok() && *stored == kept.result()) return absl::OkStatus();
  GLINT_ASSIGN_OR_RETURN(const auto set, store.Resume(prefix, {attempt, confirm}, cancel));
  const auto& objects = kept.objects();
  GLINT_RETURN_IF_ERROR(ForEachAtOnce(objects.size(), kAtATime, [&](std::size_t i) -> absl::Status {
    GLINT_RETURN_IF_ERROR(cancel.Check());
    GLINT_ASSIGN_OR_RETURN(const auto content, kept.Read(objects[i]));
    return set->Put(objects[i].name, content, objects[i].content_type);
  }));
  GLINT_RETURN_IF_ERROR(confirm());
  return set->Commit();
}

/// A job that waits, and what has happened to it.
struct Deliveries::Item {
  explicit Item(Waiting what) : waiting(std::move(what)) {}
  Waiting waiting;
  int attempts = 0;
  std::stop_source stop;  // of the attempt that runs
  std::atomic<bool> cancelled = false;
  std::atomic<bool> lost = false;  // another worker has the job
};

Deliveries::Deliveries(JobStore& jobs, DeliveryOptions options,
                       std::chrono::milliseconds lease_time, ServiceMetrics& metrics)
    : jobs_(jobs), options_(options), lease_time_(lease_time), metrics_(metrics) {
  threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
  threads_.emplace_back([this](const std::stop_token& stop) { KeepLeases(stop); });
}

Deliveries::~Deliveries() { Stop(); }

void Deliveries::Stop() {
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    for (const ItemPtr& item : items_) item->stop.request_stop();
    for (std::jthread& thread : threads_) thread.request_stop();
    changed_.NotifyAll();
  }
  for (std::jthread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
  std::deque<ItemPtr> left;
  {
    const MutexLock lock(mutex_);
    left.swap(items_);
  }
  for (const ItemPtr& item : left) Release(item->waiting.lease);
}

void Deliveries::Release(const JobLease& lease) {
  const absl::Status released = jobs_.Release(lease);
  if (!released.ok()) spdlog::warn("'{}' is not given back: {}", lease.scan_id, Message(released));
}

bool Deliveries::MayPass(const absl::Status& failure) const {
  const auto reason = ReasonOf(failure);
  if (reason == Reason::kStoreUnavailable || reason == Reason::kDiskFull) return true;
  // A store that has taken results was reached with the right credentials: somebody changed them.
  const MutexLock lock(mutex_);
  return reason == Reason::kStoreDenied && worked_;
}

void Deliveries::Add(Waiting waiting, const absl::Status& failure) {
  const JobDelivery delivery{.attempt = waiting.job.delivery.value_or(JobDelivery()).attempt + 1,
                             .because = Shown(waiting, failure)};
  const absl::Status recorded = jobs_.RecordDelivery(waiting.lease, delivery);
  if (!recorded.ok()) spdlog::warn("that a result waits is not recorded: {}", Message(recorded));
  metrics_.Delivered("waits");
  auto item = std::make_shared<Item>(std::move(waiting));
  item->attempts = delivery.attempt;
  {
    const MutexLock lock(mutex_);
    if (!stopped_) {
      items_.push_back(item);
      Failed(failure);
      LogPause();
      // A cancellation since the attempt's end has woken nobody.
      woken_.insert(item->waiting.lease.scan_id);
      changed_.NotifyAll();
      return;
    }
  }
  Release(item->waiting.lease);
}

void Deliveries::Failed(const absl::Status& failure) {
  if (!std::exchange(away_, true)) {
    spdlog::error("results wait, because the place for them does not take them: {}",
                  Message(failure));
    failures_ = 0;
  }
  because_ = ForCallers(failure, {}, nullptr, kMaxBecauseBytes);
  const RetryPolicy waits{.first_wait = options_.first_wait, .longest_wait = options_.longest_wait};
  next_try_ = Clock::now() + WaitBefore(++failures_ + 1, waits, std::nullopt);
}

void Deliveries::StoreWorked() {
  const MutexLock lock(mutex_);
  worked_ = true;
  failures_ = 0;
  next_try_ = Clock::now();
  if (std::exchange(away_, false)) {
    spdlog::info("the place for results takes them again; {} wait", items_.size());
  }
  changed_.NotifyAll();
}

void Deliveries::Wake(const std::string& scan_id) {
  const MutexLock lock(mutex_);
  const auto waits = std::ranges::any_of(
      items_, [&](const ItemPtr& item) { return item->waiting.lease.scan_id == scan_id; });
  if (!waits) return;
  woken_.insert(scan_id);
  changed_.NotifyAll();
}

bool Deliveries::Paused() const {
  std::int64_t bytes = 0;
  for (const ItemPtr& item : items_) {
    if (!item->waiting.kept->on_disk()) return true;
    bytes += item->waiting.kept->bytes();
  }
  return bytes > 0 && bytes >= options_.space;
}

void Deliveries::LogPause() {
  const bool paused = Paused();
  if (std::exchange(pause_logged_, paused) == paused) return;
  if (paused) {
    spdlog::error("no scan is begun: {} results wait to be stored and fill their space",
                  items_.size());
  } else {
    spdlog::info("scans are begun again");
  }
}

DeliveryStatus Deliveries::status() const {
  const MutexLock lock(mutex_);
  DeliveryStatus status{.waiting = std::ssize(items_),
                        .away = away_,
                        .paused = Paused(),
                        .because = away_ ? because_ : ""};
  for (const ItemPtr& item : items_) status.bytes += item->waiting.kept->bytes();
  return status;
}

void Deliveries::KeepLeases(const std::stop_token& stop) {
  Clock::time_point renewal = Clock::now() + lease_time_ / 3;
  while (!stop.stop_requested()) {
    std::set<std::string> woken;
    {
      const MutexLock lock(mutex_);
      if (woken_.empty() && !stop.stop_requested()) changed_.WaitUntil(mutex_, renewal);
      woken.swap(woken_);
    }
    if (!woken.empty()) LookAtCancellations(woken);
    if (Clock::now() < renewal) continue;
    RenewLeases();
    renewal = Clock::now() + lease_time_ / 3;
  }
}

std::deque<Deliveries::ItemPtr> Deliveries::items() const {
  const MutexLock lock(mutex_);
  return items_;
}

void Deliveries::StopItem(const ItemPtr& item, std::atomic<bool>& why) {
  why = true;
  item->stop.request_stop();
  const MutexLock lock(mutex_);
  changed_.NotifyAll();
}

void Deliveries::LookAtCancellations(const std::set<std::string>& scan_ids) {
  for (const ItemPtr& item : items()) {
    if (!scan_ids.contains(item->waiting.lease.scan_id)) continue;
    const auto job = jobs_.Get(item->waiting.lease.scan_id);
    if (job.ok() && job->cancel_requested) StopItem(item, item->cancelled);
  }
}

void Deliveries::RenewLeases() {
  for (const ItemPtr& item : items()) {
    const auto cancelled = jobs_.Heartbeat(item->waiting.lease, lease_time_);
    if (FailureReasonOf(cancelled.status()) == ServiceReason::kClaimLost) {
      StopItem(item, item->lost);
    } else if (!cancelled.ok()) {
      spdlog::warn("{}", Message(cancelled.status()));
    } else if (*cancelled) {
      StopItem(item, item->cancelled);
    }
  }
}

/// What can end at once does, whatever the store says; then what has waited longest, if it is time.
Deliveries::ItemPtr Deliveries::NextDue() {
  for (const ItemPtr& item : items_) {
    if (item->cancelled || item->lost) return item;
    if (Now() >= item->waiting.kept->finished() + options_.within) return item;
  }
  if (items_.empty() || Clock::now() < next_try_) return nullptr;
  return items_.front();
}

/// At least now and then, where results wait: they expire.
Deliveries::Clock::time_point Deliveries::NextLook() const {
  constexpr std::chrono::seconds kLongest(1);
  if (items_.empty()) return Clock::now() + std::chrono::minutes(1);
  return std::min<Clock::time_point>(next_try_, Clock::now() + kLongest);
}

void Deliveries::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    ItemPtr item;
    {
      const MutexLock lock(mutex_);
      item = NextDue();
      if (!item) {
        if (!stop.stop_requested()) changed_.WaitUntil(mutex_, NextLook());
        continue;
      }
    }
    const ScopedLogScan log(item->waiting.lease.scan_id, item->waiting.lease.trace);
    const absl::Status tried = CatchExceptions([&]() -> absl::Status {
      Try(item);
      return absl::OkStatus();
    });
    if (!tried.ok()) SetBack(item, tried);
  }
}

void Deliveries::Try(const ItemPtr& item) {
  const Waiting& waiting = item->waiting;
  if (item->lost) return Remove(item);
  if (item->cancelled) {
    return End(item, Error(Reason::kCancelled, "cancelled while its result waited to be stored"));
  }
  const auto confirm = [&]() -> absl::Status {
    GLINT_ASSIGN_OR_RETURN(const bool cancelled, jobs_.Heartbeat(waiting.lease, lease_time_));
    if (!cancelled) return absl::OkStatus();
    item->cancelled = true;
    return Error(Reason::kCancelled, "cancelled before the result was published");
  };
  const bool expired = Now() >= waiting.kept->finished() + options_.within;
  const absl::Status delivered =
      Deliver(*waiting.kept, waiting.job, *waiting.store, waiting.prefix, waiting.lease.fence,
              confirm, CancelToken(item->stop.get_token()));
  if (delivered.ok()) {
    StoreWorked();
    return End(item, delivered);
  }
  if (FailureReasonOf(delivered) == ServiceReason::kClaimLost) return Remove(item);
  if (item->stop.stop_requested()) return;  // cancelled, lost or draining: seen next
  const bool passes =
      MayPass(delivered) || FailureReasonOf(delivered) == ServiceReason::kJobStoreUnavailable;
  if (!passes) return End(item, delivered);
  if (!expired) return SetBack(item, delivered);
  End(item, Error(Reason::kStoreUnavailable,
                  fmt::format("the result could not be stored in {} attempts: {}",
                              item->attempts + 1, Message(delivered))));
}

/// Tries others first; what fails with one result alone must not hold up the rest.
void Deliveries::SetBack(const ItemPtr& item, const absl::Status& failure) {
  ++item->attempts;
  metrics_.Delivered("waits");
  const absl::Status recorded =
      jobs_.RecordDelivery(item->waiting.lease, {item->attempts, Shown(item->waiting, failure)});
  if (!recorded.ok()) spdlog::warn("that a result waits is not recorded: {}", Message(recorded));
  const MutexLock lock(mutex_);
  Failed(failure);
  if (std::erase(items_, item) > 0) items_.push_back(item);
}

void Deliveries::Remove(const ItemPtr& item) {
  const MutexLock lock(mutex_);
  std::erase(items_, item);
  if (items_.empty()) away_ = false;
  LogPause();
}

/// The job's end, and then its file's. An end that cannot be recorded is tried again.
void Deliveries::End(const ItemPtr& item, const absl::Status& ended) {
  const JobLease& lease = item->waiting.lease;
  const FailureReason reason = FailureReasonOf(ended).value_or(Reason::kInternal);
  const absl::Status recorded = ended.ok()
                                    ? jobs_.Complete(lease, item->waiting.kept->result())
                                    : jobs_.Fail(lease, {reason, Shown(item->waiting, ended)});
  const bool lost = FailureReasonOf(recorded) == ServiceReason::kClaimLost;
  if (!recorded.ok() && !lost) return SetBack(item, recorded);
  if (!lost) {
    item->waiting.kept->Discard();
    metrics_.Delivered(ended.ok()                            ? "stored"
                       : reason == Reason::kStoreUnavailable ? "expired"
                                                             : "refused");
    metrics_.ScanEnded(ended.ok() ? nullptr : &Info(reason), item->waiting.seconds,
                       item->waiting.frames);
    spdlog::info("the result that waited {}", ended.ok() ? "is stored" : Message(ended));
  }
  Remove(item);
}

}  // namespace glint
