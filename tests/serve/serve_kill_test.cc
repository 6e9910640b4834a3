// SPDX-License-Identifier: Apache-2.0
// `glint serve` as its users run it, killed at any moment: no acknowledged scan is lost, none ends
// or is published twice, and nothing is left behind.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <latch>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "serve/served_worker.h"
#include "serve/test_server.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kDefaultKills = 15;  // all takes longer
#else
constexpr int kDefaultKills = 110;
#endif

namespace glint {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

/// GLINT_KILLS asks for a longer run, GLINT_KILL_SEED for another one.
int FromEnvironment(const char* name, int usual) {
  const char* const text = std::getenv(name);
  return text == nullptr ? usual : std::atoi(text);
}

bool IsFinal(v1::ScanState state) {
  return state == v1::SCAN_STATE_SUCCEEDED || state == v1::SCAN_STATE_FAILED ||
         state == v1::SCAN_STATE_CANCELLED;
}

/// What a client knows of a scan that was acknowledged.
struct KnownScan {
  std::int64_t heard = 0;  ///< seq of the last event that it was sent
  v1::ScanState end = v1::SCAN_STATE_UNSPECIFIED;
  ino_t published = 0;  ///< the report's file when it was first seen
};

/// When a worker is killed: a while after its start, or after it has begun to serve, or after it
/// has published a result, where a second publication could follow.
struct KillMoment {
  bool serving = true;
  bool published = false;
  std::chrono::microseconds wait;
};

class ServeKill : public testing::Test {
 protected:
  // Children of a worker that was killed become ours, so that none can hide.
  ServeKill() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fs::create_directory(results_);
  }
  ~ServeKill() override { prctl(PR_SET_CHILD_SUBREAPER, 0); }

  std::unique_ptr<ServedWorker> Start() {
    return std::make_unique<ServedWorker>(
        folder_.path(), std::vector<std::string>{"--allow-source", clips_.Source(), "--lanes", "2",
                                                 "--threads", "2", "--log-format", "json"});
  }

  KillMoment SomeMoment(int life);
  void KillAt(const KillMoment& moment, ServedWorker& worker, std::latch& serving) const;
  void WaitForResult() const;

  void Use(ServedWorker& worker, int life);
  bool SubmitAll(ServedWorker& worker);
  bool WatchToItsEnd(ServedWorker& worker, const std::string& id, KnownScan& scan);
  void ExpectEndsAreKept(ServedWorker& worker);

  void LookAround(const std::string& log);
  std::set<std::string> Downloads() const { return FilesBelow(folder_.path() / "state/downloads"); }
  void ExpectNoOrphans();
  void ExpectWhole(const v1::Scan& scan) const;
  void ExpectOneEnd(ServedWorker& worker, const std::string& id);

  const TempFolder folder_;
  const ClipServer clips_{folder_.path()};
  const fs::path results_ = folder_.path() / "results";  // made beforehand, to be watched
  std::mt19937 random_;
  std::set<std::string> to_submit_;  // not acknowledged so far
  std::map<std::string, KnownScan> scans_;
  std::set<std::string> leftovers_;  // files of downloads behind the latest kill
  int kills_with_leftovers_ = 0;
  int children_left_ = 0;
  int results_taken_ = 0;
  int succeeded_ = 0, died_ = 0, repeated_ = 0;
};

/// Waits until a result gets its name; not for ever, as a scan may fail after three deaths.
void ServeKill::WaitForResult() const {
  const int watch = inotify_init1(IN_CLOEXEC);
  inotify_add_watch(watch, results_.c_str(), IN_MOVED_TO);
  pollfd moved{.fd = watch, .events = POLLIN, .revents = 0};
  constexpr int kMaxMs = 2000;
  poll(&moved, 1, kMaxMs);
  close(watch);
}

KillMoment ServeKill::SomeMoment(int life) {
  const auto up_to = [&](std::chrono::microseconds most) {
    return std::chrono::microseconds(random_() % static_cast<std::uint32_t>(most.count()));
  };
  constexpr int kStartingOneOf = 8;
  if (life % kStartingOneOf == 0) return {.serving = false, .wait = up_to(400ms)};
  if (life % 2 == 1) return {.wait = up_to(500ms)};
  return {.published = true, .wait = up_to(2ms)};
}

