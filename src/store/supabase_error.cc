// SPDX-License-Identifier: Apache-2.0
#include "store/supabase_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "glint/error.h"
#include "http/retry.h"
#include "store/store_http.h"

namespace glint {
namespace {

std::string Text(const nlohmann::json& object, const char* name) {
  const auto field = object.find(name);
  return field != object.end() && field->is_string() ? Quoted(field->get<std::string>()) : "";
}

int Status(const nlohmann::json& object, int http_status) {
  const auto field = object.find("statusCode");
  if (field == object.end()) return http_status;
  if (field->is_number_integer()) return field->get<int>();
  const std::string digits = Text(object, "statusCode");
  int status = http_status;
  std::from_chars(digits.data(), digits.data() + digits.size(), status);
  return status;
}

bool IsMissingBucket(const SupabaseError& error) {
  return error.code == "NoSuchBucket" || error.code == "Bucket not found" ||
         error.message == "Bucket not found";
}

/// Whether the server (or the gateway before it) knows nothing at this path.
bool IsWrongPath(const SupabaseError& error) {
  return error.status == 404 &&
         (error.message.starts_with("Route ") || error.message.starts_with("no Route matched"));
}

constexpr std::string_view kCheckKey =
    "check the key; it must be a secret (service role) key or have rights to the bucket";

std::string_view Advice(const SupabaseError& error) {
  if (IsMissingBucket(error)) return "create the bucket or correct its name";
  if (IsWrongPath(error)) {
    return "there is no storage service at this path; set SUPABASE_URL to the project's URL, or "
           "--store-endpoint to the whole path of the service";
  }
  switch (error.status) {
    case 401:
    case 403:
      return kCheckKey;
    case 413:
      return "raise the bucket's limit on the size of files";
    case 415:
      return "allow the type in the bucket's list of MIME types";
    default:
      return "check the store";
  }
}

}  // namespace

SupabaseError SupabaseErrorOf(const HttpResponse& response) {
  SupabaseError error{response.status, "", ""};
  const auto body = nlohmann::json::parse(response.body, nullptr, false);
  if (!body.is_object()) return error;
  error.status = Status(body, response.status);
  error.code = Text(body, "code");
  if (error.code.empty()) error.code = Text(body, "error");
  error.message = Text(body, "message");
  return error;
}

bool IsTransientSupabase(const HttpResponse& response) {
  if (response.status / 100 == 2) return false;
  const int status = SupabaseErrorOf(response).status;
  return IsTransientStatus(response.status) || IsTransientStatus(status) || status == 423;
}

bool IsMissingObject(const HttpResponse& response) {
  if (response.status / 100 == 2) return false;
  const SupabaseError error = SupabaseErrorOf(response);
  return error.status == 404 && !IsMissingBucket(error) && !IsWrongPath(error);
}

bool IsAboutAuthorization(const HttpResponse& response) {
  if (response.status != 400 && response.status != 401 && response.status != 403) return false;
  constexpr std::array kWords = {"authorization", "JWS", "JWT", "jwt"};
  const std::string message = SupabaseErrorOf(response).message;
  return std::ranges::any_of(
      kWords, [&](const char* word) { return message.find(word) != std::string::npos; });
}

absl::Status SupabaseFailure(const HttpResponse& response, std::string_view what) {
  const SupabaseError error = SupabaseErrorOf(response);
  const bool denied = error.status == 401 || error.status == 403 || IsMissingBucket(error) ||
                      IsWrongPath(error) || IsAboutAuthorization(response);
  const Reason reason = denied                          ? Reason::kStoreDenied
                        : IsTransientSupabase(response) ? Reason::kStoreUnavailable
                                                        : Reason::kOutputUnwritable;
  return Error(reason, fmt::format("{}: HTTP {}{}{}; {}", what, error.status,
                                   error.code.empty() ? "" : " " + error.code,
                                   error.message.empty() ? "" : " (" + error.message + ")",
                                   IsAboutAuthorization(response) ? kCheckKey : Advice(error)));
}

}  // namespace glint
