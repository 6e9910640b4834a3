// SPDX-License-Identifier: Apache-2.0
// Messages and failures as the HTTP API gives them: JSON by the mapping of proto3.
#pragma once

#include <absl/status/status.h>
#include <google/protobuf/message.h>

#include <string>
#include <string_view>

#include "web/web_request.h"
#include "web/web_server.h"

namespace glint {

/// The message on one line, with fields that have their default.
std::string ToJson(const google::protobuf::Message& message);

/// Reads a body, then the query's parameters and the path's variables (`fields`), each named as in
/// the proto or as in JSON. Errors: INVALID_OPTION, saying what is wrong
absl::Status FromJson(std::string_view body, const WebFields& fields,
                      google::protobuf::Message& message);

/// An answer that nobody keeps.
WebAnswer JsonAnswer(const google::protobuf::Message& message);

/// google.rpc.Status with the details that gRPC carries, under the HTTP status of its reason.
WebAnswer FailureAnswer(const absl::Status& status);

/// What HTTP itself refuses: google.rpc.Status without a reason.
WebAnswer RefusalAnswer(int http_status, std::string_view message);

}  // namespace glint