void ServeKill::KillAt(const KillMoment& moment, ServedWorker& worker, std::latch& serving) const {
  if (moment.serving) serving.wait();
  if (moment.published) WaitForResult();
  std::this_thread::sleep_for(moment.wait);
  worker.Kill();
}

/// What a client does while the worker lives: it submits, and follows one scan after the other.
void ServeKill::Use(ServedWorker& worker, int life) {
  for (const std::string& file : Downloads()) {
    EXPECT_FALSE(leftovers_.contains(file)) << file << " is left from an earlier life";
  }
  ExpectEndsAreKept(worker);
  const auto open = std::ranges::count_if(
      scans_, [](const auto& scan) { return scan.second.end == v1::SCAN_STATE_UNSPECIFIED; });
  constexpr int kMaxOpen = 4;
  for (int i = 0; i < 2 && open + i < kMaxOpen; ++i) {
    to_submit_.insert(fmt::format("life-{}-{}", life, i));
  }
  if (!SubmitAll(worker)) return;
  for (auto& [id, scan] : scans_) {
    if (IsFinal(scan.end)) continue;
    if (!WatchToItsEnd(worker, id, scan)) return;
  }
}

/// @return whether the worker has answered every time. What it has not acknowledged is submitted
/// again in its next life, under the same id.
bool ServeKill::SubmitAll(ServedWorker& worker) {
  while (!to_submit_.empty()) {
    const std::string id = *to_submit_.begin();
    const grpc::Status status = SubmitScan(worker.scans(), id, clips_.Url());
    if (status.error_code() == grpc::StatusCode::UNAVAILABLE) return false;
    EXPECT_TRUE(status.ok()) << id << ": " << status.error_message();
    to_submit_.erase(id);
    scans_[id];
  }
  return true;
}

/// Goes on where the stream before was lost. @return whether the scan has ended
bool ServeKill::WatchToItsEnd(ServedWorker& worker, const std::string& id, KnownScan& scan) {
  Call call;
  v1::WatchScanRequest request;
  request.set_scan_id(id);
  request.set_after_seq(scan.heard);
  const auto stream = worker.scans().WatchScan(&call, request);
  for (v1::WatchScanResponse message; stream->Read(&message);) {
    if (message.snapshot()) continue;
    EXPECT_EQ(message.event().seq(), scan.heard + 1) << id;
    EXPECT_EQ(scan.end, v1::SCAN_STATE_UNSPECIFIED) << id << " goes on after its end";
    scan.heard = message.event().seq();
    if (IsFinal(message.event().scan().state())) scan.end = message.event().scan().state();
  }
  const grpc::Status status = stream->Finish();
  EXPECT_TRUE(status.ok() || status.error_code() == grpc::StatusCode::UNAVAILABLE)
      << id << ": " << status.error_message();
  return status.ok();
}

void ServeKill::ExpectEndsAreKept(ServedWorker& worker) {
  Call call;
  v1::ListScansRequest request;
  request.set_page_size(1000);
  v1::ListScansResponse response;
  if (!worker.scans().ListScans(&call, request, &response).ok()) return;
  std::map<std::string, v1::ScanState> listed;
  for (const v1::Scan& scan : response.scans()) listed[scan.scan_id()] = scan.state();
  for (const auto& [id, scan] : scans_) {
    ASSERT_TRUE(listed.contains(id)) << id << " was acknowledged and is not known any more";
    if (!IsFinal(scan.end)) continue;
    EXPECT_EQ(listed.at(id), scan.end) << id;
  }
}

/// After a kill: what is there, and what must not be.
void ServeKill::LookAround(const std::string& log) {
  ExpectNoOrphans();
  leftovers_ = Downloads();
  std::erase_if(leftovers_, [&](const std::string& file) {
    return !fs::is_regular_file(folder_.path() / "state/downloads" / file);
  });
  kills_with_leftovers_ += leftovers_.empty() ? 0 : 1;
  for (std::size_t at = 0; (at = log.find("has published the result", at)) != log.npos; ++at) {
    ++results_taken_;
  }
  for (auto& [id, scan] : scans_) {
    struct stat report {};
    if (stat((results_ / id / "report.json").c_str(), &report) != 0) {
      EXPECT_EQ(scan.published, 0U) << id << " has vanished";
      continue;
    }
    EXPECT_TRUE(scan.published == 0 || scan.published == report.st_ino)
        << id << " was published twice";
    scan.published = report.st_ino;
  }
}

