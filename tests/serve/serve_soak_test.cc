// SPDX-License-Identifier: Apache-2.0
// `glint serve` for long: what one process uses does not grow with the scans that it has made.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <sstream>
#include <thread>
#include <vector>

#include "http/http_client.h"
#include "serve/served_worker.h"
#include "serve/test_server.h"
#include "support/sanitized.h"
#include "support/status_matchers.h"
#include "support/usage.h"

namespace glint {
namespace {

using namespace std::chrono_literals;

/// What /metrics says.
Usage LookAt(HttpClient& client, const Url& metrics) {
  HttpRequest request;
  request.url = metrics;
  const auto response = client.Send(request, Reason::kDownloadFailed, CancelToken());
  EXPECT_THAT(response, IsOk());
  Usage look;
  std::istringstream lines(response.ok() ? response->body : "");
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.rfind(' ');
    if (space == std::string::npos) continue;
    const double value = std::atof(line.c_str() + space);
    if (line.starts_with("glint_scans_total{")) look.scans_ended += value;
    if (line.starts_with("process_resident_memory_bytes ")) look.resident_bytes = value;
    if (line.starts_with("process_open_fds ")) look.open_files = value;
  }
  return look;
}

/// One scan from its submission to its end, on a stream of its own.
void RunScan(v1::ScanService::Stub& scans, const std::string& id, const std::string& url) {
  Call call("", std::chrono::minutes(5));
  v1::RunScanRequest request;
  request.mutable_submit()->set_scan_id(id);
  request.mutable_submit()->set_video_url(url);
  const auto stream = scans.RunScan(&call, request);
  v1::ScanState state = v1::SCAN_STATE_UNSPECIFIED;
  for (v1::RunScanResponse message; stream->Read(&message);) {
    state = message.event().scan().state();
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(state, v1::SCAN_STATE_SUCCEEDED) << id;
}

constexpr int kClients = 3;  // for two scan workers: one scan always waits

/// Makes the scans from `first` on, several at a time.
void RunScans(v1::ScanService::Stub& scans, const std::string& url, int first, int count) {
  std::atomic<int> next = first;
  std::vector<std::jthread> clients;
  clients.reserve(kClients);
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&] {
      for (int scan = 0; (scan = next++) < first + count;) {
        RunScan(scans, fmt::format("scan-{}", scan), url);
      }
    });
  }
}

/// What the idle worker uses, until it has given freed memory back, which it does every 20 s: at
/// any other moment it holds what the scans since then have freed, more or less by chance.
std::vector<Usage> LookUntilMemoryIsGivenBack(HttpClient& client, const Url& metrics) {
  std::vector<Usage> looks;
  const auto until = std::chrono::steady_clock::now() + 22s;
  while (std::chrono::steady_clock::now() < until) {
    looks.push_back(LookAt(client, metrics));
    std::this_thread::sleep_for(100ms);
  }
  return looks;
}

TEST(ServeSoak, DoesNotGrowFromScanToScan) {
  const char* const wanted = std::getenv("GLINT_SOAK");  // scans in all, for a longer run
  const int scans = wanted != nullptr ? std::atoi(wanted) / 2 : kSanitized ? 10 : 240;
  const TempFolder folder;
  const ClipServer clips(folder.path(), kClients);
  const int metrics_port = UnusedPort();
  ServedWorker worker(folder.path(),
                      {"--allow-source", clips.Source(), "--lanes", "2", "--threads", "2",
                       "--metrics-listen", fmt::format("127.0.0.1:{}", metrics_port)});
  ASSERT_TRUE(worker.WaitUntilServing());
  HttpClient client({});
  const auto metrics = Url::Parse(fmt::format("http://127.0.0.1:{}/metrics", metrics_port));
  ASSERT_THAT(metrics, IsOk());

  std::array<std::vector<Usage>, 2> halves;  // the first one warms the caches, too
  for (int half = 0; half < 2; ++half) {
    RunScans(worker.scans(), clips.Url(), half * scans, scans);
    halves[half] = LookUntilMemoryIsGivenBack(client, *metrics);
  }
  EXPECT_EQ(halves[1].back().scans_ended, 2 * scans);
  worker.Drain();
  if (kSanitized) return;
  ExpectNoGrowth(halves[0], halves[1]);
}

}  // namespace
}  // namespace glint
