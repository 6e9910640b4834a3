// SPDX-License-Identifier: Apache-2.0
#include "serve/service_state.h"

#include <array>

namespace glint {

std::string_view GrpcCodeName(grpc::StatusCode code) {
  constexpr std::array<std::string_view, 17> kNames = {"OK",
                                                       "CANCELLED",
                                                       "UNKNOWN",
                                                       "INVALID_ARGUMENT",
                                                       "DEADLINE_EXCEEDED",
                                                       "NOT_FOUND",
                                                       "ALREADY_EXISTS",
                                                       "PERMISSION_DENIED",
                                                       "RESOURCE_EXHAUSTED",
                                                       "FAILED_PRECONDITION",
                                                       "ABORTED",
                                                       "OUT_OF_RANGE",
                                                       "UNIMPLEMENTED",
                                                       "INTERNAL",
                                                       "UNAVAILABLE",
                                                       "DATA_LOSS",
                                                       "UNAUTHENTICATED"};
  const auto index = static_cast<std::size_t>(code);
  return index < kNames.size() ? kNames[index] : "UNKNOWN";
}

absl::Status OverloadedError() {
  return Error(ServiceReason::kOverloaded, "too many calls wait for an answer; try again later");
}

absl::Status DrainingError() {
  return Error(ServiceReason::kDraining,
               "this worker is shutting down and takes no more scans; try another one, or later");
}

}  // namespace glint
