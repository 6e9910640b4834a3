// SPDX-License-Identifier: Apache-2.0
// What the targets that speak HTTP have in common.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "http/http_client.h"
#include "notify/notifier.h"

namespace glint {

/// "2026-11-20T22:15:01.250Z"
std::string TimeText(std::chrono::sys_time<std::chrono::milliseconds> time);

/// A request with a body and the limits of a notification. @param body  must outlive it
HttpRequest NotificationRequest(std::string method, const Url& url, std::string_view body);

/// The URL of a target. Errors: INVALID_OPTION naming the target
absl::StatusOr<Url> ParseTargetUrl(const std::string& text, std::string_view target);

/// OK for any status 2xx.
absl::Status CheckDelivered(const absl::StatusOr<HttpResponse>& response, const Url& url);

}  // namespace glint
