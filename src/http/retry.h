// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <optional>

#include "base/clock.h"
#include "glint/cancel.h"
#include "http/http_client.h"

namespace glint {

/// How often something is tried, and how long to wait in between.
struct RetryPolicy {
  int attempts = 5;
  std::chrono::milliseconds first_wait{250};       ///< doubled after each attempt
  std::chrono::milliseconds longest_wait{10'000};  ///< also of what Retry-After asks for
  SteadyClock* clock = &RealClock();               ///< that is waited by
};

/// The wait before attempt `next` (2 is the first repetition): doubled each time, shortened by
/// chance to between a half and the whole, so that many workers do not return at once; at least
/// what the server asked for; at most the policy's longest.
std::chrono::milliseconds WaitBefore(int next, const RetryPolicy& policy,
                                     std::optional<std::chrono::seconds> retry_after);

/// Whether a server says "not now" with this status: 408, 425, 429, 500, 502, 503, 504, and what
/// proxies and databases behind it say so with: 520 to 529, 544.
bool IsTransientStatus(int status);

/// Sends until there is an answer that `is_final` takes or the attempts are used up; the last
/// answer or failure is the result. Only for requests that may be repeated.
/// @param is_final  empty: !IsTransientStatus
absl::StatusOr<HttpResponse> SendWithRetry(
    HttpClient& client, const HttpRequest& request, Reason failed_as, const RetryPolicy& policy,
    const CancelToken& cancel, const std::function<bool(const HttpResponse&)>& is_final = {});

}  // namespace glint
