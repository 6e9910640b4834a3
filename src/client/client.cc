// SPDX-License-Identifier: Apache-2.0
#include "client/client.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "api/failure.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "glint/v1/batch_service.grpc.pb.h"
#include "glint/v1/scan_service.grpc.pb.h"
#include "glint/v1/worker_service.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

absl::StatusOr<std::string> ReadPem(const std::filesystem::path& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file.good() && !file.eof()) text.clear();
  if (!text.empty()) return text;
  return Error(Reason::kInputUnreadable,
               fmt::format("{} cannot be read or is empty", path.string()));
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Credentials(
    const ClientOptions& options) {
  const bool tls = options.tls || !options.ca.empty() || !options.cert.empty();
  if (!tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions ssl;
  for (const auto& [path, text] :
       {std::pair(options.ca, &ssl.pem_root_certs), std::pair(options.cert, &ssl.pem_cert_chain),
        std::pair(options.key, &ssl.pem_private_key)}) {
    GLINT_ASSIGN_OR_RETURN(*text, ReadPem(path));
  }
  return grpc::SslCredentials(ssl);
}

bool IsFinal(const v1::Scan& scan) {
  return scan.state() == v1::SCAN_STATE_SUCCEEDED || scan.state() == v1::SCAN_STATE_FAILED ||
         scan.state() == v1::SCAN_STATE_CANCELLED;
}

class GrpcClient final : public Client {
 public:
  GrpcClient(ClientOptions options, const std::shared_ptr<grpc::Channel>& channel)
      : options_(std::move(options)),
        scans_(v1::ScanService::NewStub(channel)),
        batches_(v1::BatchService::NewStub(channel)),
        worker_(v1::WorkerService::NewStub(channel)),
        health_(grpc::health::v1::Health::NewStub(channel)) {}

  absl::StatusOr<v1::SubmitScanResponse> Submit(const v1::SubmitScanRequest& request) override {
    return Call<v1::SubmitScanResponse>([&](auto* context, auto* response) {
      return scans_->SubmitScan(context, request, response);
    });
  }

  absl::StatusOr<v1::Scan> Get(const std::string& scan_id) override {
    return CallForScan(scan_id, &v1::ScanService::StubInterface::GetScan);
  }

  absl::StatusOr<v1::ListScansResponse> List(const v1::ListScansRequest& request) override {
    return Call<v1::ListScansResponse>([&](auto* context, auto* response) {
      return scans_->ListScans(context, request, response);
    });
  }

  absl::StatusOr<v1::Scan> Cancel(const std::string& scan_id) override {
    return CallForScan(scan_id, &v1::ScanService::StubInterface::CancelScan);
  }

  absl::StatusOr<v1::WorkerInfo> WorkerInfo() override {
    GLINT_ASSIGN_OR_RETURN(
        auto response, Call<v1::GetWorkerInfoResponse>([&](auto* context, auto* answer) {
          return worker_->GetWorkerInfo(context, v1::GetWorkerInfoRequest(), answer);
        }));
    return std::move(*response.mutable_worker());
  }

  absl::StatusOr<v1::ListWorkersResponse> ListWorkers() override {
    return Call<v1::ListWorkersResponse>([&](auto* context, auto* response) {
      return worker_->ListWorkers(context, v1::ListWorkersRequest(), response);
    });
  }

  absl::StatusOr<v1::SubmitBatchResponse> SubmitBatch(
      std::span<const v1::SubmitScanRequest> scans) override {
    grpc::ClientContext context;
    AddToken(context);
    // Each scan is on the queue's disk before the answer.
    constexpr auto kOfEach = 20ms;
    context.set_deadline(std::chrono::system_clock::now() + options_.timeout +
                         kOfEach * std::ssize(scans));
    v1::SubmitBatchResponse response;
    const auto stream = batches_->SubmitBatch(&context, &response);
    v1::SubmitBatchRequest request;
    for (const v1::SubmitScanRequest& scan : scans) {
      *request.mutable_scan() = scan;
      if (!stream->Write(request)) break;  // Finish says why
    }
    stream->WritesDone();
    GLINT_RETURN_IF_ERROR(ToStatus(stream->Finish()));
    return response;
  }

  absl::StatusOr<v1::Batch> GetBatch(const v1::GetBatchRequest& request) override {
    GLINT_ASSIGN_OR_RETURN(auto response,
                           Call<v1::GetBatchResponse>([&](auto* context, auto* answer) {
                             return batches_->GetBatch(context, request, answer);
                           }));
    return std::move(*response.mutable_batch());
  }

  absl::StatusOr<v1::CancelBatchResponse> CancelBatch(
      const v1::CancelBatchRequest& request) override {
    return Call<v1::CancelBatchResponse>([&](auto* context, auto* response) {
      return batches_->CancelBatch(context, request, response);
    });
  }

  absl::StatusOr<v1::RetryBatchResponse> RetryBatch(const v1::RetryBatchRequest& request) override {
    return Call<v1::RetryBatchResponse>([&](auto* context, auto* response) {
      return batches_->RetryBatch(context, request, response);
    });
  }

  absl::StatusOr<v1::Scan> Watch(const std::string& scan_id, std::int64_t after_seq,
                                 const OnScanEvent& on_event,
                                 const std::stop_token& stop) override {
    constexpr auto kMinBackoff = 200ms;
    constexpr auto kMaxBackoff = 5'000ms;
    auto backoff = kMinBackoff;
    auto last_message = Steady::now();
    std::optional<v1::Scan> end;
    for (;;) {
      const absl::Status status =
          WatchOnce(scan_id, after_seq, stop, [&](const v1::WatchScanResponse& message) {
            last_message = Steady::now();
            backoff = kMinBackoff;
            if (!message.snapshot()) after_seq = message.event().seq();
            if (IsFinal(message.event().scan())) end = message.event().scan();
            on_event(message.event(), message.snapshot());
          });
      if (stop.stop_requested()) return Error(Reason::kCancelled, "stopped watching");
      if (status.ok() && end) return *std::move(end);
      if (!status.ok() && !MayPassLater(status)) return status;
      if (Steady::now() - last_message > options_.reconnect_for) {
        return status.ok() ? Error(ServiceReason::kWorkerUnreachable, "the stream ended too early")
                           : status;
      }
      RealClock().Sleep(backoff, stop);
      backoff = std::min<std::chrono::milliseconds>(backoff * 2, kMaxBackoff);
    }
  }

  absl::Status CheckHealth(const std::string& service) override {
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(service);
    GLINT_ASSIGN_OR_RETURN(auto response, Call<grpc::health::v1::HealthCheckResponse>(
                                              [&](auto* context, auto* answer) {
                                                return health_->Check(context, request, answer);
                                              }));
    if (response.status() == grpc::health::v1::HealthCheckResponse::SERVING) {
      return absl::OkStatus();
    }
    return Error(
        ServiceReason::kDraining,
        fmt::format("the worker says {}",
                    grpc::health::v1::HealthCheckResponse::ServingStatus_Name(response.status())));
  }

 private:
  void AddToken(grpc::ClientContext& context) const {
    if (!options_.token.empty()) context.AddMetadata("authorization", "Bearer " + options_.token);
  }

  absl::Status ToStatus(const grpc::Status& status) const {
    if (!status.ok() && status.error_code() == grpc::StatusCode::UNAVAILABLE &&
        status.error_details().empty()) {
      return Error(
          ServiceReason::kWorkerUnreachable,
          fmt::format("no worker answers at {}: {}", options_.server, status.error_message()));
    }
    return FromGrpc(status);
  }

  template <class Response, class Rpc>
  absl::StatusOr<Response> Call(const Rpc& rpc) const {
    grpc::ClientContext context;
    AddToken(context);
    context.set_deadline(std::chrono::system_clock::now() + options_.timeout);
    Response response;
    GLINT_RETURN_IF_ERROR(ToStatus(rpc(&context, &response)));
    return response;
  }

  /// A call that is about one scan, and answers with it.
  template <class Request, class Response>
  absl::StatusOr<v1::Scan> CallForScan(const std::string& scan_id,
                                       grpc::Status (v1::ScanService::StubInterface::*rpc)(
                                           grpc::ClientContext*, const Request&, Response*)) const {
    Request request;
    request.set_scan_id(scan_id);
    GLINT_ASSIGN_OR_RETURN(Response response, Call<Response>([&](auto* context, auto* answer) {
                             return ((*scans_).*rpc)(context, request, answer);
                           }));
    return std::move(*response.mutable_scan());
  }

  template <class OnMessage>
  absl::Status WatchOnce(const std::string& scan_id, std::int64_t after_seq,
                         const std::stop_token& stop, const OnMessage& on_message) const {
    grpc::ClientContext context;
    AddToken(context);
    v1::WatchScanRequest request;
    request.set_scan_id(scan_id);
    request.set_after_seq(after_seq);
    const std::stop_callback cancel(stop, [&] { context.TryCancel(); });
    const auto stream = scans_->WatchScan(&context, request);
    v1::WatchScanResponse message;
    while (stream->Read(&message)) on_message(message);
    return ToStatus(stream->Finish());
  }

  const ClientOptions options_;
  const std::unique_ptr<v1::ScanService::Stub> scans_;
  const std::unique_ptr<v1::BatchService::Stub> batches_;
  const std::unique_ptr<v1::WorkerService::Stub> worker_;
  const std::unique_ptr<grpc::health::v1::Health::Stub> health_;
};

}  // namespace

bool MayPassLater(const absl::Status& status) {
  const auto reason = FailureReasonOf(status);
  return reason == ServiceReason::kWorkerUnreachable || reason == ServiceReason::kDraining ||
         reason == ServiceReason::kJobStoreUnavailable || reason == ServiceReason::kOverloaded;
}

absl::StatusOr<std::unique_ptr<Client>> MakeClient(const ClientOptions& options) {
  GLINT_ASSIGN_OR_RETURN(const auto credentials, Credentials(options));
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  if (!options.tls_name.empty()) arguments.SetSslTargetNameOverride(options.tls_name);
  return std::make_unique<GrpcClient>(
      options, grpc::CreateCustomChannel(options.server, credentials, arguments));
}

}  // namespace glint
