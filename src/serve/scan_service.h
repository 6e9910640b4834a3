// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "api/request.h"
#include "api/result.h"
#include "glint/v1/scan_service.grpc.pb.h"
#include "serve/service_state.h"
#include "serve/watch_hub.h"

namespace glint {

/// What the service decides by.
struct ScanRules {
  RequestDefaults defaults;
  /// Refuses URLs by policy before they are queued; may be empty. The download checks again.
  std::function<absl::Status(std::string_view url)> check_url;
  ObjectLinks links;  ///< of results; may be empty
};

/// glint.v1.ScanService over a job store. Never blocks a thread of gRPC.
class ScanServiceImpl final : public v1::ScanService::CallbackService {
 public:
  /// All must outlive the service.
  ScanServiceImpl(ServiceState& state, WatchHub& hub, ScanRules rules)
      : state_(state), hub_(hub), rules_(std::move(rules)) {}

  grpc::ServerUnaryReactor* SubmitScan(grpc::CallbackServerContext* call,
                                       const v1::SubmitScanRequest* request,
                                       v1::SubmitScanResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchScanResponse>* WatchScan(
      grpc::CallbackServerContext* call, const v1::WatchScanRequest* request) override;
  grpc::ServerUnaryReactor* GetScan(grpc::CallbackServerContext* call,
                                    const v1::GetScanRequest* request,
                                    v1::GetScanResponse* response) override;
  grpc::ServerUnaryReactor* ListScans(grpc::CallbackServerContext* call,
                                      const v1::ListScansRequest* request,
                                      v1::ListScansResponse* response) override;
  grpc::ServerUnaryReactor* CancelScan(grpc::CallbackServerContext* call,
                                       const v1::CancelScanRequest* request,
                                       v1::CancelScanResponse* response) override;
  grpc::ServerWriteReactor<v1::RunScanResponse>* RunScan(
      grpc::CallbackServerContext* call, const v1::RunScanRequest* request) override;

 private:
  absl::StatusOr<JobStore::Submitted> Submit(const v1::SubmitScanRequest& request);
  absl::Status Show(const Job& job, v1::Scan& scan) const;
  absl::Status List(const v1::ListScansRequest& request, v1::ListScansResponse& response);

  ServiceState& state_;
  WatchHub& hub_;
  const ScanRules rules_;
};

}  // namespace glint
