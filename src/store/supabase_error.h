// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>

#include "http/http_client.h"

namespace glint {

/// What Supabase Storage says about a failure. Two shapes exist: {"statusCode": "404", "error",
/// "message", "code"} behind HTTP 400, and {"code", "message"} behind the true status.
struct SupabaseError {
  int status = 0;    ///< the true one: the body's where it has one
  std::string code;  ///< "NoSuchKey"; the older "error" ("not_found") where there is no code
  std::string message;
};

SupabaseError SupabaseErrorOf(const HttpResponse& response);

/// Whether another attempt may help.
bool IsTransientSupabase(const HttpResponse& response);
/// Whether an object is missing (and not its bucket).
bool IsMissingObject(const HttpResponse& response);
/// Whether the form in which the key was sent may be what is refused.
bool IsAboutAuthorization(const HttpResponse& response);

/// The status of a failed request. @param what  what failed
absl::Status SupabaseFailure(const HttpResponse& response, std::string_view what);

}  // namespace glint
