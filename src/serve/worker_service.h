// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "glint/v1/worker_service.pb.h"
#include "serve/call_router.h"
#include "serve/service_state.h"

namespace glint {

/// glint.v1.WorkerService: what does not change while the worker runs, its counts now, and who else
/// works on its queue.
class WorkerServiceImpl {
 public:
  /// Registers its methods. @param info  without `queued`, `running` and `draining`
  WorkerServiceImpl(CallRouter& router, ServiceState& state, v1::WorkerInfo info);

 private:
  absl::Status GetWorkerInfo(v1::GetWorkerInfoResponse& response) const;
  absl::Status ListWorkers(v1::ListWorkersResponse& response) const;

  ServiceState& state_;
  const v1::WorkerInfo info_;
};

}  // namespace glint
