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
#include "serve/server.h"
#include "serve/token_list.h"
#include "support/temp_folder.h"

namespace glint {

inline constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

/// A job store whose calls can be made to fail, or to take long.
class FaultyJobs final : public JobStore {
 public:
  explicit FaultyJobs(std::unique_ptr<JobStore> jobs) : jobs_(std::move(jobs)) {}

  /// Called before each call; what it returns, when not OK, is the call's failure. Null: none.
  void SetFault(std::function<absl::Status()> fault);

  absl::StatusOr<Submitted> Submit(const NewJob& job) override;
  absl::StatusOr<Job> Get(std::string_view scan_id) override;
  absl::StatusOr<Page> List(std::string_view token, int size,
                            std::optional<JobState> state) override;
  absl::StatusOr<std::vector<JobEvent>> Events(std::string_view scan_id, std::int64_t after_seq,
                                               int limit) override;
  absl::StatusOr<Job> Cancel(std::string_view scan_id) override;
  absl::StatusOr<std::optional<Claimed>> Claim(std::string_view worker,
                                               std::chrono::milliseconds lease_time) override;
  absl::StatusOr<std::int64_t> ExpireLeasesOf(std::string_view worker) override;
  absl::StatusOr<bool> Heartbeat(const JobLease& lease,
                                 std::chrono::milliseconds lease_time) override;
  absl::Status Record(const JobLease& lease, const JobProgress& progress) override;
  absl::Status Complete(const JobLease& lease, std::string_view result) override;
  absl::Status Fail(const JobLease& lease, const JobFailure& failure) override;
  absl::Status Release(const JobLease& lease) override;
  absl::StatusOr<JobCounts> Counts() override;
  absl::StatusOr<std::int64_t> Sweep() override;
  std::unique_ptr<JobSubscription> Subscribe(
      std::function<void(const std::string&)> changed) override;

 private:
  absl::Status Check() const;

  std::unique_ptr<JobStore> jobs_;
  mutable std::mutex mutex_;
  std::function<absl::Status()> fault_;
};

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
                std::chrono::seconds deadline = std::chrono::seconds(60));
};

/// A request that is accepted.
v1::SubmitScanRequest SubmitRequest(const std::string& scan_id);

/// Submits it; fails the test when that fails.
v1::SubmitScanResponse Submit(TestServer& server, const std::string& scan_id);

/// Waits for something to come true. @return false when it did not within a minute
bool Eventually(const std::function<bool()>& condition);

/// Threads of this process.
int ThreadsOfProcess();

}  // namespace glint
