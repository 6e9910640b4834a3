// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "glint/v1/batch_service.pb.h"
#include "glint/v1/scan_service.pb.h"
#include "glint/v1/worker_service.pb.h"

namespace glint {

/// Which worker is called, and how.
struct ClientOptions {
  std::string server = "127.0.0.1:50051";  ///< host:port
  std::string token;                       ///< empty: none is sent
  bool tls = false;                        ///< encrypt; implied by the files below
  std::filesystem::path ca;                ///< roots (PEM) instead of the system's
  std::filesystem::path cert;              ///< the client's own certificate (PEM), for mTLS
  std::filesystem::path key;               ///< its key
  std::string tls_name;                    ///< name in the server's certificate, if not `server`'s
  std::chrono::milliseconds timeout{30'000};  ///< of one call; streams have none
  /// How long a lost stream is tried again without any answer.
  std::chrono::milliseconds reconnect_for{60'000};
};

/// Hears an event of a watched scan. @param snapshot  the scan as it stands, no event of its own
using OnScanEvent = std::function<void(const v1::ScanEvent& event, bool snapshot)>;

/// Typed calls of a worker. Safe to use from several threads.
/// Errors of every call: those of the worker (docs/api.md); WORKER_UNREACHABLE; DEADLINE_EXCEEDED
class Client {
 public:
  virtual ~Client() = default;
  virtual absl::StatusOr<v1::SubmitScanResponse> Submit(const v1::SubmitScanRequest& request) = 0;
  virtual absl::StatusOr<v1::Scan> Get(const std::string& scan_id) = 0;
  virtual absl::StatusOr<v1::ListScansResponse> List(const v1::ListScansRequest& request) = 0;
  virtual absl::StatusOr<v1::Scan> Cancel(const std::string& scan_id) = 0;
  virtual absl::StatusOr<v1::WorkerInfo> WorkerInfo() = 0;
  virtual absl::StatusOr<v1::ListWorkersResponse> ListWorkers() = 0;

  /// Submits scans of one batch in one call: 1 to 10,000.
  virtual absl::StatusOr<v1::SubmitBatchResponse> SubmitBatch(
      std::span<const v1::SubmitScanRequest> scans) = 0;
  virtual absl::StatusOr<v1::Batch> GetBatch(const v1::GetBatchRequest& request) = 0;
  virtual absl::StatusOr<v1::CancelBatchResponse> CancelBatch(
      const v1::CancelBatchRequest& request) = 0;
  virtual absl::StatusOr<v1::RetryBatchResponse> RetryBatch(
      const v1::RetryBatchRequest& request) = 0;

  /// Follows a scan to its end, across lost connections and restarts of the worker.
  /// @return the scan at its end. Errors also: CANCELLED when `stop` was requested
  virtual absl::StatusOr<v1::Scan> Watch(const std::string& scan_id, std::int64_t after_seq,
                                         const OnScanEvent& on_event,
                                         const std::stop_token& stop) = 0;

  /// OK when the service (empty: the worker) says SERVING. Errors also: DRAINING when it says
  /// anything else
  virtual absl::Status CheckHealth(const std::string& service) = 0;
};

/// Whether a call that ended like this may succeed when it is made again: the worker is away,
/// drains or has too much to do.
bool MayPassLater(const absl::Status& status);

/// Connects when it is first used. Errors: INPUT_UNREADABLE a TLS file
absl::StatusOr<std::unique_ptr<Client>> MakeClient(const ClientOptions& options);

}  // namespace glint
