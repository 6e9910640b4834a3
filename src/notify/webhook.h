// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <string_view>

#include "http/retry.h"
#include "notify/notifier.h"

namespace glint {

struct WebhookOptions {
  std::string url;      ///< http or https; the operator's, so private addresses are fine
  std::string secret;   ///< signs each notification; at least 16 bytes
  std::string ca_file;  ///< PEM to trust instead of the system's certificates
  RetryPolicy retry;
};

/// POSTs each notification as JSON {scan_id, seq, state, final, step, fraction, message, reason,
/// time}. Any status 2xx means delivered; 408, 425, 429 and 5xx are tried again. Headers:
///   X-Glint-Timestamp: seconds since 1970
///   X-Glint-Delivery: <scan_id>:<seq>, the same in each repetition
///   X-Glint-Signature: v1=<hex of HMAC-SHA-256(secret, "<timestamp>.<delivery>.<body>")>
/// A receiver computes the signature over the raw body, compares in constant time, refuses
/// timestamps that are off by more than five minutes and deliveries that it has seen: nothing can
/// be replayed. Errors: INVALID_OPTION
absl::StatusOr<std::unique_ptr<NotificationTarget>> MakeWebhook(WebhookOptions options);

/// "v1=..." as above.
std::string WebhookSignature(std::string_view secret, std::string_view timestamp,
                             std::string_view delivery, std::string_view body);

}  // namespace glint
