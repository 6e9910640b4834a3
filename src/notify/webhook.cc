// SPDX-License-Identifier: Apache-2.0
#include "notify/webhook.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/status_macros.h"
#include "glint/error.h"
#include "http/digest.h"
#include "http/http_client.h"
#include "notify/notification_http.h"

namespace glint {
namespace {

std::string BodyOf(const ScanNotification& notification) {
  const nlohmann::ordered_json body = {
      {"scan_id", notification.scan_id},    {"seq", notification.seq},
      {"state", notification.state},        {"final", notification.final},
      {"step", Name(notification.step)},    {"fraction", notification.fraction},
      {"message", notification.message},    {"reason", notification.reason},
      {"time", TimeText(notification.time)}};
  return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class Webhook final : public NotificationTarget {
 public:
  Webhook(WebhookOptions options, Url url)
      : options_(std::move(options)),
        url_(std::move(url)),
        client_({.ca_file = options_.ca_file}) {}

  std::string name() const override { return "webhook"; }

  absl::Status Deliver(const ScanNotification& notification, const CancelToken& cancel) override {
    const std::string body = BodyOf(notification);
    const std::string delivery = fmt::format("{}:{}", notification.scan_id, notification.seq);
    const std::string timestamp =
        fmt::format("{}", std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
    HttpRequest request = NotificationRequest("POST", url_, body);
    request.headers = {
        {"Content-Type", "application/json"},
        {"X-Glint-Timestamp", timestamp},
        {"X-Glint-Delivery", delivery},
        {"X-Glint-Signature", WebhookSignature(options_.secret, timestamp, delivery, body)}};
    if (!notification.trace.empty()) {
      request.headers.push_back({"traceparent", notification.trace});
    }
    return CheckDelivered(
        SendWithRetry(client_, request, Reason::kOutputUnwritable, options_.retry, cancel), url_);
  }

 private:
  const WebhookOptions options_;
  const Url url_;
  HttpClient client_;
};

}  // namespace

std::string WebhookSignature(std::string_view secret, std::string_view timestamp,
                             std::string_view delivery, std::string_view body) {
  return "v1=" + Hex(HmacSha256(secret, fmt::format("{}.{}.{}", timestamp, delivery, body)));
}

absl::StatusOr<std::unique_ptr<NotificationTarget>> MakeWebhook(WebhookOptions options) {
  constexpr std::size_t kShortest = 16;
  if (options.secret.size() < kShortest) {
    return Error(
        Reason::kInvalidOption,
        "the webhook's secret is shorter than 16 bytes; make one with: openssl rand -hex 32");
  }
  GLINT_ASSIGN_OR_RETURN(auto url, ParseTargetUrl(options.url, "webhook"));
  return std::make_unique<Webhook>(std::move(options), std::move(url));
}

}  // namespace glint
