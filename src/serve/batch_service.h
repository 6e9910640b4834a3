// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "glint/v1/batch_service.pb.h"
#include "serve/access.h"
#include "serve/call_router.h"
#include "serve/scan_service.h"
#include "serve/service_state.h"

namespace glint {

/// glint.v1.BatchService over a job store. Never blocks a thread of gRPC.
class BatchServiceImpl {
 public:
  /// Registers its methods. All must outlive the service.
  BatchServiceImpl(CallRouter& router, ServiceState& state, ScanServiceImpl& scans);

 private:
  absl::Status Get(const IncomingCall::Facts& caller, const v1::GetBatchRequest& request,
                   v1::GetBatchResponse& response) const;
  absl::Status Cancel(const IncomingCall::Facts& caller, const v1::CancelBatchRequest& request,
                      v1::CancelBatchResponse& response) const;
  absl::Status Retry(const IncomingCall::Facts& caller, const v1::RetryBatchRequest& request,
                     v1::RetryBatchResponse& response) const;
  absl::Status RetrySome(const IncomingCall::Facts& caller, std::span<const std::string> scan_ids,
                         v1::RetryBatchResponse& response) const;
  absl::StatusOr<BatchName> Named(const IncomingCall::Facts& caller, Right right,
                                  const std::string& owner, const std::string& batch) const;
  absl::Status RequireKnown(const BatchName& name) const;
  template <class Act>
  absl::StatusOr<int> ForSome(const BatchName& batch, JobState state, std::string_view reason,
                              int limit, const Act& act) const;

  ServiceState& state_;
};

}  // namespace glint
