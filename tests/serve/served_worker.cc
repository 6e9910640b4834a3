// SPDX-License-Identifier: Apache-2.0
#include "serve/served_worker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "serve/test_server.h"
#include "support/test_video.h"

namespace glint {
namespace {

std::string MakeClip(const std::filesystem::path& folder) {
  const auto file = folder / "clip.mp4";
  WriteTestVideo(file, {.size = {96, 64}, .frames = 8}, FillPattern);
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

ClipServer::ClipServer(const std::filesystem::path& folder, int together)
    : clip_(MakeClip(folder)),
      together_(together),
      server_(std::make_unique<HttpServer>([this](const ServerRequest&, ServerReply& reply) {
        constexpr int kSlowOneOf = 4;
        constexpr std::chrono::milliseconds kPause(60);
        const int request = ++requests_;
        if (request <= together_) all_together_.arrive_and_wait();
        if (request % kSlowOneOf != 0) return reply.Answer(200, clip_);
        const std::string_view clip = clip_;
        reply.Send(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", clip.size()));
        reply.Send(clip.substr(0, clip.size() / 2));
        std::this_thread::sleep_for(kPause);
        reply.Send(clip.substr(clip.size() / 2));
      })) {}

std::string ClipServer::Source() const { return fmt::format("127.0.0.1:{}", server_->port()); }

ServedWorker::ServedWorker(const std::filesystem::path& folder, std::vector<std::string> more) {
  std::vector<std::string> arguments = {
      "serve", "--json",           "--listen", "127.0.0.1:0", "--device",
      "cpu",   "--decode-sandbox", "on",       "--state",     (folder / "state").string()};
  if (std::ranges::find(more, "--store") == more.end()) {
    more.insert(more.end(), {"--store", (folder / "results").string()});
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  program_ = std::make_unique<Program>(arguments, Program::Setting{folder});
}

bool ServedWorker::WaitUntilServing() {
  if (!program_->WaitFor("\n")) return false;
  const auto said = nlohmann::json::parse(program_->Said());
  const auto address = fmt::format("127.0.0.1:{}", said.at("ports").at(0).get<int>());
  const auto channel = grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
  scans_ = v1::ScanService::NewStub(channel);
  worker_ = v1::WorkerService::NewStub(channel);
  return true;
}

std::string ServedWorker::Wait() { return program_->Wait().err; }

std::string ServedWorker::Drain() {
  program_->Signal(SIGTERM);
  const Ended ended = program_->Wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended.err;
}

grpc::Status SubmitScan(v1::ScanService::Stub& scans, const std::string& id,
                        const std::string& url) {
  Call call;
  v1::SubmitScanRequest request;
  request.set_scan_id(id);
  request.set_video_url(url);
  v1::SubmitScanResponse response;
  return scans.SubmitScan(&call, request, &response);
}

}  // namespace glint
