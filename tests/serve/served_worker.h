// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <latch>
#include <memory>
#include <string>
#include <vector>

#include "cli/program.h"
#include "glint/v1/scan_service.grpc.pb.h"
#include "glint/v1/worker_service.grpc.pb.h"
#include "support/http_server.h"

namespace glint {

/// A small steady clip on a web server of this machine. Now and then its second half takes a while,
/// so that a download can be found half done.
class ClipServer {
 public:
  /// @param together  so many first requests are answered when all of them have come
  explicit ClipServer(const std::filesystem::path& folder, int together = 0);

  std::string Url() const { return server_->Url("/clip.mp4"); }
  /// For --allow-source.
  std::string Source() const;

 private:
  const std::string clip_;
  std::atomic<int> requests_ = 0;
  const int together_;
  std::latch all_together_{together_};
  const std::unique_ptr<HttpServer> server_;  // its handler reads all of these
};

/// `glint serve` as a process, on a free port and without tokens, with its state in FOLDER/state
/// and, unless it is given another --store, results in FOLDER/results.
class ServedWorker {
 public:
  /// @param more  further flags
  explicit ServedWorker(const std::filesystem::path& folder, std::vector<std::string> more = {});

  /// Waits until it serves. @return false when it has ended before
  bool WaitUntilServing();
  /// Its scans; only while it serves.
  v1::ScanService::Stub& scans() { return *scans_; }
  v1::WorkerService::Stub& worker() { return *worker_; }
  /// SIGKILL; from any thread, before Wait() or Drain() is called.
  void Kill() { program_->Signal(SIGKILL); }
  /// Another signal than SIGKILL; likewise.
  void Signal(int signal) { program_->Signal(signal); }
  /// Waits for its end. @return what it logged
  std::string Wait();
  /// SIGTERM, and waits; fails the test unless it ends well. @return what it logged
  std::string Drain();

 private:
  std::unique_ptr<Program> program_;
  std::unique_ptr<v1::ScanService::Stub> scans_;
  std::unique_ptr<v1::WorkerService::Stub> worker_;
};

/// Submits a scan of a video, with nothing else asked for.
grpc::Status SubmitScan(v1::ScanService::Stub& scans, const std::string& id,
                        const std::string& url);

}  // namespace glint
