// SPDX-License-Identifier: Apache-2.0
#include "jobs/failure_reason.h"

#include <algorithm>
#include <array>

namespace glint {
namespace {

using absl::StatusCode;

constexpr bool kRetryable = true;

/// In the order of the enum.
constexpr std::array kServiceReasons = {
    ReasonInfo{"UNAUTHENTICATED", StatusCode::kUnauthenticated, 9,
               "the call carries no token, or one that the worker does not know"},
    ReasonInfo{"SCAN_NOT_FOUND", StatusCode::kNotFound, 3, "no scan has this id"},
    ReasonInfo{"SCAN_CONFLICT", StatusCode::kAlreadyExists, 2,
               "the scan id is in use for another request"},
    ReasonInfo{"QUEUE_FULL", StatusCode::kResourceExhausted, 9,
               "as many scans wait as may; try again later", kRetryable},
    ReasonInfo{"DRAINING", StatusCode::kUnavailable, 9,
               "the worker is shutting down; try another, or later", kRetryable},
    ReasonInfo{"WORKER_DIED", StatusCode::kInternal, 1,
               "the worker died each time it tried this scan"},
    ReasonInfo{"CLAIM_LOST", StatusCode::kAborted, 9, "another worker took the scan over",
               kRetryable},
    ReasonInfo{"JOB_STORE_UNAVAILABLE", StatusCode::kUnavailable, 9,
               "the store of jobs cannot be reached, or is locked for too long", kRetryable},
    ReasonInfo{"OVERLOADED", StatusCode::kResourceExhausted, 9,
               "too many calls or streams at once; try again later", kRetryable},
    ReasonInfo{"WORKER_UNREACHABLE", StatusCode::kUnavailable, 9,
               "no worker answers at this address", kRetryable},
    ReasonInfo{"DECODER_UNAVAILABLE", StatusCode::kUnavailable, 9,
               "the worker's decoder is gone or of another build; the scan waits for another",
               kRetryable},
    ReasonInfo{"NOT_PERMITTED", StatusCode::kPermissionDenied, 9,
               "the token does not allow this call, tier or owner"},
    ReasonInfo{"QUOTA_EXCEEDED", StatusCode::kResourceExhausted, 9,
               "the owner's scans use as much as its token allows; try again later", kRetryable},
};
static_assert(kServiceReasons.size() ==
              static_cast<std::size_t>(ServiceReason::kQuotaExceeded) + 1);

}  // namespace

FailureReason::FailureReason(ServiceReason reason)
    : info_(&kServiceReasons[static_cast<std::size_t>(reason)]) {}

std::vector<FailureReason> FailureReasons() {
  std::vector<FailureReason> reasons;
  for (std::size_t i = 0; i < Reasons().size(); ++i) reasons.emplace_back(static_cast<Reason>(i));
  for (std::size_t i = 0; i < kServiceReasons.size(); ++i) {
    reasons.emplace_back(static_cast<ServiceReason>(i));
  }
  return reasons;
}

std::optional<FailureReason> FailureReasonNamed(std::string_view name) {
  for (const FailureReason reason : FailureReasons()) {
    if (Info(reason).name == name) return reason;
  }
  return std::nullopt;
}

std::optional<FailureReason> FailureReasonOf(const absl::Status& status) {
  if (status.ok()) return std::nullopt;
  if (const auto named = FailureReasonNamed(ReasonName(status))) return named;
  for (const FailureReason reason : FailureReasons()) {
    if (Info(reason).code == status.code()) return reason;
  }
  return Reason::kInternal;
}

}  // namespace glint
