// SPDX-License-Identifier: Apache-2.0
// `glint serve` for long: what one process uses does not grow with the scans that it has made.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <sstream>
#include <thread>
#include <vector>

#include "http/http_client.h"
#include "serve/served_worker.h"
#include "serve/test_server.h"
#include "support/sanitized.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using namespace std::chrono_literals;

/// What /metrics said at a moment.
struct Look {
  double ended = 0, resident_bytes = 0, open_files = 0;
};

Look LookAt(HttpClient& client, const Url& metrics) {
  HttpRequest request;
  request.url = metrics;
  const auto response = client.Send(request, Reason::kDownloadFailed, CancelToken());
  EXPECT_THAT(response, IsOk());
  Look look;
  std::istringstream lines(response.ok() ? response->body : "");
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.rfind(' ');
    if (space == std::string::npos) continue;
    const double value = std::atof(line.c_str() + space);
    if (line.starts_with("glint_scans_total{")) look.ended += value;
    if (line.starts_with("process_resident_memory_bytes ")) look.resident_bytes = value;
    if (line.starts_with("process_open_fds ")) look.open_files = value;
  }
  return look;
}

/// The average while some scans were made: one look depends on what is in flight at that moment, by
/// more than the growth that is looked for.
Look Mean(const std::vector<Look>& looks, int from, int to) {
  Look sum;
  int count = 0;
  for (const Look& look : looks) {
    if (look.ended < from || look.ended >= to) continue;
    sum.resident_bytes += look.resident_bytes;
    sum.open_files += look.open_files;
    ++count;
  }
  EXPECT_GE(count, 10) << from << " to " << to;
  return {.resident_bytes = sum.resident_bytes / count, .open_files = sum.open_files / count};
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

TEST(ServeSoak, DoesNotGrowInTwoHundredScans) {
  const int scans = kSanitized ? 20 : 240;
  constexpr int kClients = 3;  // for two lanes: one scan always waits
  const TempFolder folder;
  const ClipServer clips(folder.path());
  const int metrics_port = UnusedPort();
  ServedWorker worker(folder.path(),
                      {"--allow-source", clips.Source(), "--lanes", "2", "--threads", "2",
                       "--metrics-listen", fmt::format("127.0.0.1:{}", metrics_port)});
  ASSERT_TRUE(worker.WaitUntilServing());
  HttpClient client({});
  const auto metrics = Url::Parse(fmt::format("http://127.0.0.1:{}/metrics", metrics_port));
  ASSERT_THAT(metrics, IsOk());

  std::vector<Look> looks;
  std::atomic<int> next = 0;
  {
    std::vector<std::jthread> clients;
    clients.reserve(kClients);
    for (int i = 0; i < kClients; ++i) {
      clients.emplace_back([&] {
        for (int scan = 0; (scan = next++) < scans;) {
          RunScan(worker.scans(), fmt::format("scan-{}", scan), clips.Url());
        }
      });
    }
    while (looks.empty() || looks.back().ended < scans) {
      looks.push_back(LookAt(client, *metrics));
      ASSERT_LT(looks.size(), 100'000U);
      std::this_thread::sleep_for(20ms);
    }
  }
  EXPECT_EQ(looks.back().ended, scans);
  worker.Drain();
  if (kSanitized) return;
  const Look early = Mean(looks, 20, 60);
  const Look late = Mean(looks, scans - 40, scans);
  fmt::print("scans 20-60: {:.0f} KiB resident, {:.1f} open files; {}-{}: {:.0f} KiB, {:.1f}\n",
             early.resident_bytes / 1024, early.open_files, scans - 40, scans,
             late.resident_bytes / 1024, late.open_files);
  EXPECT_LE(late.resident_bytes, early.resident_bytes * 1.05);
  EXPECT_LE(late.open_files, early.open_files * 1.05);
}

}  // namespace
}  // namespace glint
