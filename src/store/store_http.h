// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "base/status_macros.h"
#include "glint/error.h"
#include "http/http_client.h"
#include "http/retry.h"

namespace glint {

/// A request to an object store, with the limits that all of them have.
inline HttpRequest StoreRequest(std::string method, Url url, std::span<const std::byte> body) {
  HttpRequest request;
  request.method = std::move(method);
  request.url = std::move(url);
  request.body = body;
  request.max_body_bytes = std::size_t{256} << 20;  // of an object that is read back
  request.timeout = std::chrono::seconds(150);  // five attempts: within a signature's 15 minutes
  return request;
}

/// The status of a request to a store that had no answer. STORE_UNAVAILABLE, which `failed_as` is,
/// is only for what may pass: a certificate that is not trusted does not.
inline absl::Status NoAnswer(std::string_view what, const absl::Status& failure) {
  const bool passes = ReasonOf(failure) != Reason::kStoreUnavailable || IsTransient(failure);
  return In(what, passes ? failure : Error(Reason::kOutputUnwritable, Message(failure)));
}

/// Whether clients, who have no credentials, get an object by its URL. @param object  for messages
inline absl::Status OpensForEverybody(HttpClient& client, const std::string& url,
                                      const RetryPolicy& retry, const std::string& object,
                                      const CancelToken& cancel) {
  GLINT_ASSIGN_OR_RETURN(auto address, Url::Parse(url));
  const HttpRequest request = StoreRequest("GET", std::move(address), {});
  const auto response = SendWithRetry(client, request, Reason::kStoreUnavailable, retry, cancel);
  if (!response.ok()) return NoAnswer(object, response.status());
  if (response->status / 100 == 2) return absl::OkStatus();
  return Error(
      Reason::kStoreDenied,
      fmt::format("{}: clients do not get it by its URL (HTTP {}); make the bucket public, "
                  "or give out signed URLs (--store-urls signed)",
                  object, response->status));
}

/// What a server says about a failure, fit for a message: one line of at most 200 bytes.
inline std::string Quoted(std::string_view text) {
  constexpr std::size_t kMax = 200;
  std::string line(text.substr(0, kMax));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return line;
}

}  // namespace glint
