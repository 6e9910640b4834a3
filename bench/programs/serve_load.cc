// SPDX-License-Identifier: Apache-2.0
// Load on a worker: submits at a fixed rate, streams and reads beside them; every answer is
// checked. Its queue is full, and every submission is refused, or with "accepted" is long enough
// for all, and every submission is queued. docs/performance.md says how it is run.
//   serve_load HOST:PORT PID [SECONDS] [SUBMITS PER SECOND] [STREAMS] [accepted]
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "api/failure.h"
#include "base/mutex.h"
#include "glint/v1/scan_service.grpc.pb.h"

namespace glint {
namespace {

using Steady = std::chrono::steady_clock;

/// A port that takes connections and never answers, so that the scan that runs keeps its scan
/// worker.
class SilentServer {
 public:
  SilentServer() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    if (bind(socket_, plain, size) != 0 || listen(socket_, 64) != 0 ||
        getsockname(socket_, plain, &size) != 0) {
      fmt::print(stderr, "cannot listen\n");
      std::exit(1);
    }
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { close(socket_); }
  int port() const { return port_; }

 private:
  int socket_;
  int port_ = 0;
};

/// Resident kilobytes of a process.
long Rss(int pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmRSS:")) return std::strtol(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

class Load {
 public:
  Load(const std::string& server, int pid, int seconds, int rate, int streams, bool accepted)
      : pid_(pid),
        seconds_(seconds),
        rate_(rate),
        stream_count_(streams),
        accepted_(accepted),
        server_(server),
        stub_(v1::ScanService::NewStub(Channel())) {}

  int Run() {
    Fill();
    const long before = Rss(pid_);
    OpenStreams();
    const long streaming = Rss(pid_);
    {
      std::jthread reads([this](const std::stop_token& stop) { Read(stop); });
      SubmitAll();
    }
    const long loaded = Rss(pid_);
    for (auto& stream : streams_) stream->call.TryCancel();
    watchers_.clear();
    Report(before, streaming, loaded);
    return wrong_ == 0 && streams_heard_ == stream_count_ ? 0 : 1;
  }

 private:
  struct Stream {
    grpc::ClientContext call;
  };

  /// One submit that is on its way.
  struct Submit {
    grpc::ClientContext call;
    v1::SubmitScanRequest request;
    v1::SubmitScanResponse response;
  };

  std::shared_ptr<grpc::Channel> Channel() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(server_, grpc::InsecureChannelCredentials(), arguments);
  }

  v1::SubmitScanRequest Request(int number) const {
    v1::SubmitScanRequest request;
    request.set_scan_id(fmt::format("load-{}-{}", getpid(), number));
    request.set_video_url(fmt::format("http://127.0.0.1:{}/v.mp4", silent_.port()));
    return request;
  }

  /// Submits until the queue is full, or there is a scan for each stream.
  void Fill() {
    for (; !accepted_ || filled_ < stream_count_; ++filled_) {
      grpc::ClientContext call;
      v1::SubmitScanResponse response;
      const auto status = stub_->SubmitScan(&call, Request(filled_), &response);
      if (FailureReasonOf(FromGrpc(status)) == ServiceReason::kQueueFull && filled_ > 0) return;
      if (!status.ok()) {
        fmt::print(stderr, "filling the queue of a fresh worker: {}\n", status.error_message());
        std::exit(1);
      }
    }
  }

  void OpenStreams() {
    for (int i = 0; i < stream_count_; ++i) {
      streams_.push_back(std::make_unique<Stream>());
      watchers_.emplace_back([this, i] {
        const auto stub = v1::ScanService::NewStub(Channel());
        v1::WatchScanRequest request;
        request.set_scan_id(Request(i % filled_).scan_id());
        const auto stream = stub->WatchScan(&streams_[static_cast<std::size_t>(i)]->call, request);
        v1::WatchScanResponse message;
        bool first = true;
        while (stream->Read(&message)) {
          if (first) ++streams_heard_;
          first = false;
        }
        stream->Finish();
      });
    }
    while (streams_heard_ < stream_count_)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  /// GetScan a hundred times a second, timed.
  void Read(const std::stop_token& stop) {
    const auto stub = v1::ScanService::NewStub(Channel());
    for (auto next = Steady::now(); !stop.stop_requested(); next += std::chrono::milliseconds(10)) {
      std::this_thread::sleep_until(next);
      grpc::ClientContext call;
      v1::GetScanRequest request;
      request.set_scan_id(Request(0).scan_id());
      v1::GetScanResponse response;
      const auto start = Steady::now();
      const auto status = stub->GetScan(&call, request, &response);
      const std::chrono::duration<double, std::milli> taken = Steady::now() - start;
      if (!status.ok() || response.scan().scan_id() != request.scan_id()) ++wrong_;
      get_ms_.push_back(taken.count());
    }
  }

  void SubmitAll() {
    const auto start = Steady::now();
    const int count = seconds_ * rate_;
    for (int i = 0; i < count; ++i) {
      std::this_thread::sleep_until(start + std::chrono::microseconds(1'000'000LL * i / rate_));
      if (i == count / 3) warm_rss_ = Rss(pid_);
      auto* submit = new Submit;
      submit->request = Request(1'000'000 + i);
      submit->call.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
      const auto sent = Steady::now();
      stub_->async()->SubmitScan(&submit->call, &submit->request, &submit->response,
                                 [this, submit, sent](const grpc::Status& status) {
                                   Check(status, sent);
                                   delete submit;
                                 });
    }
    sent_s_ = std::chrono::duration<double>(Steady::now() - start).count();
    while (answered_ < count) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    answered_s_ = std::chrono::duration<double>(Steady::now() - start).count();
  }

  void Check(const grpc::Status& status, Steady::time_point sent) {
    const absl::Status failure = FromGrpc(status);
    const auto reason = FailureReasonOf(failure);
    const bool refused =
        (reason == ServiceReason::kQueueFull || reason == ServiceReason::kOverloaded) &&
        status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED &&
        RetryDelayOf(status).has_value();
    if (accepted_ ? !status.ok() : !refused) ++wrong_;
    const std::chrono::duration<double, std::milli> taken = Steady::now() - sent;
    {
      const MutexLock lock(mutex_);
      submit_ms_.push_back(taken.count());
      ++reasons_[reason ? std::string(Info(*reason).name) : "OK"];
    }
    ++answered_;
  }

  static double Percentile(std::vector<double>& values, double share) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(share * last)];
  }

