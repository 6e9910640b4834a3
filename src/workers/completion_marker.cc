// SPDX-License-Identifier: Apache-2.0
#include "workers/completion_marker.h"

#include <absl/strings/escaping.h>
#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <nlohmann/json.hpp>

namespace glint {
namespace {

constexpr int kMarkerVersion = 1;

/// Lower-case hexadecimal.
std::string Sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string ToBase64(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

/// The result bytes in a marker, if it is this job's.
std::optional<std::string> ReadCompletionMarker(const std::string& text, const Job& job) {
  const auto marker = nlohmann::json::parse(text, nullptr, false);
  if (!marker.is_object() || marker.value("receipt", nlohmann::json()) != kMarkerVersion ||
      marker.value("scan_id", nlohmann::json()) != job.scan_id ||
      marker.value("request_sha256", nlohmann::json()) != Sha256(job.request)) {
    return std::nullopt;
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
                                         {"request_sha256", Sha256(job.request)},
                                         {"result", ToBase64(result)}};
  return marker.dump() + "\n";
}

absl::StatusOr<std::optional<std::string>> FindCompletedResult(ObjectStore& store,
                                                               std::string_view prefix,
                                                               const Job& job,
                                                               const CancelToken& cancel) {
  const absl::StatusOr<bool> complete = store.Complete(prefix, cancel);
  if (!complete.ok()) return complete.status();
  if (!*complete) return std::nullopt;
  const absl::StatusOr<std::string> text = store.Get(prefix, kCompletionMarkerName, cancel);
  if (absl::IsNotFound(text.status())) return std::nullopt;
  if (!text.ok()) return text.status();
  return ReadCompletionMarker(*text, job);
}

}  // namespace glint
