// SPDX-License-Identifier: Apache-2.0
#include "http/retry.h"

#include <algorithm>
#include <array>
#include <random>

#include "base/status_macros.h"

namespace glint {

using std::chrono::milliseconds;

std::chrono::milliseconds WaitBefore(int next, const RetryPolicy& policy,
                                     std::optional<std::chrono::seconds> retry_after) {
  thread_local std::minstd_rand random(std::random_device{}());
  milliseconds wait = policy.first_wait;
  for (int i = 2; i < next && wait < policy.longest_wait; ++i) wait *= 2;
  wait = std::min(wait, policy.longest_wait);
  std::uniform_int_distribution<milliseconds::rep> shorter(wait.count() / 2, wait.count());
  wait = milliseconds(shorter(random));
  if (retry_after) wait = std::max<milliseconds>(wait, *retry_after);
  return std::min(wait, policy.longest_wait);
}

bool IsTransientStatus(int status) {
  constexpr std::array kNotNow = {408, 425, 429, 500, 502, 503, 504};
  constexpr int kDatabaseTimeout = 544;  // of Supabase; 520 to 529 are of the CDN in front of it
  return std::ranges::find(kNotNow, status) != kNotNow.end() || status / 10 == 52 ||
         status == kDatabaseTimeout;
}

absl::StatusOr<HttpResponse> SendWithRetry(
    HttpClient& client, const HttpRequest& request, Reason failed_as, const RetryPolicy& policy,
    const CancelToken& cancel, const std::function<bool(const HttpResponse&)>& is_final) {
  for (int attempt = 1;; ++attempt) {
    auto response = client.Send(request, failed_as, cancel);
    const bool final = response.ok()
                           ? (is_final ? is_final(*response) : !IsTransientStatus(response->status))
                           : !IsTransient(response.status());
    if (final || attempt >= policy.attempts) return response;
    const auto asked = response.ok() ? response->retry_after : std::nullopt;
    GLINT_RETURN_IF_ERROR(policy.clock->Wait(WaitBefore(attempt + 1, policy, asked), cancel));
  }
}

}  // namespace glint
