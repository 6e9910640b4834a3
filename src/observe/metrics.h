// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "glint/error.h"
#include "glint/progress.h"

namespace glint {

/// What waits in a tier of the queue.
struct TierGauges {
  std::string tier;
  std::int64_t queued = 0;
  double oldest_s = 0;  ///< age of the job that was submitted first
  double work_s = 0;    ///< of one scan worker, to make all of them
};

/// What the worker is right now; asked for when somebody looks.
struct WorkerGauges {
  std::int64_t queued = 0;                ///< jobs waiting
  std::int64_t queue_capacity = 0;        ///< jobs that may wait
  std::int64_t running = 0;               ///< scans under way
  std::int64_t stuck = 0;                 ///< scans that do not react to being stopped
  std::int64_t watchers = 0;              ///< open streams of events
  std::int64_t dead_notices = 0;          ///< ends of scans, so far, that nobody could be told of
  std::int64_t connections = 0;           ///< open TCP connections of the API
  std::int64_t lost_log_lines = 0;        ///< so far, because nobody read them
  bool confined = false;                  ///< the decoder's process is
  bool store_away = false;                ///< the latest attempt to store a result failed
  bool claiming_paused = false;           ///< because too many results wait
  std::int64_t results_waiting = 0;       ///< finished results that are not stored yet
  std::int64_t result_bytes_waiting = 0;  ///< their size
  std::vector<TierGauges> tiers = {};     ///< in which something waits
};

/// What the worker counts, as Prometheus reads it; the names are listed in docs/operations.md. Safe
/// to use from several threads.
class ServiceMetrics {
 public:
  virtual ~ServiceMetrics() = default;

  /// A scan's step took this long.
  virtual void StepDone(ScanStep step, double seconds) = 0;
  /// A scan ended. @param failure  why it did not succeed; null when it did
  virtual void ScanEnded(const ReasonInfo* failure, double seconds, std::int64_t frames) = 0;
  virtual void BytesDownloaded(std::int64_t bytes) = 0;
  /// A scan did not stop in time.
  virtual void WatchdogTripped() = 0;
  /// A call of the job store failed for a reason that is not the caller's.
  virtual void JobStoreFailed() = 0;
  /// A result was found in the store and taken.
  virtual void EarlierResultUsed() = 0;
  /// An attempt to store a finished result. @param how  "stored", "waits", "refused" or "expired"
  virtual void Delivered(std::string_view how) = 0;
  /// A call of the API ended. @param code  as gRPC names it: "OK", "NOT_FOUND", ...
  virtual void CallDone(std::string_view method, std::string_view code, double seconds) = 0;

  /// Where the gauges come from; called when metrics are read, and must not wait. An empty function
  /// ends that: after the call returns, the earlier one runs no more.
  virtual void SetGauges(std::function<WorkerGauges()> read) = 0;

  /// Everything as text in Prometheus' format.
  virtual std::string Text() = 0;
};

std::unique_ptr<ServiceMetrics> MakeServiceMetrics(std::string_view version);

}  // namespace glint
