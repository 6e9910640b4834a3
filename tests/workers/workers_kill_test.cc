// SPDX-License-Identifier: Apache-2.0
// A worker that is killed at any moment of its scans loses none, publishes none twice, and leaves
// nothing behind. And one that lives long does not grow.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <sstream>

#include "jobs/sqlite_jobs.h"
#include "support/child_program.h"
#include "support/sanitized.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"
#include "support/test_video.h"
#include "support/usage.h"
#include "workers/completion_marker.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

class TestWorker : public testing::Test {
 protected:
  TestWorker() { WriteTestVideo(clip_, {.size = {96, 64}, .frames = 8}, FillPattern); }
  ProgramRun Run(const std::string& run, int scans,
                 const std::optional<KillAfter>& kill_after = std::nullopt) const {
    return RunProgram(
        {GLINT_TEST_WORKER, folder_.path().string(), clip_.string(), run, std::to_string(scans)},
        kill_after);
  }
  std::unique_ptr<JobStore> Jobs() const {
    auto jobs = OpenSqliteJobs(folder_.path() / "jobs.db", {});
    EXPECT_THAT(jobs, IsOk());
    return *std::move(jobs);
  }

  const TempFolder folder_;
  const fs::path clip_ = folder_.path() / "clip.mp4";
};

class WorkersKill : public TestWorker {
 protected:
  static constexpr int kKills = kSanitized ? 20 : 110;
  static constexpr std::uint32_t kSeed = 20'240'818;

  void Note(const ProgramRun& run) {
    std::istringstream lines(run.said);
    std::string what;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string id;
      words >> what >> id;
      if (what == "SUBMITTED") submitted_.insert(id);
      EXPECT_NE(what, "TWICE") << line;
      EXPECT_NE(what, "ERROR") << line;
    }
  }

  /// The set is there, and holds all that its completion marker's result counts.
  void ExpectWholeSet(const Job& job) const {
    const auto store = MakeFolderStore(folder_.path() / "results");
    const auto result = FindCompletedResult(*store, job.scan_id, job, CancelToken());
    ASSERT_THAT(result, IsOk());
    EXPECT_EQ(*result, job.result) << job.scan_id;
    const fs::path place = folder_.path() / "results" / job.scan_id;
    const auto files =
        std::ranges::count_if(fs::recursive_directory_iterator(place),
                              [](const auto& entry) { return entry.is_regular_file(); });
    EXPECT_EQ(std::to_string(files - 1), job.result) << job.scan_id;
  }

  std::set<std::string> submitted_;
};

TEST_F(WorkersKill, EveryScanEndsExactlyOnceAndIsPublishedOnceAndWhole) {
  std::mt19937 random(kSeed);
  int kills = 0;
  for (int run = 0; kills < kKills; ++run) {
    // Every other kill comes at any moment, the rest while a result is about to appear.
    const KillAfter moment =
        run % 2 == 0
            ? KillAfter{.time = std::chrono::microseconds(20'000 + random() % 400'000)}
            : KillAfter{.time = std::chrono::microseconds(random() % 60'000), .saying = "SEALING"};
    const ProgramRun killed = Run(fmt::format("run-{}", run), 2, moment);
    Note(killed);
    kills += killed.ended_well ? 0 : 1;
  }
  const ProgramRun last = Run("last", 1);
  Note(last);
  ASSERT_TRUE(last.ended_well) << last.said;

  const auto jobs = Jobs();
  int succeeded = 0;
  int died = 0;
  int repeated = 0;
  for (const std::string& id : submitted_) {
    const auto job = jobs->Get(id);
    ASSERT_THAT(job, IsOk());
    const std::vector<JobEvent> events = *jobs->Events(id, 0, 1000);
    EXPECT_EQ(std::ranges::count_if(events, [](const JobEvent& e) { return IsFinal(e.state); }), 1);
    repeated += job->attempts > 1 ? 1 : 0;
    if (job->state == JobState::kFailed) {
      ++died;
      EXPECT_EQ(job->failure.value_or(JobFailure{}).reason, ServiceReason::kWorkerDied);
      EXPECT_EQ(job->attempts, 3);
      EXPECT_FALSE(fs::exists(folder_.path() / "results" / id)) << id;
    } else {
      ++succeeded;
      EXPECT_EQ(job->state, JobState::kSucceeded) << id;
      ExpectWholeSet(*job);
    }
  }
  for (const auto& entry : fs::directory_iterator(folder_.path() / "results")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
  }
  fmt::print(
      "seed {}: {} kills, {} scans acknowledged, {} succeeded, {} given up after three "
      "deaths, {} took more than one attempt\n",
      kSeed, kills, submitted_.size(), succeeded, died, repeated);
  EXPECT_GT(succeeded, kKills / 10) << "the kills came too early to mean anything";
}

/// What the worker said of itself.
std::vector<Usage> UsageIn(const std::string& said) {
  std::vector<Usage> looks;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    Usage look;
    words >> what >> look.scans_ended >> look.resident_bytes >> look.open_files;
    if (words && what == "FIGURES") looks.push_back(look);
  }
  return looks;
}

TEST_F(TestWorker, DoesNotGrowFromScanToScan) {
  const int scans = kSanitized ? 15 : 240;
  const ProgramRun run = RunProgram({GLINT_TEST_WORKER, folder_.path().string(), clip_.string(),
                                     "soak", std::to_string(scans), std::to_string(scans)});
  ASSERT_TRUE(run.ended_well) << run.said;
  EXPECT_EQ(Jobs()->Counts()->succeeded, 2 * scans);
  if (kSanitized) return;
  std::vector<Usage> early = UsageIn(run.said);
  const auto middle = std::ranges::find(early, 2.0 * scans, &Usage::scans_ended);
  const std::vector<Usage> late(middle, early.end());
  early.erase(middle, early.end());
  ExpectNoGrowth(early, late);
}

}  // namespace
}  // namespace glint
