// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "api/request.h"
#include "api/result.h"
#include "glint/v1/scan_service.pb.h"
#include "serve/call_router.h"
#include "serve/service_state.h"
#include "serve/watch_hub.h"

namespace glint {

/// What the service decides by.
struct ScanRules {
  RequestDefaults defaults;
  /// Refuses URLs by policy before they are queued; may be empty. The download checks again.
  std::function<absl::Status(std::string_view url)> check_url;
  /// Notes that a caller's upload is what a scan, as the store calls it, will read; empty: there
  /// are none. Errors: INPUT_NOT_FOUND
  std::function<absl::Status(std::string_view owner, std::string_view upload,
                             std::string_view scan_id)>
      claim_upload = {};
  ObjectLinks links;       ///< of results; may be empty
  std::string usual_tier;  ///< of submissions that name none, by callers whose token names none
};

/// glint.v1.ScanService over a job store. Never blocks a thread of gRPC.
class ScanServiceImpl {
 public:
  /// Registers its methods. All must outlive the service.
  ScanServiceImpl(CallRouter& router, ServiceState& state, WatchHub& hub, ScanRules rules);

  using Caller = IncomingCall::Facts;
  /// SubmitScan, for calls that submit in other ways. Errors: those of the call
  absl::StatusOr<JobStore::Submitted> Submit(const Caller& caller,
                                             const v1::SubmitScanRequest& request);
  /// The same for many, in one transaction. @return for each what Submit says. Errors: those that
  /// all of them would meet
  absl::StatusOr<std::vector<absl::StatusOr<JobStore::SubmittedOne>>> SubmitAll(
      const Caller& caller, std::span<const v1::SubmitScanRequest> requests);
  /// The scan that a WatchScan is about, as the store calls it. Errors: those of the call that can
  /// be told from its request alone
  static absl::StatusOr<std::string> ScanToWatch(const Identity& caller,
                                                 const v1::WatchScanRequest& request);

 private:
  absl::Status CheckSource(const Identity& caller, std::string_view field, const std::string& url,
                           const NewJob& job) const;
  using CallPtr = std::shared_ptr<IncomingCall>;

  absl::StatusOr<NewJob> Prepare(const Caller& caller, const v1::SubmitScanRequest& request) const;
  absl::Status Show(const Job& job, v1::Scan& scan) const;
  template <class Response>
  absl::StatusOr<CallRouter::Later<Response>> Shown(Job job, Response& response);
  absl::Status List(const Caller& caller, const v1::ListScansRequest& request,
                    v1::ListScansResponse& response);
  absl::StatusOr<Job> Cancel(const Caller& caller, const v1::CancelScanRequest& request);
  void Watch(const CallPtr& call, grpc::ByteBuffer* bytes);
  void Run(const CallPtr& call, grpc::ByteBuffer* bytes);

  ServiceState& state_;
  WatchHub& hub_;
  const ScanRules rules_;
};

}  // namespace glint
