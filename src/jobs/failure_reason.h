// SPDX-License-Identifier: Apache-2.0
// The reasons of failures that only the service has, and a value for those of library and service.
#pragma once

#include <absl/status/status.h>

#include <optional>
#include <string_view>
#include <vector>

#include "glint/error.h"

namespace glint {

/// Why a call or a job failed, where glint/error.h has no reason for it.
enum class ServiceReason {
  kUnauthenticated,      ///< no token, or one that is not known
  kScanNotFound,         ///< no scan has this id
  kScanConflict,         ///< the id is in use for another request
  kQueueFull,            ///< as many scans wait as may; try again later
  kDraining,             ///< the worker is shutting down; try another, or later
  kWorkerDied,           ///< the worker died each time it tried this scan
  kClaimLost,            ///< another worker took the scan over
  kJobStoreUnavailable,  ///< the store of jobs cannot be reached, or is locked for too long
  kOverloaded,           ///< too many calls or streams at once; try again later
  kWorkerUnreachable,    ///< no worker answers at this address; for clients
  kDecoderUnavailable,   ///< the worker has no decoder of its build; the scan is another's
  kNotPermitted,         ///< the token does not allow it
  kQuotaExceeded,        ///< the owner's scans use as much as they may; try again later
};

/// A reason of the library or of the service.
class FailureReason {
 public:
  FailureReason(Reason reason) : info_(&Info(reason)) {}  // NOLINT(google-explicit-constructor)
  FailureReason(ServiceReason reason);                    // NOLINT(google-explicit-constructor)

  const ReasonInfo& info() const { return *info_; }
  bool operator==(const FailureReason&) const = default;

 private:
  const ReasonInfo* info_;  // in one of the tables
};

inline const ReasonInfo& Info(FailureReason reason) { return reason.info(); }

/// As Error(Reason, ...).
inline absl::Status Error(FailureReason reason, std::string_view message) {
  return Error(reason.info(), message);
}

/// All of them, the library's first.
std::vector<FailureReason> FailureReasons();

/// The reason of that name; nothing when there is none, as for one of a newer worker.
std::optional<FailureReason> FailureReasonNamed(std::string_view name);

/// The reason of a status: its payload, or the likeliest one for its code; nothing when it is OK.
std::optional<FailureReason> FailureReasonOf(const absl::Status& status);

}  // namespace glint
