// SPDX-License-Identifier: Apache-2.0
#include "workers/completion_marker.h"

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/status_macros.h"
#include "http/digest.h"

namespace glint {
namespace {

constexpr int kMarkerVersion = 1;

std::string ToBase64(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

/// The result bytes in a marker, if it is this job's. Errors: SCAN_CONFLICT
absl::StatusOr<std::optional<std::string>> ReadCompletionMarker(const std::string& text,
                                                                const Job& job) {
  const auto marker = nlohmann::json::parse(text, nullptr, false);
  if (!marker.is_object() || marker.value("receipt", nlohmann::json()) != kMarkerVersion ||
      marker.value("scan_id", nlohmann::json()) != job.scan_id) {
    return std::nullopt;
  }
  if (marker.value("request_sha256", nlohmann::json()) != Sha256Hex(job.request)) {
    return Error(ServiceReason::kScanConflict,
                 fmt::format("a result of another request with the id '{}' is published; choose "
                             "another id, or remove that result",
                             job.scan_id));
  }
  const auto result = marker.find("result");
  std::string bytes;
  if (result == marker.end() || !result->is_string() ||
      !absl::Base64Unescape(result->get<std::string>(), &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace

std::string MakeCompletionMarker(const Job& job, std::string_view result) {
  const nlohmann::ordered_json marker = {{"receipt", kMarkerVersion},
                                         {"scan_id", job.scan_id},
                                         {"request_sha256", Sha256Hex(job.request)},
                                         {"result", ToBase64(result)}};
  return marker.dump() + "\n";
}

absl::StatusOr<std::optional<std::string>> FindCompletedResult(ObjectStore& store,
                                                               std::string_view prefix,
                                                               const Job& job,
                                                               const CancelToken& cancel) {
  GLINT_ASSIGN_OR_RETURN(const bool complete, store.Complete(prefix, cancel));
  if (!complete) return std::nullopt;
  const absl::StatusOr<std::string> text = store.Get(prefix, kCompletionMarkerName, cancel);
  if (absl::IsNotFound(text.status())) return std::nullopt;
  if (!text.ok()) return text.status();
  return ReadCompletionMarker(*text, job);
}

}  // namespace glint