  void Report(long before, long streaming, long loaded) {
    const MutexLock lock(mutex_);
    fmt::print("submits   {} sent in {:.1f} s, answered in {:.1f} s", answered_.load(), sent_s_,
               answered_s_);
    for (const auto& [reason, count] : reasons_) fmt::print(", {} {}", reason, count);
    fmt::print(", wrong {}\n", wrong_.load());
    fmt::print("submit    p50 {:.2f} ms, p99 {:.2f} ms\n", Percentile(submit_ms_, 0.5),
               Percentile(submit_ms_, 0.99));
    fmt::print("GetScan   {} calls, p50 {:.2f} ms, p99 {:.2f} ms\n", get_ms_.size(),
               Percentile(get_ms_, 0.5), Percentile(get_ms_, 0.99));
    fmt::print("streams   {} of {} open throughout\n", streams_heard_.load(), stream_count_);
    fmt::print("RSS       {} KiB, {} with the streams, {} after a third of the load, {} after it\n",
               before, streaming, warm_rss_, loaded);
  }

  const int pid_, seconds_, rate_, stream_count_;
  const bool accepted_;
  const std::string server_;
  const SilentServer silent_;
  const std::unique_ptr<v1::ScanService::Stub> stub_;
  int filled_ = 0;
  double sent_s_ = 0;
  double answered_s_ = 0;
  long warm_rss_ = 0;
  std::vector<double> get_ms_;
  std::atomic<int> answered_ = 0;
  std::atomic<int> wrong_ = 0;
  std::atomic<int> streams_heard_ = 0;
  Mutex mutex_;
  std::vector<double> submit_ms_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, int> reasons_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::jthread> watchers_;
};

}  // namespace
}  // namespace glint

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(
        stderr,
        "usage: serve_load HOST:PORT PID [SECONDS] [SUBMITS PER SECOND] [STREAMS] [accepted]\n");
    return 2;
  }
  const auto number = [&](int at, int usual) { return argc > at ? std::atoi(argv[at]) : usual; };
  return glint::Load(argv[1], std::atoi(argv[2]), number(3, 30), number(4, 1000), number(5, 50),
                     argc > 6 && std::string_view(argv[6]) == "accepted")
      .Run();
}
