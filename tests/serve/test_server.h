// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/grpcpp.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "glint/v1/scan_service.grpc.pb.h"
#include "glint/v1/worker_service.grpc.pb.h"
#include "jobs/job_store.h"
#include "serve/faulty_jobs.h"
#include "serve/server.h"
#include "serve/token_list.h"
#include "support/sanitized.h"
#include "support/temp_folder.h"

namespace glint {

inline constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

/// How a test's server differs from the usual one.
struct TestServerOptions {
  ServerOptions server = {};
  std::string tokens = {};
  std::filesystem::path token_file = {};
  ScanRules rules = {};
  JobLimits jobs = {};
};

/// The real server over the real job store, on a free port of this machine, with health SERVING.
class TestServer {
 public:
  explicit TestServer(TestServerOptions options = {});
  ~TestServer();

  /// A channel of its own connection.
  std::shared_ptr<grpc::Channel> Connect(
      const std::shared_ptr<grpc::ChannelCredentials>& credentials =
          grpc::InsecureChannelCredentials()) const;
  std::string address() const;

  /// Lets a job get claimed and reported on, as a scan worker would.
  JobLease Claim();

  FaultyJobs& jobs() { return *jobs_; }
  Server& server() { return *server_; }
  v1::ScanService::Stub& scans() { return *scans_; }
  v1::WorkerService::Stub& worker() { return *worker_; }

 private:
  TempFolder folder_;
  std::unique_ptr<FaultyJobs> jobs_;
  std::unique_ptr<TokenList> tokens_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<v1::ScanService::Stub> scans_;
  std::unique_ptr<v1::WorkerService::Stub> worker_;
};

/// A call's context with a deadline that no test should reach, and a token.
class Call : public grpc::ClientContext {
 public:
  explicit Call(const std::string& token = "",
                std::chrono::seconds deadline = Patience(std::chrono::seconds(60)));
};

/// A request that is accepted.
v1::SubmitScanRequest SubmitRequest(const std::string& scan_id);

/// Submits it; fails the test when that fails.
v1::SubmitScanResponse Submit(TestServer& server, const std::string& scan_id);

/// Waits for something to come true. @return false when it did not within a minute, or ten under a
/// sanitizer
bool Eventually(const std::function<bool()>& condition);

/// Threads of this process.
int ThreadsOfProcess();

}  // namespace glint
