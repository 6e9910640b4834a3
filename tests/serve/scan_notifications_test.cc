// SPDX-License-Identifier: Apache-2.0
#include "serve/scan_notifications.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "jobs/sqlite_jobs.h"
#include "serve/outbox.h"
#include "serve/test_server.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

/// What a target was told.
struct Heard {
  std::mutex mutex;
  std::vector<ScanNotification> notifications;

  ScanNotification Last() {
    const std::scoped_lock lock(mutex);
    return notifications.empty() ? ScanNotification() : notifications.back();
  }
};

class Listener final : public NotificationTarget {
 public:
  explicit Listener(Heard& heard) : heard_(heard) {}
  std::string name() const override { return "listener"; }
  absl::Status Deliver(const ScanNotification& notification,
                       const CancelToken& /*cancel*/) override {
    const std::scoped_lock lock(heard_.mutex);
    heard_.notifications.push_back(notification);
    return absl::OkStatus();
  }

 private:
  Heard& heard_;
};

TEST(ScanNotifications, TellHowAScanGetsOnAndHowItEnds) {
  TestServer server;
  Heard heard;
  std::vector<std::unique_ptr<NotificationTarget>> targets;
  targets.push_back(std::make_unique<Listener>(heard));
  ScanNotifications notifications(server.jobs(), std::move(targets));
  Submit(server, "a");
  EXPECT_TRUE(Eventually([&] { return heard.Last().state == "queued"; }));
  const JobLease lease = server.Claim();
  EXPECT_TRUE(Eventually([&] { return heard.Last().state == "running"; }));
  ASSERT_THAT(server.jobs().Fail(lease, {Reason::kNotAVideo, "no video"}), IsOk());
  EXPECT_TRUE(Eventually([&] { return heard.Last().final; }));
  const ScanNotification last = heard.Last();
  EXPECT_EQ(last.scan_id, "a");
  EXPECT_EQ(last.state, "failed");
  EXPECT_EQ(last.reason, "NOT_A_VIDEO");
  EXPECT_EQ(last.message, "no video");
  EXPECT_EQ(last.seq, server.jobs().Get("a")->last_seq);
}

/// Is away for some deliveries.
class Absent final : public NotificationTarget {
 public:
  Absent(Heard& heard, int failures) : heard_(heard), failures_(failures) {}
  std::string name() const override { return "listener"; }
  absl::Status Deliver(const ScanNotification& notification,
                       const CancelToken& /*cancel*/) override {
    if (failures_-- > 0) return Error(Reason::kOutputUnwritable, "away");
    const std::scoped_lock lock(heard_.mutex);
    heard_.notifications.push_back(notification);
    return absl::OkStatus();
  }

 private:
  Heard& heard_;
  int failures_;
};

class OutboxTest : public testing::Test {
 protected:
  /// A scan that ended a while ago, with nobody told.
  void EndAScan() {
    auto early = OpenSqliteJobs(file_, {.notify = {"listener"}}, {.now = [] {
                                  return std::chrono::time_point_cast<std::chrono::microseconds>(
                                      std::chrono::system_clock::now() - std::chrono::minutes(1));
                                }});
    ASSERT_THAT(early, IsOk());
    ASSERT_THAT((*early)->Submit({"a", "r", ""}), IsOk());
    ASSERT_THAT((*early)->Cancel("a"), IsOk());
  }
  std::unique_ptr<JobStore> Open() {
    auto store = OpenSqliteJobs(file_, {.notify = {"listener"}});
    EXPECT_THAT(store, IsOk());
    return *std::move(store);
  }
  static std::vector<std::unique_ptr<NotificationTarget>> Target(Heard& heard, int failures) {
    std::vector<std::unique_ptr<NotificationTarget>> targets;
    targets.push_back(std::make_unique<Absent>(heard, failures));
    return targets;
  }
  const OutboxOptions quick_{.look = std::chrono::milliseconds(20),
                             .first_wait = std::chrono::milliseconds(1),
                             .attempts = 5};
  const TempFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "jobs.sqlite";
};

TEST_F(OutboxTest, TellsOfEndsThatAWorkerDidNotLiveToTell) {
  EndAScan();
  const auto jobs = Open();
  Heard heard;
  Outbox outbox(*jobs, Target(heard, 2), quick_);
  EXPECT_TRUE(Eventually([&] { return outbox.delivered() == 1; }));
  EXPECT_EQ(heard.Last().scan_id, "a");
  EXPECT_EQ(heard.Last().state, "cancelled");
  EXPECT_TRUE(heard.Last().final);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(heard.notifications.size(), 1U) << "once is enough";
}

TEST_F(OutboxTest, GivesUpInTheEndAndCountsIt) {
  EndAScan();
  const auto jobs = Open();
  Heard heard;
  Outbox outbox(*jobs, Target(heard, 1'000), quick_);
  EXPECT_TRUE(Eventually([&] { return outbox.dead() == 1; }));
  EXPECT_EQ(outbox.delivered(), 0);
}

}  // namespace
}  // namespace glint
