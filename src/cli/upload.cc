// SPDX-License-Identifier: Apache-2.0
#include "cli/upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status_macros.h"
#include "glint/cancel.h"
#include "glint/error.h"
#include "http/http_client.h"
#include "jobs/failure_reason.h"

namespace glint {
namespace {

constexpr std::size_t kPieceBytes = 8 << 20;  // what is sent again when a connection breaks
constexpr int kTries = 5;
constexpr std::chrono::seconds kPause(1);

/// google.rpc.Status of an answer that is a failure.
absl::Status FailureOf(const HttpResponse& answer) {
  const auto said = nlohmann::json::parse(answer.body, nullptr, false);
  std::string message = fmt::format("the worker's HTTP port answered {}", answer.status);
  std::optional<FailureReason> reason;
  if (said.is_object()) {
    message = said.value("message", message);
    for (const auto& detail : said.value("details", nlohmann::json::array())) {
      if (!reason && detail.is_object()) reason = FailureReasonNamed(detail.value("reason", ""));
    }
  }
  return Error(reason.value_or(ServiceReason::kWorkerUnreachable), message);
}

class Uploader {
 public:
  Uploader(const UploadTarget& target, const std::stop_token& stop)
      : base_url_(target.base_url),
        token_(target.token),
        stop_(stop),
        client_({.ca_file = target.ca.string(),
                 .cert_file = target.cert.string(),
                 .key_file = target.key.string()}) {}

  absl::StatusOr<std::string> Begin(std::int64_t bytes) {
    GLINT_ASSIGN_OR_RETURN(
        const auto answer,
        Call("POST", base_url_ + "/v1/uploads", {{"Upload-Length", fmt::format("{}", bytes)}}, {}));
    if (answer.status != 201) return FailureOf(answer);
    const auto said = nlohmann::json::parse(answer.body, nullptr, false);
    const std::string id = said.is_object() ? said.value("uploadId", "") : "";
    if (id.empty()) return FailureOf(answer);
    url_ = fmt::format("{}/v1/uploads/{}", base_url_, id);
    return said.value("videoUrl", "");
  }

  /// Sends a piece. @return how much has come then. Errors: UNREACHABLE where another try may help
  absl::StatusOr<std::int64_t> Send(std::int64_t offset, std::span<const std::byte> piece) {
    GLINT_ASSIGN_OR_RETURN(const auto answer,
                           Call("PATCH", url_,
                                {{"Upload-Offset", fmt::format("{}", offset)},
                                 {"Content-Type", "application/offset+octet-stream"}},
                                piece));
    if (answer.status != 204) return FailureOf(answer);
    return OffsetOf(answer);
  }

  absl::StatusOr<std::int64_t> Offset() {
    GLINT_ASSIGN_OR_RETURN(const auto answer, Call("HEAD", url_, {}, {}));
    if (answer.status != 200) return FailureOf(answer);
    return OffsetOf(answer);
  }

 private:
  absl::StatusOr<HttpResponse> Call(const std::string& method, const std::string& url,
                                    std::vector<HttpHeader> headers,
                                    std::span<const std::byte> body) {
    GLINT_ASSIGN_OR_RETURN(auto parsed, Url::Parse(url));
    headers.push_back({"Tus-Resumable", "1.0.0"});
    if (!token_.empty()) headers.push_back({"Authorization", "Bearer " + token_});
    return client_.Send(
        {.method = method, .url = std::move(parsed), .headers = std::move(headers), .body = body},
        Reason::kDownloadFailed, CancelToken(stop_));
  }

  static absl::StatusOr<std::int64_t> OffsetOf(const HttpResponse& answer) {
    const std::string_view text = answer.Header("Upload-Offset");
    std::int64_t offset = -1;
    std::from_chars(text.data(), text.data() + text.size(), offset);
    if (offset < 0) return FailureOf(answer);
    return offset;
  }

  const std::string base_url_, token_;
  const std::stop_token stop_;
  HttpClient client_;
  std::string url_;
};

/// Whether an upload may go on after this.
bool MayGoOn(const absl::Status& status) {
  return IsTransient(status) || FailureReasonOf(status) == ServiceReason::kWorkerUnreachable;
}

}  // namespace

absl::StatusOr<std::string> UploadVideo(const UploadTarget& target,
                                        const std::filesystem::path& video,
                                        const std::function<void(double)>& progress,
                                        const std::stop_token& stop) {
  std::error_code error;
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(video, error));
  std::ifstream file(video, std::ios::binary);
  if (error || !file) {
    return Error(Reason::kInputUnreadable, fmt::format("'{}' cannot be read", video.string()));
  }
  Uploader uploader(target, stop);
  GLINT_ASSIGN_OR_RETURN(auto address, uploader.Begin(bytes));
  std::vector<char> piece(static_cast<std::size_t>(
      std::min<std::int64_t>(bytes, static_cast<std::int64_t>(kPieceBytes))));
  int tries = 0;
  for (std::int64_t offset = 0; offset < bytes;) {
    progress(static_cast<double>(offset) / static_cast<double>(bytes));
    file.clear();
    file.seekg(offset);
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto read = static_cast<std::size_t>(file.gcount());
    if (read == 0) {
      return Error(Reason::kInputUnreadable, fmt::format("'{}' became shorter", video.string()));
    }
    auto sent = uploader.Send(offset, std::as_bytes(std::span(piece.data(), read)));
    if (!sent.ok() && MayGoOn(sent.status()) && ++tries < kTries) {
      if (!RealClock().Sleep(kPause, stop)) return Error(Reason::kCancelled, "interrupted");
      if (auto known = uploader.Offset(); known.ok()) sent = known;
      if (!sent.ok()) continue;
    } else if (sent.ok()) {
      tries = 0;
    }
    if (!sent.ok()) return sent.status();
    offset = *sent;
  }
  return address;
}

}  // namespace glint
