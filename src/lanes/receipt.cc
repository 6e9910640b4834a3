// SPDX-License-Identifier: Apache-2.0
#include "lanes/receipt.h"

#include <absl/strings/escaping.h>
#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <nlohmann/json.hpp>

namespace glint {
namespace {

constexpr int kReceiptVersion = 1;

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

/// The result bytes in a receipt, if it is this job's.
std::optional<std::string> ReadReceipt(const std::string& text, const Job& job) {
  const auto receipt = nlohmann::json::parse(text, nullptr, false);
  if (!receipt.is_object() || receipt.value("receipt", nlohmann::json()) != kReceiptVersion ||
      receipt.value("scan_id", nlohmann::json()) != job.scan_id ||
      receipt.value("request_sha256", nlohmann::json()) != Sha256(job.request)) {
    return std::nullopt;
  }
  const auto result = receipt.find("result");
  std::string bytes;
  if (result == receipt.end() || !result->is_string() ||
      !absl::Base64Unescape(result->get<std::string>(), &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace

std::string MakeReceipt(const Job& job, std::string_view result) {
  const nlohmann::ordered_json receipt = {{"receipt", kReceiptVersion},
                                          {"scan_id", job.scan_id},
                                          {"request_sha256", Sha256(job.request)},
                                          {"result", ToBase64(result)}};
  return receipt.dump() + "\n";
}

absl::StatusOr<std::optional<std::string>> TakeResult(ObjectStore& store, std::string_view prefix,
                                                      const Job& job, const CancelToken& cancel) {
  const absl::StatusOr<bool> complete = store.Complete(prefix, cancel);
  if (!complete.ok()) return complete.status();
  if (!*complete) return std::nullopt;
  const absl::StatusOr<std::string> text = store.Get(prefix, kReceiptName, cancel);
  if (absl::IsNotFound(text.status())) return std::nullopt;
  if (!text.ok()) return text.status();
  return ReadReceipt(*text, job);
}

}  // namespace glint
