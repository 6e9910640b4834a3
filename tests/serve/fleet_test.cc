// SPDX-License-Identifier: Apache-2.0
// Several `glint serve`, as on several machines, with one PostgreSQL queue: any of them answers for
// any scan, and each scan ends once whatever happens to the one that runs it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "serve/served_worker.h"
#include "serve/test_server.h"
#include "support/cut_proxy.h"
#include "support/postgres_server.h"
#include "support/test_video.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

/// A video of which the second half comes when it is let.
class HeldClip {
 public:
  explicit HeldClip(const fs::path& folder) {
    const fs::path file = folder / "held.mp4";
    WriteTestVideo(file, {.size = {96, 64}, .frames = 8}, FillPattern);
    std::ifstream stream(file, std::ios::binary);
    clip_.assign(std::istreambuf_iterator<char>(stream), {});
    server_ = std::make_unique<HttpServer>([this](const ServerRequest&, ServerReply& reply) {
      ++requests_;
      const std::string_view clip = clip_;
      reply.Send(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", clip.size()));
      reply.Send(clip.substr(0, clip.size() / 2));
      const auto until = Steady::now() + 90s;
      while (held_ && Steady::now() < until) std::this_thread::sleep_for(5ms);
      reply.Send(clip.substr(clip.size() / 2));
    });
  }
  ~HeldClip() { Release(); }
  HeldClip(const HeldClip&) = delete;
  HeldClip& operator=(const HeldClip&) = delete;

  void Release() { held_ = false; }
  int requests() const { return requests_; }
  std::string Url() const { return server_->Url("/held.mp4"); }
  std::string Source() const { return fmt::format("127.0.0.1:{}", server_->port()); }

 private:
  std::string clip_;
  std::atomic<bool> held_ = true;
  std::atomic<int> requests_ = 0;
  std::unique_ptr<HttpServer> server_;
};

/// Seconds since 1970.
double Now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

class Fleet : public testing::Test {
 protected:
  void SetUp() override {
    if (TestPostgres::Get() == nullptr) {
      GTEST_SKIP() << "PostgreSQL is not installed (scripts/setup.sh --tests)";
    }
    url_ = TestPostgres::Get()->MakeDatabase();
  }

