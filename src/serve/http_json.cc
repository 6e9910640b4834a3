// SPDX-License-Identifier: Apache-2.0
#include "serve/http_json.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/failure.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace glint {
namespace {

namespace util = google::protobuf::util;

/// google.rpc.Code of what HTTP itself refuses.
int CodeOf(int http_status) {
  switch (http_status) {
    case 403:
      return static_cast<int>(absl::StatusCode::kPermissionDenied);
    case 404:
      return static_cast<int>(absl::StatusCode::kNotFound);
    case 405:
      return static_cast<int>(absl::StatusCode::kUnimplemented);
    case 409:
    case 423:
      return static_cast<int>(absl::StatusCode::kAborted);
    case 413:
      return static_cast<int>(absl::StatusCode::kResourceExhausted);
    case 503:
      return static_cast<int>(absl::StatusCode::kUnavailable);
    default:
      return static_cast<int>(absl::StatusCode::kInvalidArgument);
  }
}

WebAnswer JsonAnswer(int status, const google::protobuf::Message& message) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
          .body = ToJson(message) + "\n"};
}

absl::Status ReadInto(std::string_view json, std::string_view what,
                      google::protobuf::Message& message) {
  const auto read = util::JsonStringToMessage({json.data(), json.size()}, &message);
  if (read.ok()) return absl::OkStatus();
  const std::string why(read.message().data(), read.message().size());
  return Error(Reason::kInvalidOption,
               fmt::format("{} of {}: {}", what, message.GetDescriptor()->full_name(), why));
}

}  // namespace

std::string ToJson(const google::protobuf::Message& message) {
  util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string text;
  if (!util::MessageToJsonString(message, &text, options).ok()) return "{}";
  return text;
}

absl::Status FromJson(std::string_view body, const WebFields& fields,
                      google::protobuf::Message& message) {
  if (!body.empty()) {
    GLINT_RETURN_IF_ERROR(ReadInto(body, "the body is no JSON", message));
  }
  if (fields.empty()) return absl::OkStatus();
  nlohmann::json named = nlohmann::json::object();
  for (const auto& [name, value] : fields) named[name] = value;
  const std::unique_ptr<google::protobuf::Message> given(message.New());
  GLINT_RETURN_IF_ERROR(
      ReadInto(named.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
               "a parameter is no field", *given));
  message.MergeFrom(*given);
  return absl::OkStatus();
}

WebAnswer JsonAnswer(const google::protobuf::Message& message) { return JsonAnswer(200, message); }

WebAnswer FailureAnswer(const absl::Status& status) {
  const FailureReason reason = FailureReasonOf(status).value_or(Reason::kInternal);
  google::rpc::Status details;
  details.ParseFromString(ToGrpc(status).error_details());
  const FailureRule& rule = RuleOf(reason);
  WebAnswer answer = JsonAnswer(rule.http_status, details);
  if (rule.http_status == 401) answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (rule.retry_after > std::chrono::milliseconds(0)) {
    answer.headers.emplace_back("Retry-After",
                                fmt::format("{}", (rule.retry_after.count() + 999) / 1'000));
  }
  return answer;
}

WebAnswer RefusalAnswer(int http_status, std::string_view message) {
  google::rpc::Status details;
  details.set_code(CodeOf(http_status));
  details.set_message(std::string(message));
  return JsonAnswer(http_status, details);
}

}  // namespace glint
