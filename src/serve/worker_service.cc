// SPDX-License-Identifier: Apache-2.0
#include "serve/worker_service.h"

#include "base/status_macros.h"

namespace glint {

grpc::ServerUnaryReactor* WorkerServiceImpl::GetWorkerInfo(
    grpc::CallbackServerContext* call, const v1::GetWorkerInfoRequest* /*request*/,
    v1::GetWorkerInfoResponse* response) {
  return HandleUnary(state_, call, "GetWorkerInfo", [this, response] {
    GLINT_ASSIGN_OR_RETURN(const auto counts, state_.jobs.Counts());
    v1::WorkerInfo& worker = *response->mutable_worker();
    worker = info_;
    worker.set_queued(static_cast<std::int32_t>(counts.queued));
    worker.set_running(static_cast<std::int32_t>(counts.running));
    worker.set_draining(state_.draining);
    return absl::OkStatus();
  });
}

}  // namespace glint
