// SPDX-License-Identifier: Apache-2.0
#include "notify/notifier.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "glint/error.h"
#include "notify/test_notification.h"

namespace glint {
namespace {

using std::chrono::milliseconds;

class Target final : public NotificationTarget {
 public:
  using Answer = std::function<absl::Status(const ScanNotification&, const CancelToken&)>;
  explicit Target(Answer answer) : answer_(std::move(answer)) {}
  std::string name() const override { return "test"; }
  absl::Status Deliver(const ScanNotification& notification, const CancelToken& cancel) override {
    return answer_(notification, cancel);
  }

 private:
  const Answer answer_;
};

std::unique_ptr<Notifier> Telling(std::vector<Target::Answer> answers, NotifierOptions options) {
  std::vector<std::unique_ptr<NotificationTarget>> targets;
  targets.reserve(answers.size());
  for (auto& answer : answers) targets.push_back(std::make_unique<Target>(std::move(answer)));
  return MakeNotifier(std::move(targets), options);
}

TEST(Notifier, TellsTheEndOfEveryScan) {
  std::atomic<int> finals = 0;
  {
    const auto notifier = Telling({[&](const ScanNotification& notification, const CancelToken&) {
                                    finals += notification.final ? 1 : 0;
                                    return absl::OkStatus();
                                  }},
                                  {.min_interval = milliseconds(1)});
    std::vector<std::jthread> scans;
    scans.reserve(8);
    for (int scan = 0; scan < 8; ++scan) {
      scans.emplace_back([&, scan] {
        for (int seq = 1; seq <= 50; ++seq) {
          notifier->Post(MakeNotification(fmt::format("scan-{}", scan), seq, seq == 50));
        }
      });
    }
  }
  EXPECT_EQ(finals, 8);
}

TEST(Notifier, ATargetThatHangsDelaysNobody) {
  std::atomic<int> told = 0;
  const auto hang = [](const ScanNotification&, const CancelToken& cancel) {
    absl::Status go_on;
    while ((go_on = cancel.Check()).ok()) std::this_thread::sleep_for(milliseconds(1));
    return go_on;
  };
  const auto count = [&](const ScanNotification&, const CancelToken&) {
    ++told;
    return absl::OkStatus();
  };
  auto notifier = Telling({hang, count}, {.capacity = 5, .drain_timeout = milliseconds(50)});
  for (int scan = 0; scan < 20; ++scan)
    notifier->Post(MakeNotification(fmt::format("s{}", scan), 1, true));
  while (notifier->counts()[1].delivered + notifier->counts()[1].dropped < 20) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(notifier->counts()[0].delivered, 0);
  EXPECT_GE(notifier->counts()[0].dropped, 14);
  notifier.reset();  // ends although one target never would
}

TEST(Notifier, CountsWhatFailsAndGoesOn) {
  int calls = 0;
  auto notifier = Telling({[&](const ScanNotification&, const CancelToken&) -> absl::Status {
                            switch (++calls) {
                              case 1:
                                return Error(Reason::kOutputUnwritable, "no");
                              case 2:
                                throw std::runtime_error("thrown");
                              default:
                                return absl::OkStatus();
                            }
                          }},
                          {});
  for (const char* id : {"a", "b", "c"}) notifier->Post(MakeNotification(id, 1, true));
  while (notifier->counts()[0].delivered == 0) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(notifier->counts()[0].failed, 2);
  EXPECT_EQ(notifier->counts()[0].target, "test");
}

}  // namespace
}  // namespace glint
