// SPDX-License-Identifier: Apache-2.0
#include "serve/test_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <thread>

#include "jobs/sqlite_jobs.h"
#include "support/status_matchers.h"

namespace glint {

using namespace std::chrono_literals;

TestServer::TestServer(TestServerOptions options) {
  auto jobs = OpenSqliteJobs(folder_.path() / "jobs.sqlite", options.jobs);
  EXPECT_THAT(jobs, IsOk());
  jobs_ = std::make_unique<FaultyJobs>(*std::move(jobs));
  auto tokens = TokenList::Load(options.tokens, options.token_file);
  EXPECT_THAT(tokens, IsOk());
  tokens_ = *std::move(tokens);
  v1::WorkerInfo info;
  info.set_version("test");
  options.server.listen = {"127.0.0.1:0"};
  auto server = StartServer(options.server, {*jobs_, *tokens_, std::move(options.rules), info});
  EXPECT_THAT(server, IsOk());
  server_ = *std::move(server);
  server_->SetHealth(true);
  if (options.server.tls.wanted()) return;
  const auto channel = Connect();
  scans_ = v1::ScanService::NewStub(channel);
  worker_ = v1::WorkerService::NewStub(channel);
}

TestServer::~TestServer() { server_->Stop(0ms); }

std::string TestServer::address() const {
  return fmt::format("127.0.0.1:{}", server_->ports().front());
}

std::shared_ptr<grpc::Channel> TestServer::Connect(
    const std::shared_ptr<grpc::ChannelCredentials>& credentials) const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // or channels would share a connection
  return grpc::CreateCustomChannel(address(), credentials, arguments);
}

JobLease TestServer::Claim() {
  auto claimed = jobs_->Claim("test", std::chrono::minutes(5));
  EXPECT_THAT(claimed, IsOk());
  EXPECT_TRUE(claimed->has_value());
  return (*claimed)->lease;
}

Call::Call(const std::string& token, std::chrono::seconds deadline) {
  set_deadline(std::chrono::system_clock::now() + deadline);
  if (!token.empty()) AddMetadata("authorization", "Bearer " + token);
}

v1::SubmitScanRequest SubmitRequest(const std::string& scan_id) {
  v1::SubmitScanRequest request;
  request.set_scan_id(scan_id);
  request.set_video_url("https://media.example/v.mp4?signature=planted-secret");
  return request;
}

v1::SubmitScanResponse Submit(TestServer& server, const std::string& scan_id) {
  Call call;
  v1::SubmitScanResponse response;
  const grpc::Status status = server.scans().SubmitScan(&call, SubmitRequest(scan_id), &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

bool Eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + Patience(60s);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

int ThreadsOfProcess() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace glint
