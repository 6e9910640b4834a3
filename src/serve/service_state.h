// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string_view>

#include "api/failure.h"
#include "jobs/job_store.h"
#include "serve/call_authenticator.h"
#include "serve/call_executor.h"

namespace glint {

/// Told about each call that ended. @param code as gRPC names it: "OK", "NOT_FOUND", ...
using CallObserver =
    std::function<void(std::string_view method, std::string_view code, double seconds)>;

/// What the services share.
struct ServiceState {
  JobStore& jobs;
  CallExecutor& calls;
  CallExecutor& slow;   ///< for what waits for others: signed URLs of results, streams of events
  CallExecutor& lists;  ///< for long answers, so that short ones need not wait for many of them
  CallAuthenticator& authenticator;
  CallObserver observe;  ///< may be empty
  std::atomic<bool> draining = false;
  std::atomic<int> submitting = 0;  ///< see SubmissionGuard
};

/// Held by a call that adds scans, from before its look at `draining`: whoever sets that and then
/// waits until `submitting` is 0 has seen all scans that were accepted.
class SubmissionGuard {
 public:
  explicit SubmissionGuard(ServiceState& state) : state_(state) { ++state_.submitting; }
  ~SubmissionGuard() { --state_.submitting; }
  SubmissionGuard(const SubmissionGuard&) = delete;
  SubmissionGuard& operator=(const SubmissionGuard&) = delete;

 private:
  ServiceState& state_;
};

/// "OK", "NOT_FOUND", ... as gRPC names it.
std::string_view GrpcCodeName(grpc::StatusCode code);

/// Measures one call from its start to its end.
class CallTimer {
 public:
  CallTimer(const CallObserver& observe, std::string_view method)
      : observe_(observe), method_(method) {}
  void Done(const grpc::Status& status) const {
    if (!observe_) return;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    observe_(method_, GrpcCodeName(status.error_code()), taken.count());
  }

 private:
  const CallObserver& observe_;
  const std::string_view method_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// OVERLOADED: too many calls wait for the job store.
absl::Status OverloadedError();
/// DRAINING: nothing new is taken.
absl::Status DrainingError();

}  // namespace glint
