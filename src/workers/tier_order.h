// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "jobs/job_store.h"

namespace glint {

/// What a worker is told of tiers.
struct TierOptions {
  /// Those that it serves, the preferred one first; "*": all others.
  std::vector<std::string> tiers = {std::string(ClaimOrder::kOthers)};
  /// The kind of device that a tier's scans are meant for; a tier that is not in it has none.
  std::map<std::string, std::string> devices;
  /// Scans that are meant for GPUs run on a CPU when no worker with one has served their tier for
  /// so long, and they have waited as long. Nothing: never.
  std::optional<std::chrono::milliseconds> spill_to_cpu = std::chrono::seconds(60);
  /// Whether scans that are meant for CPUs run on a GPU for which nothing else waits.
  bool spill_to_idle_gpu = true;
  /// A tier of which the worker has begun nothing for so long goes first.
  std::chrono::milliseconds patience = std::chrono::seconds(60);
};

/// "premium=cuda": a tier and the kind of device that its scans are meant for.
/// Errors: INVALID_OPTION
absl::StatusOr<std::pair<std::string, std::string>> ReadTierDevice(std::string_view text);

/// Decides which tier a worker looks at first when it can begin a scan.
///
/// No tier starves: one in which something waits is passed over for `patience` at most, and then
/// for as many claims as the worker serves other tiers. Scans that would run on another device than
/// their tier's come last, and wait for no patience: they are others' work.
///
/// Safe to use from several threads.
class TierOrder {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param devices  kinds of devices of this worker, the first one named in its claims
  TierOrder(TierOptions options, std::vector<std::string> devices, Clock::time_point now);

  /// The order of the next claim. @param fleet  who works on the queue, as last seen; null: nobody
  /// knows, and nothing is taken from others
  ClaimOrder Next(const std::vector<RegisteredWorker>* fleet, Clock::time_point now);
  /// What became of it: the tier of the job that was claimed, or nothing.
  void Claimed(const ClaimOrder& order, const std::optional<std::string>& tier,
               Clock::time_point now);

  /// Whether Next() depends on the others.
  bool needs_fleet() const;

 private:
  bool Suits(std::string_view tier) const;
  void AddSpilled(std::string_view tier, const std::vector<RegisteredWorker>* fleet,
                  ClaimOrder& order) const;

  const TierOptions options_;
  const std::vector<std::string> devices_;
  Mutex mutex_;
  /// Since when a tier is passed over while something may wait in it.
  std::map<std::string, Clock::time_point, std::less<>> passed_over_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace glint
