// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "http/digest.h"
#include "http/http_client.h"
#include "store/s3_bucket.h"
#include "support/fake_clock.h"
#include "support/real_servers.h"

namespace glint {

/// Options for a server of a test: a bucket, repetitions that need not be waited for.
inline S3Options TestS3Options(const std::string& endpoint, const S3Credentials& credentials) {
  S3Options options;
  options.endpoint = Url::Parse(endpoint).value();
  options.bucket = "glint-test";
  options.region = "us-east-1";
  options.credentials = credentials;
  static FakeClock clock;
  options.retry = {.attempts = 3, .clock = &clock};
  return options;
}

inline S3Credentials CredentialsOf(const S3Server& server) {
  return {server.environment().at("AWS_ACCESS_KEY_ID"),
          server.environment().at("AWS_SECRET_ACCESS_KEY"), ""};
}

/// Sends a signed request to the server. @param path  "/bucket/key", nothing to be encoded in it
inline HttpResponse AskS3(const S3Server& server, const std::string& method,
                          const std::string& path,
                          const std::map<std::string, std::string>& query = {},
                          std::string_view body = "") {
  HttpClient client({});
  const S3Signer signer(CredentialsOf(server), "us-east-1");
  HttpRequest request;
  request.method = method;
  request.url =
      Url::Parse(server.endpoint() + path + (query.empty() ? "" : "?" + S3Query(query))).value();
  request.body = std::as_bytes(std::span(body.data(), body.size()));
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  request.headers = signer.Sign({.method = method,
                                 .host = request.url.Authority(),
                                 .path = path,
                                 .query = query,
                                 .headers = {}},
                                Sha256Hex(body), now);
  auto response = client.Send(request, Reason::kOutputUnwritable, CancelToken());
  return response.ok() ? *std::move(response) : HttpResponse();
}

/// Makes a bucket on the server; it may be there already.
inline void MakeBucketOn(const S3Server& server, const std::string& bucket) {
  AskS3(server, "PUT", "/" + bucket);
}

}  // namespace glint
