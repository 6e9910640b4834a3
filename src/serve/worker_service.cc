// SPDX-License-Identifier: Apache-2.0
#include "serve/worker_service.h"

#include <utility>

#include "base/status_macros.h"

namespace glint {

WorkerServiceImpl::WorkerServiceImpl(CallRouter& router, ServiceState& state, v1::WorkerInfo info)
    : state_(state), info_(std::move(info)) {
  constexpr std::size_t kMaxRequestBytes = 1 << 10;
  router.AddUnary<v1::GetWorkerInfoRequest, v1::GetWorkerInfoResponse>(
      v1::GetWorkerInfoRequest::descriptor()->file()->FindServiceByName("WorkerService"),
      "GetWorkerInfo", kMaxRequestBytes, state_.calls,
      [this](const auto& /*caller*/, const auto& /*request*/,
             auto& response) -> absl::StatusOr<CallRouter::Later<v1::GetWorkerInfoResponse>> {
        GLINT_RETURN_IF_ERROR(GetWorkerInfo(response));
        return nullptr;
      });
}

absl::Status WorkerServiceImpl::GetWorkerInfo(v1::GetWorkerInfoResponse& response) const {
  GLINT_ASSIGN_OR_RETURN(const auto counts, state_.jobs.Counts());
  v1::WorkerInfo& worker = *response.mutable_worker();
  worker = info_;
  worker.set_queued(static_cast<std::int32_t>(counts.queued));
  worker.set_running(static_cast<std::int32_t>(counts.running));
  worker.set_draining(state_.draining);
  return absl::OkStatus();
}

}  // namespace glint
