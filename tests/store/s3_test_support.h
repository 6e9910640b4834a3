// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

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

/// Makes a bucket on the server; it may be there already.
inline void MakeBucketOn(const S3Server& server, const std::string& bucket) {
  HttpClient client({});
  const S3Signer signer(CredentialsOf(server), "us-east-1");
  HttpRequest request;
  request.method = "PUT";
  request.url = Url::Parse(server.endpoint() + "/" + bucket).value();
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  request.headers =
      signer.Sign({.method = "PUT",
                   .host = request.url.Authority(),
                   .path = "/" + bucket,
                   .query = {},
                   .headers = {}},
                  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", now);
  static_cast<void>(client.Send(request, Reason::kOutputUnwritable, CancelToken()));
}

}  // namespace glint
