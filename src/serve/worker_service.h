// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "glint/v1/worker_service.grpc.pb.h"
#include "serve/service_state.h"

namespace glint {

/// glint.v1.WorkerService: what does not change while the worker runs, and its counts now.
class WorkerServiceImpl final : public v1::WorkerService::CallbackService {
 public:
  /// @param info  without `queued`, `running` and `draining`
  WorkerServiceImpl(ServiceState& state, v1::WorkerInfo info)
      : state_(state), info_(std::move(info)) {}

  grpc::ServerUnaryReactor* GetWorkerInfo(grpc::CallbackServerContext* call,
                                          const v1::GetWorkerInfoRequest* request,
                                          v1::GetWorkerInfoResponse* response) override;

 private:
  ServiceState& state_;
  const v1::WorkerInfo info_;
};

}  // namespace glint
