// SPDX-License-Identifier: Apache-2.0
#include "store/sigv4.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "http/digest.h"
#include "http/url.h"

namespace glint {
namespace {

std::string Stamp(S3Signer::Time now) {
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

std::string Day(S3Signer::Time now) { return Stamp(now).substr(0, 8); }

std::string SignedHeaders(const S3Request& request) {
  std::string names;
  for (const auto& [name, value] : request.headers) names += (names.empty() ? "" : ";") + name;
  return names;
}

}  // namespace

std::string S3Query(const std::map<std::string, std::string>& query) {
  std::string text;
  for (const auto& [name, value] : query) {
    text += fmt::format("{}{}={}", text.empty() ? "" : "&", PercentEncoded(name, false),
                        PercentEncoded(value, false));
  }
  return text;
}

std::string S3Signer::Scope(Time now) const {
  return fmt::format("{}/{}/s3/aws4_request", Day(now), region_);
}

std::string S3Signer::Signature(const S3Request& request, const std::string& payload_hash,
                                Time now) const {
  std::string canonical =
      fmt::format("{}\n{}\n{}\n", request.method, request.path, S3Query(request.query));
  for (const auto& [name, value] : request.headers)
    canonical += fmt::format("{}:{}\n", name, value);
  canonical += fmt::format("\n{}\n{}", SignedHeaders(request), payload_hash);
  const std::string to_sign = fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", Stamp(now), Scope(now),
                                          Sha256Hex(std::string_view(canonical)));
  const std::string day = HmacSha256("AWS4" + credentials_.secret_key, Day(now));
  const std::string key = HmacSha256(HmacSha256(HmacSha256(day, region_), "s3"), "aws4_request");
  return Hex(HmacSha256(key, to_sign));
}

std::vector<HttpHeader> S3Signer::Sign(S3Request request, const std::string& payload_hash,
                                       Time now) const {
  request.headers["x-amz-date"] = Stamp(now);
  request.headers["x-amz-content-sha256"] = payload_hash;
  if (!credentials_.session_token.empty()) {
    request.headers["x-amz-security-token"] = credentials_.session_token;
  }
  std::vector<HttpHeader> headers;
  for (const auto& [name, value] : request.headers) headers.push_back({name, value});
  request.headers["host"] = request.host;  // libcurl sends it by itself
  headers.push_back(
      {"Authorization",
       fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}",
                   credentials_.access_key, Scope(now), SignedHeaders(request),
                   Signature(request, payload_hash, now))});
  return headers;
}

std::string S3Signer::PresignedQuery(S3Request request, std::chrono::seconds life, Time now) const {
  request.headers = {{"host", request.host}};
  request.query["X-Amz-Algorithm"] = "AWS4-HMAC-SHA256";
  request.query["X-Amz-Credential"] = fmt::format("{}/{}", credentials_.access_key, Scope(now));
  request.query["X-Amz-Date"] = Stamp(now);
  request.query["X-Amz-Expires"] = std::to_string(life.count());
  request.query["X-Amz-SignedHeaders"] = "host";
  if (!credentials_.session_token.empty()) {
    request.query["X-Amz-Security-Token"] = credentials_.session_token;
  }
  return fmt::format("{}&X-Amz-Signature={}", S3Query(request.query),
                     Signature(request, "UNSIGNED-PAYLOAD", now));
}

}  // namespace glint