/// The decoders of a dead worker notification, and end.
void ServeKill::ExpectNoOrphans() {
  const auto deadline = Steady::now() + 10s;
  while (true) {
    const pid_t child = waitpid(-1, nullptr, WNOHANG);
    if (child < 0 && errno == ECHILD) return;
    if (child > 0) {
      ++children_left_;
    } else if (Steady::now() > deadline) {
      FAIL() << "a decoder lives on without its worker";
    } else {
      std::this_thread::sleep_for(1ms);
    }
  }
}

/// All that the scan's result names is there as it says, the receipt besides, and nothing else.
void ServeKill::ExpectWhole(const v1::Scan& scan) const {
  const fs::path place = results_ / scan.scan_id();
  std::set<std::string> expected = {"receipt.json"};
  for (const v1::ScanObject& object : scan.result().objects()) {
    std::error_code missing;
    EXPECT_EQ(fs::file_size(place / object.name(), missing), object.bytes())
        << place / object.name();
    expected.insert(object.name());
  }
  EXPECT_EQ(scan.result().objects().rbegin()->name(), "report.json") << scan.scan_id();
  std::set<std::string> files = FilesBelow(place);
  std::erase_if(files, [&](const std::string& name) { return fs::is_directory(place / name); });
  EXPECT_EQ(files, expected) << scan.scan_id();
}

void ServeKill::ExpectOneEnd(ServedWorker& worker, const std::string& id) {
  KnownScan from_the_start;
  EXPECT_TRUE(WatchToItsEnd(worker, id, from_the_start)) << id;
  EXPECT_TRUE(IsFinal(from_the_start.end)) << id;
  EXPECT_EQ(from_the_start.heard, scans_.at(id).heard) << id;
  Call call;
  v1::GetScanRequest request;
  request.set_scan_id(id);
  v1::GetScanResponse response;
  ASSERT_TRUE(worker.scans().GetScan(&call, request, &response).ok()) << id;
  const v1::Scan& scan = response.scan();
  repeated_ += scan.attempts() > 1 ? 1 : 0;
  if (scan.state() == v1::SCAN_STATE_FAILED) {
    ++died_;
    EXPECT_EQ(scan.error().reason(), "WORKER_DIED") << scan.error().message();
    EXPECT_EQ(scan.attempts(), 3) << id;
    EXPECT_FALSE(fs::exists(results_ / id)) << id;
  } else {
    ++succeeded_;
    EXPECT_EQ(scan.state(), v1::SCAN_STATE_SUCCEEDED) << id;
    ExpectWhole(scan);
  }
}

TEST_F(ServeKill, EveryAcknowledgedScanEndsOnceAndNothingIsLeftBehind) {
  const int kills = FromEnvironment("GLINT_KILLS", kDefaultKills);
  const int seed = FromEnvironment("GLINT_KILL_SEED", 20'240'819);
  random_.seed(static_cast<std::uint32_t>(seed));
  for (int life = 0; life < kills; ++life) {
    const auto worker = Start();
    std::latch serving(1);
    const KillMoment moment = SomeMoment(life);
    std::thread killer([&] { KillAt(moment, *worker, serving); });
    const bool served = worker->WaitUntilServing();
    serving.count_down();
    if (served) Use(*worker, life);
    killer.join();
    LookAround(worker->Wait());
    if (HasFatalFailure()) return;
  }

  const auto last = Start();
  ASSERT_TRUE(last->WaitUntilServing());
  Use(*last, kills);
  for (const auto& [id, scan] : scans_) ExpectOneEnd(*last, id);
  LookAround(last->Drain());
  EXPECT_TRUE(leftovers_.empty());
  for (const auto& entry : fs::directory_iterator(results_)) {
    EXPECT_TRUE(scans_.contains(entry.path().filename())) << entry.path();
  }
  fmt::print(
      "seed {}: {} kills; {} scans acknowledged: {} succeeded, {} given up after three deaths, "
      "{} took more than one attempt, {} results taken from a dead worker; {} kills left files of "
      "downloads, {} decoders outlived their worker for a moment\n",
      seed, kills, scans_.size(), succeeded_, died_, repeated_, results_taken_,
      kills_with_leftovers_, children_left_);
  EXPECT_GT(succeeded_, kills / 10) << "the kills came too early to mean anything";
  EXPECT_GT(repeated_, kills / 20) << "the kills came too late to mean anything";
}

}  // namespace
}  // namespace glint
