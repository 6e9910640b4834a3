// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "glint/v1/batch_service.pb.h"
#include "serve/call_router.h"
#include "serve/scan_service.h"
#include "serve/service_state.h"

namespace glint {

/// One call of SubmitBatch: reads some scans, submits them, and reads on, so that memory does not
/// grow with the batch. It lives as long as its call needs it.
class BatchSubmission : public std::enable_shared_from_this<BatchSubmission> {
 public:
  using CallPtr = std::shared_ptr<IncomingCall>;

  BatchSubmission(CallRouter& router, ServiceState& state, ScanServiceImpl& scans, CallPtr call)
      : router_(router), state_(state), scans_(scans), call_(std::move(call)) {}

  /// Takes a message of the call. @param bytes  null: there is no more
  void Take(grpc::ByteBuffer* bytes);

 private:
  absl::Status Add(grpc::ByteBuffer* bytes);
  void ReadOn();
  void SubmitAndGoOn(bool last);
  absl::Status Submit();
  void Refuse(const std::string& scan_id, const absl::Status& why);

  CallRouter& router_;
  ServiceState& state_;
  ScanServiceImpl& scans_;
  const CallPtr call_;
  std::string batch_;  // of the first message; all others must name the same
  std::vector<v1::SubmitScanRequest> waiting_;
  int scans_read_ = 0;
  v1::SubmitBatchResponse response_;
};

}  // namespace glint
