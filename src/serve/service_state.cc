// SPDX-License-Identifier: Apache-2.0
#include "serve/service_state.h"

#include <array>
#include <utility>

#include "base/catch_exceptions.h"

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

grpc::ServerUnaryReactor* HandleUnary(ServiceState& state, grpc::CallbackServerContext* call,
                                      std::string_view method, std::function<absl::Status()> work) {
  const CallTimer timer(state.observe, method);
  grpc::ServerUnaryReactor* const reactor = call->DefaultReactor();
  const auto finish = [reactor, timer](const absl::Status& status) {
    const grpc::Status answer = ToGrpc(status);
    timer.Done(answer);
    reactor->Finish(answer);
  };
  if (const auto allowed = state.authenticator.Check(*call); !allowed.ok()) {
    finish(allowed);
    return reactor;
  }
  const bool accepted = state.calls.TryPost([call, finish, work = std::move(work)] {
    // Nobody waits for the answer of a call that was cancelled or is past its deadline.
    finish(call->IsCancelled() ? Error(Reason::kCancelled, "the caller has left")
                               : CatchExceptions(work));
  });
  if (!accepted) finish(OverloadedError());
  return reactor;
}

}  // namespace glint
