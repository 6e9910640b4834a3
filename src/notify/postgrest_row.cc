// SPDX-License-Identifier: Apache-2.0
#include "notify/postgrest_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "glint/error.h"
#include "http/http_client.h"
#include "notify/notice_text.h"

namespace glint {
namespace {

std::string RowOf(const ScanNotice& notice) {
  const bool failed = notice.state == "failed" || notice.state == "cancelled";
  const std::string time = TimeText(notice.time);
  const double percent = std::floor(std::clamp(notice.fraction, 0.0, 1.0) * 100);
  const nlohmann::ordered_json body = {
      {"progress_percentage", static_cast<int>(percent)},
      {"progress_message", notice.message},
      {"progress_step", failed ? notice.state : std::string(Name(notice.step))},
      {"progress_updated_at", time},
      {"updated_at", time}};
  return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class PostgrestRow final : public NoticeTarget {
 public:
  PostgrestRow(PostgrestOptions options, const Url& url)
      : options_(std::move(options)), base_(url.text()), client_({.ca_file = options_.ca_file}) {
    while (base_.ends_with('/')) base_.pop_back();
  }

  std::string name() const override { return "row"; }

  absl::Status Deliver(const ScanNotice& notice, const CancelToken& cancel) override {
    const auto url = Url::Parse(fmt::format("{}/{}?id=eq.{}&select=id", base_,
                                            PercentEncoded(options_.table, false),
                                            PercentEncoded(notice.scan_id, false)));
    if (!url.ok()) return url.status();
    const std::string body = RowOf(notice);
    HttpRequest request = NoticeRequest("PATCH", *url, body);
    request.headers = {{"Content-Type", "application/json"},
                       {"Prefer", "return=representation"},  // shows whether there was a row
                       {"apikey", options_.key}};
    if (!options_.key.starts_with("sb_")) {
      request.headers.push_back({"Authorization", "Bearer " + options_.key});
    }
    const auto response =
        SendWithRetry(client_, request, Reason::kOutputUnwritable, options_.retry, cancel);
    if (absl::Status told = Delivered(response, *url); !told.ok()) return told;
    const auto rows = nlohmann::json::parse(response->body, nullptr, false);
    if (rows.is_array() && !rows.empty()) return absl::OkStatus();
    return Error(Reason::kOutputUnwritable,
                 fmt::format("no row of {} has the id '{}', or the key may not change it",
                             options_.table, notice.scan_id));
  }

 private:
  const PostgrestOptions options_;
  std::string base_;
  HttpClient client_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<NoticeTarget>> MakePostgrestRow(PostgrestOptions options) {
  if (options.key.empty() || options.table.empty()) {
    return Error(Reason::kInvalidOption, "progress rows need a key and a table");
  }
  const auto url = NoticeUrl(options.url, "progress table");
  if (!url.ok()) return url.status();
  return std::make_unique<PostgrestRow>(std::move(options), *url);
}

}  // namespace glint
