// SPDX-License-Identifier: Apache-2.0
#include "observe/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace glint {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ServiceMetrics, CountWhatHappened) {
  const auto metrics = MakeServiceMetrics("1.2.3");
  metrics->StepDone(ScanStep::kDetecting, 0.2);
  metrics->ScanEnded(nullptr, 2, 120);
  metrics->ScanEnded(&Info(Reason::kNotAVideo), 0.5, 0);
  metrics->ScanEnded(&Info(Reason::kNotAVideo), 0.5, 0);
  metrics->ScanEnded(&Info(Reason::kCancelled), 1, 10);
  metrics->BytesDownloaded(1000);
  metrics->WatchdogTripped();
  metrics->JobStoreFailed();
  metrics->EarlierResultUsed();
  metrics->CallDone("GetScan", "NOT_FOUND", 0.002);
  const std::string text = metrics->Text();
  for (const char* line :
       {"glint_build_info{version=\"1.2.3\"} 1\n",
        "glint_step_seconds_bucket{step=\"detecting\",le=\"0.1\"} 0\n",
        "glint_step_seconds_bucket{step=\"detecting\",le=\"0.3\"} 1\n",
        "glint_step_seconds_sum{step=\"detecting\"} 0.2\n",
        "glint_scan_seconds_count{result=\"failed\"} 2\n", "glint_frames_total 130\n",
        "glint_frames_per_second 60\n", "glint_downloaded_bytes_total 1000\n",
        "glint_watchdog_trips_total 1\n", "glint_job_store_failures_total 1\n",
        "glint_results_taken_total 1\n", "glint_call_seconds_count{method=\"GetScan\"} 1\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(
      text, testing::ContainsRegex("glint_scans_total\\{[^}]*reason=\"NOT_A_VIDEO\"[^}]*\\} 2\n"));
  EXPECT_THAT(text,
              testing::ContainsRegex("glint_scans_total\\{[^}]*result=\"cancelled\"[^}]*\\} 1\n"));
  EXPECT_THAT(text,
              testing::ContainsRegex("glint_scans_total\\{[^}]*result=\"succeeded\"[^}]*\\} 1\n"));
  EXPECT_THAT(text,
              testing::ContainsRegex("glint_calls_total\\{[^}]*code=\"NOT_FOUND\"[^}]*\\} 1\n"));
}

TEST(ServiceMetrics, TiersAreShownAndOneInWhichNothingWaitsAnyMoreIsEmpty) {
  const auto metrics = MakeServiceMetrics("1");
  std::vector<TierGauges> tiers = {{"free", 3, 60, 12}, {"premium", 1, 2, 4}};
  metrics->SetGauges([&] { return WorkerGauges{.tiers = tiers}; });
  std::string text = metrics->Text();
  EXPECT_THAT(text, HasSubstr("glint_tier_queued_scans{tier=\"free\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("glint_tier_oldest_seconds{tier=\"free\"} 60\n"));
  EXPECT_THAT(text, HasSubstr("glint_tier_work_seconds{tier=\"premium\"} 4\n"));
  tiers.pop_back();
  text = metrics->Text();
  EXPECT_THAT(text, HasSubstr("glint_tier_queued_scans{tier=\"free\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("glint_tier_queued_scans{tier=\"premium\"} 0\n"));
}

TEST(ServiceMetrics, GaugesAreReadWhenSomebodyLooks) {
  const auto metrics = MakeServiceMetrics("1");
  std::int64_t queued = 7;
  metrics->SetGauges([&] { return WorkerGauges{.queued = queued, .running = 2, .watchers = 3}; });
  EXPECT_THAT(metrics->Text(), HasSubstr("glint_queued_scans 7\n"));
  queued = 8;
  const std::string text = metrics->Text();
  EXPECT_THAT(text, HasSubstr("glint_queued_scans 8\n"));
  EXPECT_THAT(text, HasSubstr("glint_running_scans 2\n"));
  EXPECT_THAT(text, HasSubstr("glint_watchers 3\n"));
  metrics->SetGauges({});
  queued = 9;
  EXPECT_THAT(metrics->Text(), HasSubstr("glint_queued_scans 8\n"));
}

TEST(ServiceMetrics, TellAboutTheProcess) {
  const std::string text = MakeServiceMetrics("1")->Text();
  for (const char* name :
       {"process_resident_memory_bytes", "process_open_fds", "process_cpu_seconds_total"}) {
    EXPECT_THAT(text, HasSubstr(std::string("\n") + name + " "));
    EXPECT_THAT(text, Not(HasSubstr(std::string("\n") + name + " 0\n")));
  }
}

TEST(ServiceMetrics, MayBeUsedFromManyThreads) {
  const auto metrics = MakeServiceMetrics("1");
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) {
          metrics->ScanEnded(nullptr, 1, 1);
          metrics->StepDone(ScanStep::kDecoding, 0.1);
          if (i % 20 == 0) metrics->Text();
        }
      });
    }
  }
  EXPECT_THAT(metrics->Text(), HasSubstr("glint_frames_total 400\n"));
}

}  // namespace
}  // namespace glint
