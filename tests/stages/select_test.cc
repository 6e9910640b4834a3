// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "base/thread_pool.h"
#include "glint/backend.h"
#include "stages/cpu/backend.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

absl::Status Broken(const BackendOptions&) {
  return Error(Reason::kDeviceUnavailable, "the driver is missing");
}
absl::Status Works(const BackendOptions&) { return absl::OkStatus(); }
absl::StatusOr<std::unique_ptr<Backend>> MakeNothing(const BackendOptions&) {
  return Error(Reason::kOutOfMemory, "the device is full");
}

class Select : public testing::Test {
 protected:
  ThreadPool pool_{2};
  const BackendOptions options_{.pool = &pool_};
  const std::array<BackendEntry, 3> broken_first_ = {
      BackendEntry{"broken", &Broken, &MakeCpuBackend},
      BackendEntry{"full", &Works, &MakeNothing},
      BackendEntry{"cpu", &Works, &MakeCpuBackend},
  };
};

TEST_F(Select, AutoTakesTheFirstThatWorksAndSaysWhyOthersWereSkipped) {
  const auto choice = SelectBackend("auto", broken_first_, options_);
  ASSERT_THAT(choice, IsOk());
  EXPECT_EQ(choice->name, "cpu");
  EXPECT_THAT(choice->why, AllOf(HasSubstr("broken skipped: the driver is missing"),
                                 HasSubstr("full skipped: the device is full")));
  ASSERT_EQ(choice->probes.size(), 3);
  EXPECT_EQ(choice->probes[0].name, "broken");
  EXPECT_THAT(choice->probes[0].status, FailsWith(Reason::kDeviceUnavailable, HasSubstr("driver")));
  EXPECT_THAT(choice->probes[2].status, IsOk());
}

TEST_F(Select, AutoDoesNotLookBeyondTheFirstThatWorks) {
  const std::array table = {BackendEntry{"cpu", &Works, &MakeCpuBackend},
                            BackendEntry{"broken", &Broken, &MakeCpuBackend}};
  const auto choice = SelectBackend("auto", table, options_);
  ASSERT_THAT(choice, IsOk());
  EXPECT_EQ(choice->name, "cpu");
  EXPECT_EQ(choice->probes.size(), 1);
  EXPECT_THAT(choice->why, Not(HasSubstr("skipped")));
}

TEST_F(Select, TheForcedBackendIsTheOneThatRuns) {
  const auto choice = SelectBackend("cpu", broken_first_, options_);
  ASSERT_THAT(choice, IsOk());
  EXPECT_EQ(choice->name, "cpu");
  EXPECT_EQ(choice->why, "forced");
  ASSERT_NE(choice->backend, nullptr);
  EXPECT_EQ(choice->backend->name(), "cpu");
  EXPECT_EQ(choice->probes.size(), 1) << "the others are not even tried";
}

TEST_F(Select, AForcedBackendThatFailsIsRefusedAndNeverReplaced) {
  EXPECT_THAT(SelectBackend("broken", broken_first_, options_),
              FailsWith(Reason::kDeviceUnavailable,
                        AllOf(HasSubstr("'broken'"), HasSubstr("the driver is missing"))));
  EXPECT_THAT(SelectBackend("full", broken_first_, options_),
              FailsWith(Reason::kDeviceUnavailable, HasSubstr("the device is full")));
}

TEST_F(Select, AutoWithoutAnyThatWorksSaysWhyForEach) {
  EXPECT_THAT(SelectBackend("auto", std::span(broken_first_).first(2), options_),
              FailsWith(Reason::kDeviceUnavailable, AllOf(HasSubstr("the driver is missing"),
                                                          HasSubstr("the device is full"))));
  EXPECT_THAT(SelectBackend("auto", {}, options_),
              FailsWith(Reason::kDeviceUnavailable, HasSubstr("'auto'")));
}

TEST_F(Select, AnUnknownNameListsTheNamesThereAre) {
  EXPECT_THAT(SelectBackend("gpu", broken_first_, options_),
              FailsWith(Reason::kInvalidOption,
                        AllOf(HasSubstr("'gpu'"), HasSubstr("auto, broken, full, cpu"))));
  EXPECT_THAT(SelectBackend("", broken_first_, options_),
              FailsWith(Reason::kInvalidOption, HasSubstr("''")));
}

TEST_F(Select, TheTableEndsWithACpuBackendThatPassesItsProbe) {
  const auto table = BackendTable();
  ASSERT_FALSE(table.empty());
  EXPECT_EQ(table.back().name, "cpu");
  EXPECT_THAT(table.back().probe(options_), IsOk());
  for (const BackendEntry& entry : table) EXPECT_NE(entry.name, "auto");
}

TEST_F(Select, TheCpuBackendSaysWhatItRunsOn) {
  const auto backend = MakeCpuBackend(options_);
  ASSERT_THAT(backend, IsOk());
  EXPECT_THAT((*backend)->description(), testing::MatchesRegex("2 cores, [A-Z].+"));
  EXPECT_TRUE((*backend)->device().is_host());
}

TEST_F(Select, TheCpuBackendNeedsAPool) {
  EXPECT_THAT(MakeCpuBackend({}), FailsWith(Reason::kInvalidOption, HasSubstr("thread pool")));
  EXPECT_THAT(ProbeCpu({}), FailsWith(Reason::kInvalidOption, HasSubstr("thread pool")));
}

}  // namespace
}  // namespace glint
