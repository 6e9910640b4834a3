// SPDX-License-Identifier: Apache-2.0
#include "store/s3_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "glint/error.h"
#include "http/retry.h"
#include "store/store_http.h"
#include "store/xml_text.h"

namespace glint {
namespace {

std::string TextOf(const HttpResponse& response, std::string_view name) {
  return Quoted(XmlUnescaped(std::string(XmlElement(response.body, name))));
}

std::string_view Advice(int status, const S3Error& error) {
  if (error.code == "RequestTimeTooSkewed") return "set this machine's clock";
  if (error.code == "NoSuchBucket") return "create the bucket or correct its name";
  if (status == 301 || status == 307 || error.code == "AuthorizationHeaderMalformed") {
    return "the bucket is in another region: set the region";
  }
  if (status == 401 || status == 403 || error.code == "AccessDenied") {
    return "check the access key, the secret and the rights to list the bucket, and to get, put "
           "and delete objects";
  }
  return "check the store";
}

}  // namespace

S3Error S3ErrorOf(const HttpResponse& response) {
  return {TextOf(response, "Code"), TextOf(response, "Message")};
}

bool IsHiddenS3Error(const HttpResponse& response) {
  return response.status == 200 &&
         response.Header("Content-Type").find("xml") != std::string::npos &&
         response.body.find("<Error>") != std::string::npos;
}

bool IsTransientS3(const HttpResponse& response) {
  if (IsTransientStatus(response.status) && S3ErrorOf(response).code != "QuotaExceeded")
    return true;
  if (!IsHiddenS3Error(response)) return false;
  constexpr std::array kNotNow = {"InternalError", "SlowDown", "ServiceUnavailable",
                                  "OperationAborted", "RequestTimeout"};
  const std::string code = S3ErrorOf(response).code;
  return std::ranges::find(kNotNow, code) != kNotNow.end();
}

absl::Status S3Failure(const HttpResponse& response, std::string_view what) {
  const S3Error error = S3ErrorOf(response);
  const int status = response.status;
  const bool full = error.code == "QuotaExceeded" || status == 507;
  // Deleting several objects answers 200 and a refusal for each.
  const bool denied = status == 401 || status == 403 || status == 301 || status == 307 ||
                      error.code == "AccessDenied" || error.code == "NoSuchBucket" ||
                      error.code == "AuthorizationHeaderMalformed";
  const Reason reason = full                      ? Reason::kDiskFull
                        : denied                  ? Reason::kStoreDenied
                        : IsTransientS3(response) ? Reason::kStoreUnavailable
                                                  : Reason::kOutputUnwritable;
  return Error(reason, fmt::format("{}: HTTP {}{}{}; {}", what, status,
                                   error.code.empty() ? "" : " " + error.code,
                                   error.message.empty() ? "" : " (" + error.message + ")",
                                   full ? "the store is full" : Advice(status, error)));
}

}  // namespace glint