  /// A worker with a state folder of its own and the results of all. It runs one scan at a time.
  std::unique_ptr<ServedWorker> Start(const std::string& name,
                                      const std::vector<std::string>& more = {}) {
    const fs::path folder = folder_.path() / name;
    fs::create_directory(folder);
    std::vector<std::string> flags = {"--jobs",    url_, "--store",        results_.string(),
                                      "--lanes",   "1",  "--downloads",    "0",
                                      "--threads", "1",  "--allow-source", clip_.Source()};
    flags.insert(flags.end(), more.begin(), more.end());
    auto worker = std::make_unique<ServedWorker>(folder, flags);
    EXPECT_TRUE(worker->WaitUntilServing());
    return worker;
  }
  static v1::Scan Get(ServedWorker& worker, const std::string& id) {
    Call call;
    v1::GetScanRequest request;
    request.set_scan_id(id);
    v1::GetScanResponse response;
    const grpc::Status status = worker.scans().GetScan(&call, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.scan();
  }
  static bool WaitForState(ServedWorker& worker, const std::string& id, v1::ScanState state) {
    return Eventually([&] { return Get(worker, id).state() == state; });
  }
  /// How often the scan ended.
  std::string Ends(const std::string& id) const {
    return RunSql(url_, fmt::format("SELECT count(*) FROM glint_events WHERE scan_id = '{}' AND "
                                    "state IN ('succeeded', 'failed', 'cancelled')",
                                    id));
  }

  const TempFolder folder_;
  const fs::path results_ = folder_.path() / "results";
  HeldClip clip_{folder_.path()};
  std::string url_;
};

TEST_F(Fleet, AScanOfOneWorkerIsWatchedListedAndCancelledAtAnother) {
  const auto one = Start("one");
  ASSERT_TRUE(SubmitScan(one->scans(), "watched", clip_.Url()).ok());
  ASSERT_TRUE(WaitForState(*one, "watched", v1::SCAN_STATE_RUNNING));
  const auto two = Start("two");  // after it: the first one has taken the scan
  ASSERT_TRUE(SubmitScan(two->scans(), "cancelled", clip_.Url()).ok());
  ASSERT_TRUE(WaitForState(*one, "cancelled", v1::SCAN_STATE_RUNNING));

  Call watch;
  v1::WatchScanRequest request;
  request.set_scan_id("watched");
  const auto stream = two->scans().WatchScan(&watch, request);
  v1::WatchScanResponse event;
  ASSERT_TRUE(stream->Read(&event));
  EXPECT_EQ(event.event().scan().state(), v1::SCAN_STATE_RUNNING);

  Call list_call;
  v1::ListScansResponse list;
  ASSERT_TRUE(two->scans().ListScans(&list_call, {}, &list).ok());
  EXPECT_EQ(list.scans_size(), 2);

  Call cancel_call;
  v1::CancelScanRequest cancel;
  cancel.set_scan_id("cancelled");
  v1::CancelScanResponse cancelled;
  const auto asked = Steady::now();
  ASSERT_TRUE(one->scans().CancelScan(&cancel_call, cancel, &cancelled).ok());
  EXPECT_TRUE(WaitForState(*one, "cancelled", v1::SCAN_STATE_CANCELLED));
  EXPECT_LT(Steady::now() - asked, 3s) << "not when the lease is renewed next";

  const double released = Now();
  clip_.Release();
  double latest_late = 0;
  while (stream->Read(&event)) {
    const auto& time = event.event().time();
    const double happened =
        static_cast<double>(time.seconds()) + 1e-9 * static_cast<double>(time.nanos());
    if (happened > released) latest_late = std::max(latest_late, Now() - happened);
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(event.event().scan().state(), v1::SCAN_STATE_SUCCEEDED);
  EXPECT_LT(latest_late, 1);
  fmt::print("the latest event of another worker's scan came {:.0f} ms after it happened\n",
             1e3 * latest_late);
  one->Drain();
  two->Drain();
}

TEST_F(Fleet, AnOwnersScanGoesToAWorkerOfItsTierAndSaysWhyItRanElsewhereThanMeant) {
  constexpr const char* kSite = "site-token-0123456789";
  const std::string tokens =
      folder_
          .Write("tokens", fmt::format("owner=site tiers=premium,free {}\nops {}\n", kSite, kToken))
          .string();
  clip_.Release();
  const auto premium = Start("premium", {"--token-file", tokens, "--tiers", "premium",
                                         "--tier-device", "premium=cuda", "--spill-to-cpu", "1s"});
  const auto submit = [&](const std::string& tier) {
    Call call(kSite);
    v1::SubmitScanRequest request;
    request.set_scan_id("of-" + tier);
    request.set_video_url(clip_.Url());
    request.set_tier(tier);
    v1::SubmitScanResponse response;
    const grpc::Status status = premium->scans().SubmitScan(&call, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
  };
  const auto get = [&](const std::string& tier) {
    Call call(kSite);
    v1::GetScanRequest request;
    request.set_scan_id("of-" + tier);
    v1::GetScanResponse response;
    EXPECT_TRUE(premium->scans().GetScan(&call, request, &response).ok());
    return response.scan();
  };
  submit("free");
  submit("premium");
  ASSERT_TRUE(Eventually([&] { return get("premium").state() == v1::SCAN_STATE_SUCCEEDED; }));
  EXPECT_EQ(get("premium").device(), "cpu");
  EXPECT_EQ(get("premium").placing(), "no cuda worker for 1 s");
  EXPECT_EQ(get("free").state(), v1::SCAN_STATE_QUEUED) << "nobody serves it";
  const auto free = Start("free", {"--token-file", tokens, "--tiers", "free"});
  ASSERT_TRUE(Eventually([&] { return get("free").state() == v1::SCAN_STATE_SUCCEEDED; }));
  EXPECT_EQ(get("free").placing(), "");
  EXPECT_TRUE(fs::exists(results_ / "@site" / "of-premium" / "report.json"));
  Call call(kToken);
  v1::ListWorkersResponse fleet;
  ASSERT_TRUE(free->worker().ListWorkers(&call, {}, &fleet).ok());
  ASSERT_EQ(fleet.workers_size(), 2);
  for (const v1::FleetWorker& worker : fleet.workers()) EXPECT_TRUE(worker.alive());
  premium->Drain();
  free->Drain();
}

TEST_F(Fleet, ScansOfAKilledAndOfAFrozenWorkerEndOnceAtAnother) {
  const auto killed = Start("killed");
  ASSERT_TRUE(SubmitScan(killed->scans(), "of-killed", clip_.Url()).ok());
  ASSERT_TRUE(WaitForState(*killed, "of-killed", v1::SCAN_STATE_RUNNING));
  const auto frozen = Start("frozen");
  ASSERT_TRUE(SubmitScan(frozen->scans(), "of-frozen", clip_.Url()).ok());
  ASSERT_TRUE(WaitForState(*frozen, "of-frozen", v1::SCAN_STATE_RUNNING));
  const auto successor = Start("successor");
  ASSERT_TRUE(Eventually([&] { return clip_.requests() == 2; }));
  killed->Kill();
  frozen->Signal(SIGSTOP);
  clip_.Release();
  for (const char* id : {"of-killed", "of-frozen"}) {
    EXPECT_TRUE(WaitForState(*successor, id, v1::SCAN_STATE_SUCCEEDED)) << id;
  }
  frozen->Signal(SIGCONT);
  // It goes on with a scan that is not its own any more, and can take new ones after it.
  ASSERT_TRUE(SubmitScan(successor->scans(), "after", clip_.Url()).ok());
  EXPECT_TRUE(WaitForState(*successor, "after", v1::SCAN_STATE_SUCCEEDED));
  const std::string log = frozen->Drain();
  EXPECT_NE(log.find("not ours any more"), std::string::npos) << log;
  successor->Drain();
  killed->Wait();
  for (const char* id : {"of-killed", "of-frozen", "after"}) {
    EXPECT_EQ(Ends(id), "1") << id;
    EXPECT_TRUE(fs::exists(results_ / id / "report.json")) << id;
  }
}

TEST_F(Fleet, AScanEndsOnceThoughTheQueueIsAwayWhenItEndsAndForASecondBefore) {
  const auto own = TestPostgres::Start();
  ASSERT_TRUE(own);
  const std::string direct = own->MakeDatabase();
  CutProxy proxy(own->port());
  url_ = fmt::format("postgresql://glint@127.0.0.1:{}/{}", proxy.port(),
                     direct.substr(direct.rfind('/') + 1));
  const auto one = Start("one");
  ASSERT_TRUE(SubmitScan(one->scans(), "scan", clip_.Url()).ok());
  ASSERT_TRUE(WaitForState(*one, "scan", v1::SCAN_STATE_RUNNING));
  proxy.Cut();
  std::this_thread::sleep_for(1s);
  proxy.PassOn();
  ASSERT_TRUE(Eventually([&] { return clip_.requests() == 1; }));
  own->Kill();
  clip_.Release();
  std::this_thread::sleep_for(3s);  // in which the scan is made
  Call call;
  v1::GetScanRequest request;
  request.set_scan_id("scan");
  v1::GetScanResponse response;
  EXPECT_EQ(one->scans().GetScan(&call, request, &response).error_code(),
            grpc::StatusCode::UNAVAILABLE);
  ASSERT_TRUE(own->Restart());
  EXPECT_TRUE(WaitForState(*one, "scan", v1::SCAN_STATE_SUCCEEDED));
  EXPECT_EQ(Ends("scan"), "1");
  EXPECT_EQ(clip_.requests(), 1) << "it was made once";
  ASSERT_TRUE(SubmitScan(one->scans(), "after", clip_.Url()).ok());
  EXPECT_TRUE(WaitForState(*one, "after", v1::SCAN_STATE_SUCCEEDED));
  one->Drain();
}

}  // namespace
}  // namespace glint
