// SPDX-License-Identifier: Apache-2.0
// A worker that is killed at any moment loses no acknowledged job and ends none twice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "jobs/sqlite_jobs.h"
#include "support/child_program.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using namespace std::chrono_literals;

constexpr int kKills = 120;
constexpr std::uint32_t kSeed = 20'240'817;

class JobsKill : public testing::Test {
 protected:
  /// Runs the worker, maybe kills it, and takes note of what it was told.
  /// @return whether it ended by itself, and well
  bool Run(const std::string& run, int jobs,
           const std::optional<KillAfter>& kill_after = std::nullopt) {
    const ProgramRun victim = RunProgram(
        {GLINT_JOBS_VICTIM, folder_.path().string(), run, std::to_string(jobs)}, kill_after);
    Listen(victim.said);
    return victim.ended_well;
  }

  void Listen(const std::string& text) {
    std::istringstream lines(text);
    std::string what;
    std::string id;
    while (lines >> what >> id) {
      if (what == "SUBMITTED") {
        submitted_.insert(id);
      } else if (what == "COMPLETED") {
        std::string result;
        lines >> result;
        EXPECT_TRUE(completed_.emplace(id, result).second) << id << " was completed twice";
      } else {
        ADD_FAILURE() << text;
        return;
      }
    }
  }

  const TempFolder folder_;
  std::set<std::string> submitted_;
  std::map<std::string, std::string> completed_;
};

TEST_F(JobsKill, EveryAcknowledgedJobEndsExactlyOnce) {
  std::mt19937 random(kSeed);
  int kills = 0;
  for (int run = 0; kills < kKills; ++run) {
    // Every other kill comes at any moment, the rest when there is work, however slow the machine.
    const KillAfter moment{.time = std::chrono::microseconds(random() % 60'000),
                           .saying = run % 2 == 0 ? "" : "SUBMITTED"};
    if (!Run(fmt::format("run-{}", run), 1000, moment)) ++kills;
  }
  ASSERT_TRUE(Run("last", 1));

  const auto jobs = OpenSqliteJobs(folder_.path() / "jobs.db", {});
  ASSERT_THAT(jobs, IsOk());
  int died = 0;
  for (const std::string& id : submitted_) {
    const auto job = (*jobs)->Get(id);
    ASSERT_THAT(job, IsOk());
    EXPECT_EQ(job->request, "request of " + id);
    const auto events = (*jobs)->Events(id, 0, 1000);
    ASSERT_THAT(events, IsOk());
    int ends = 0;
    for (const JobEvent& event : *events) ends += IsFinal(event.state) ? 1 : 0;
    EXPECT_EQ(ends, 1) << id;
    EXPECT_TRUE(IsFinal(events->back().state)) << id;
    EXPECT_EQ(events->back().seq, std::ssize(*events)) << id;
    if (job->state == JobState::kFailed) {
      ++died;
      EXPECT_EQ(job->failure->reason, ServiceReason::kWorkerDied);
      EXPECT_EQ(job->attempts, 3);
    } else {
      EXPECT_EQ(job->state, JobState::kSucceeded) << id;
    }
  }
  for (const auto& [id, result] : completed_) {
    const auto job = (*jobs)->Get(id);
    ASSERT_THAT(job, IsOk());
    EXPECT_EQ(job->result, result) << id;
  }
  fmt::print(
      "seed {}: {} kills, {} jobs acknowledged, {} completions acknowledged, {} given up "
      "after three deaths\n",
      kSeed, kills, submitted_.size(), completed_.size(), died);
  EXPECT_GT(submitted_.size(), kKills / 3U) << "the kills came too early to mean anything";
}

}  // namespace
}  // namespace glint
