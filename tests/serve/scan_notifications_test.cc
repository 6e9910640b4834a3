// SPDX-License-Identifier: Apache-2.0
#include "serve/scan_notifications.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

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

}  // namespace
}  // namespace glint
