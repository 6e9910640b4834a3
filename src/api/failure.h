// SPDX-License-Identifier: Apache-2.0
// Failures as gRPC carries them: a status code, and google.rpc details in the trailer.
#pragma once

#include <absl/status/status.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "jobs/failure_reason.h"

namespace glint {

/// The domain of google.rpc.ErrorInfo.
inline constexpr std::string_view kErrorDomain = "glint.v1";

/// What the API says of a reason beyond its status code (docs/api.md is the same table).
struct FailureRule {
  FailureReason reason;
  int http_status;                           ///< what an HTTP front end answers
  std::chrono::milliseconds retry_after{0};  ///< of RetryInfo; 0: none is sent
};

const FailureRule& RuleOf(FailureReason reason);

/// One field of a request that is wrong.
struct FieldViolation {
  std::string field;        ///< path in the request message
  std::string description;  ///< what is wrong, and what it may be
};

/// INVALID_OPTION whose message names every field, and which ToGrpc sends as google.rpc.BadRequest.
/// @param violations  at least one
absl::Status BadRequest(const std::vector<FieldViolation>& violations);

/// The failure for the wire: code, message, ErrorInfo, RetryInfo where the rule has one, and
/// BadRequest where the status carries one. Details beyond what a trailer may hold are left out.
grpc::Status ToGrpc(const absl::Status& status);

/// A failed call as the client's own failure: the reason of ErrorInfo, else the likeliest one for
/// the code.
absl::Status FromGrpc(const grpc::Status& status);

/// How long the server asks to wait before trying again.
std::optional<std::chrono::milliseconds> RetryDelayOf(const grpc::Status& status);

/// The fields that the server found wrong.
std::vector<FieldViolation> ViolationsOf(const grpc::Status& status);

}  // namespace glint
