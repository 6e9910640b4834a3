// SPDX-License-Identifier: Apache-2.0
#include "notify/postgrest_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/status_macros.h"
#include "glint/error.h"
#include "http/http_client.h"
#include "notify/notification_http.h"

namespace glint {
namespace {

std::string RowOf(const ScanNotification& notification) {
  const bool failed = notification.state == "failed" || notification.state == "cancelled";
  const std::string time = TimeText(notification.time);
  const double percent = std::floor(std::clamp(notification.fraction, 0.0, 1.0) * 100);
  const nlohmann::ordered_json body = {
      {"progress_percentage", static_cast<int>(percent)},
      {"progress_message", notification.message},
      {"progress_step", failed ? notification.state : std::string(Name(notification.step))},
      {"progress_updated_at", time},
      {"updated_at", time}};
  return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The failure, with what PostgREST says of it: {"code", "message", "details", "hint"}.
absl::Status WithPostgrestError(const absl::Status& failure, const std::string& body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) return failure;
  std::string said;
  for (const char* name : {"code", "message", "hint"}) {
    const auto field = json.find(name);
    if (field == json.end() || !field->is_string()) continue;
    constexpr std::size_t kMax = 200;
    said += (said.empty() ? "" : ", ") + field->get<std::string>().substr(0, kMax);
  }
  if (said.empty()) return failure;
  return Error(Reason::kOutputUnwritable, fmt::format("{}: {}", Message(failure), said));
}

class PostgrestRow final : public NotificationTarget {
 public:
  PostgrestRow(PostgrestOptions options, const Url& url)
      : options_(std::move(options)), base_(url.text()), client_({.ca_file = options_.ca_file}) {
    while (base_.ends_with('/')) base_.pop_back();
  }

  std::string name() const override { return "row"; }

  absl::Status Deliver(const ScanNotification& notification, const CancelToken& cancel) override {
    GLINT_ASSIGN_OR_RETURN(const auto url,
                           Url::Parse(fmt::format("{}/{}?id=eq.{}&select=id", base_,
                                                  PercentEncoded(options_.table, false),
                                                  PercentEncoded(notification.scan_id, false))));
    const std::string body = RowOf(notification);
    HttpRequest request = NotificationRequest("PATCH", url, body);
    request.headers = {{"Content-Type", "application/json"},
                       {"Prefer", "return=representation"},  // shows whether there was a row
                       {"apikey", options_.key}};
    if (!options_.key.starts_with("sb_")) {
      request.headers.push_back({"Authorization", "Bearer " + options_.key});
    }
    if (!options_.schema.empty()) request.headers.push_back({"Content-Profile", options_.schema});
    const auto response =
        SendWithRetry(client_, request, Reason::kOutputUnwritable, options_.retry, cancel);
    if (const absl::Status delivered = CheckDelivered(response, url); !delivered.ok()) {
      return response.ok() ? WithPostgrestError(delivered, response->body) : delivered;
    }
    const auto rows = nlohmann::json::parse(response->body, nullptr, false);
    if (rows.is_array() && !rows.empty()) return absl::OkStatus();
    return Error(Reason::kOutputUnwritable,
                 fmt::format("no row of {} has the id '{}', or the key may not change it",
                             options_.table, notification.scan_id));
  }

 private:
  const PostgrestOptions options_;
  std::string base_;
  HttpClient client_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<NotificationTarget>> MakePostgrestRow(PostgrestOptions options) {
  if (options.key.empty() || options.table.empty()) {
    return Error(Reason::kInvalidOption, "progress rows need a key and a table");
  }
  GLINT_ASSIGN_OR_RETURN(const auto url, ParseTargetUrl(options.url, "progress table"));
  return std::make_unique<PostgrestRow>(std::move(options), url);
}

}  // namespace glint
