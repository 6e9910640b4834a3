// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "http/http_client.h"

namespace glint {

struct S3Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  ///< of temporary credentials; may be empty
};

/// A request as it is signed.
struct S3Request {
  std::string method;
  std::string host;                            ///< with the port where the URL has one
  std::string path;                            ///< as sent: percent-encoded once
  std::map<std::string, std::string> query;    ///< not encoded
  std::map<std::string, std::string> headers;  ///< to be signed; names in lower case
};

/// "a=1&b=%2F": sorted and encoded as AWS signs it.
std::string S3Query(const std::map<std::string, std::string>& query);

/// AWS Signature Version 4 for the service "s3" (docs.aws.amazon.com, "Authenticating Requests (AWS
/// Signature Version 4)"). Our own, because libcurl's leaves headers and queries as they are given
/// and knows no presigned URLs.
class S3Signer {
 public:
  using Time = std::chrono::sys_seconds;
  S3Signer(S3Credentials credentials, std::string region)
      : credentials_(std::move(credentials)), region_(std::move(region)) {}

  /// The headers to send: those of the request and what the signature needs.
  /// @param payload_hash  SHA-256 of the body in hex
  std::vector<HttpHeader> Sign(S3Request request, const std::string& payload_hash, Time now) const;

  /// The query of a URL that anybody may use for `life` (at most seven days).
  std::string PresignedQuery(S3Request request, std::chrono::seconds life, Time now) const;

 private:
  std::string Scope(Time now) const;
  std::string Signature(const S3Request& request, const std::string& payload_hash, Time now) const;

  const S3Credentials credentials_;
  const std::string region_;
};

}  // namespace glint
