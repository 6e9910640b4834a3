// SPDX-License-Identifier: Apache-2.0
#include "serve/worker_service.h"

#include <google/protobuf/util/time_util.h>

#include <chrono>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "base/utf8.h"
#include "serve/access.h"

namespace glint {
namespace {

using google::protobuf::util::TimeUtil;

/// A worker that was not heard of for three of its reports is gone.
constexpr std::chrono::seconds kAlive(30);

}  // namespace

WorkerServiceImpl::WorkerServiceImpl(CallRouter& router, ServiceState& state, v1::WorkerInfo info)
    : state_(state), info_(std::move(info)) {
  constexpr std::size_t kMaxRequestBytes = 1 << 10;
  const auto* const service =
      v1::GetWorkerInfoRequest::descriptor()->file()->FindServiceByName("WorkerService");
  router.AddUnary<v1::GetWorkerInfoRequest, v1::GetWorkerInfoResponse>(
      service, "GetWorkerInfo", kMaxRequestBytes, state_.calls,
      [this](const auto& /*caller*/, const auto& /*request*/,
             auto& response) -> absl::StatusOr<CallRouter::Later<v1::GetWorkerInfoResponse>> {
        GLINT_RETURN_IF_ERROR(GetWorkerInfo(response));
        return nullptr;
      });
  router.AddUnary<v1::ListWorkersRequest, v1::ListWorkersResponse>(
      service, "ListWorkers", kMaxRequestBytes, state_.lists,
      [this](const auto& caller, const auto& /*request*/,
             auto& response) -> absl::StatusOr<CallRouter::Later<v1::ListWorkersResponse>> {
        GLINT_RETURN_IF_ERROR(CheckRight(*caller.caller, Right::kAdminister, "see the workers"));
        GLINT_RETURN_IF_ERROR(ListWorkers(response));
        return nullptr;
      });
}

absl::Status WorkerServiceImpl::ListWorkers(v1::ListWorkersResponse& response) const {
  GLINT_ASSIGN_OR_RETURN(const auto workers, state_.jobs.Workers());
  for (const RegisteredWorker& worker : workers) {
    v1::FleetWorker& shown = *response.add_workers();
    shown.set_name(ValidUtf8(worker.name));
    shown.set_version(ValidUtf8(worker.version));
    for (const std::string& device : worker.devices) shown.add_devices(ValidUtf8(device));
    for (const std::string& tier : worker.tiers) shown.add_tiers(ValidUtf8(tier));
    shown.set_running(worker.running);
    shown.set_lanes(worker.lanes);
    *shown.mutable_start_time() =
        TimeUtil::MicrosecondsToTimestamp(worker.started.time_since_epoch().count());
    *shown.mutable_seen_time() =
        TimeUtil::MicrosecondsToTimestamp(worker.seen.time_since_epoch().count());
    shown.set_alive(!worker.gone && worker.unseen_for < kAlive);
  }
  return absl::OkStatus();
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
