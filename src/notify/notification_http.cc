// SPDX-License-Identifier: Apache-2.0
#include "notify/notification_http.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "glint/error.h"

namespace glint {

std::string TimeText(std::chrono::sys_time<std::chrono::milliseconds> time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(second)),
                     (time - second).count());
}

HttpRequest NotificationRequest(std::string method, const Url& url, std::string_view body) {
  HttpRequest request;
  request.method = std::move(method);
  request.url = url;
  request.body = std::as_bytes(std::span(body.data(), body.size()));
  request.timeout = std::chrono::seconds(10);
  return request;
}

absl::StatusOr<Url> ParseTargetUrl(const std::string& text, std::string_view target) {
  auto url = Url::Parse(text);
  const bool web = url.ok() && (url->scheme() == "http" || url->scheme() == "https");
  if (web) return url;
  return Error(Reason::kInvalidOption,
               fmt::format("the {}'s address is no http or https URL", target));
}

absl::Status CheckDelivered(const absl::StatusOr<HttpResponse>& response, const Url& url) {
  if (!response.ok()) return response.status();
  if (response->status / 100 == 2) return absl::OkStatus();
  return Error(Reason::kOutputUnwritable,
               fmt::format("{} answers with HTTP {}", url.Shown(), response->status));
}

}  // namespace glint
