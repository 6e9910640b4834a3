// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>

#include "http/http_client.h"

namespace glint {

/// What an S3 server says about a failure.
struct S3Error {
  std::string code;  ///< "NoSuchKey"; empty when the body says none (HEAD has no body)
  std::string message;
};

S3Error S3ErrorOf(const HttpResponse& response);

/// Whether a failure hides behind HTTP 200, as copying and deleting several objects may answer.
bool IsHiddenS3Error(const HttpResponse& response);

/// Whether the failure may pass: by its status, or by the code that hides behind HTTP 200.
bool IsTransientS3(const HttpResponse& response);

/// The status of a failed request: STORE_UNAVAILABLE where it may pass, STORE_DENIED for
/// credentials and bucket, DISK_FULL for a store that is full, else OUTPUT_UNWRITABLE. @param what
/// what failed, e.g. "cannot write s3://b/k"
absl::Status S3Failure(const HttpResponse& response, std::string_view what);

}  // namespace glint
