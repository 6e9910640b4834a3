// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "glint/cancel.h"
#include "store/bucket.h"

namespace glint {

/// The right to publish at one place of a bucket, for attempts that no lease keeps apart: two at
/// once would mix their sets. Buckets have no locks, but what is written is listed from then on:
/// each attempt writes a claim and lists them all, and goes ahead when its own is the only one.
/// Claims that are not renewed are those of dead processes, and do not count. Safe to use from
/// several threads.
class PublishClaim {
 public:
  /// @param bucket   must outlive this
  /// @param folder   of the place's claims
  /// @param attempt  the claim's name
  PublishClaim(Bucket& bucket, std::string folder, const std::string& attempt,
               SteadyClock& clock = RealClock());

  /// Waits until no other attempt publishes there. Errors: those of the bucket; STORE_UNAVAILABLE
  /// when others go on for minutes; CANCELLED, DEADLINE_EXCEEDED
  absl::Status Acquire(const CancelToken& cancel);
  /// Whether this is still the only attempt that may publish; renews the claim now and then.
  /// Errors: those of the bucket; STORE_UNAVAILABLE when it was not renewed in time
  absl::Status Confirm(const CancelToken& cancel);
  /// Deletes the claim where there is one.
  absl::Status Release(const CancelToken& cancel);

 private:
  /// What a listing says of the claims.
  struct Seen {
    bool mine = false;
    bool others = false;
    bool others_first = false;  ///< whether one of them is to go before this one
  };

  absl::Status Write(const CancelToken& cancel) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Seen> Look(const CancelToken& cancel) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Remove(const CancelToken& cancel) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Bucket& bucket_;
  const std::string folder_;
  const std::string key_;
  SteadyClock& clock_;
  Mutex mutex_;
  bool written_ ABSL_GUARDED_BY(mutex_) = false;
  SteadyClock::TimePoint written_at_ ABSL_GUARDED_BY(mutex_);
  /// The server's time when the claim was written.
  std::optional<std::chrono::sys_seconds> server_time_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace glint
