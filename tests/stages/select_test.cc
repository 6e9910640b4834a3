// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/thread_pool.h"
#include "glint/backend.h"
#include "stages/absent_device.h"
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

/// A machine with three devices of one kind, the second of them broken.
int CountMany() { return 3; }
int CountNone() { return 0; }
absl::Status ProbeMany(const BackendOptions& options) {
  if (options.ordinal == 0 || options.ordinal == 2) return absl::OkStatus();
  return Error(Reason::kDeviceUnavailable,
               options.ordinal == 1 ? "it is busy" : "there are only three");
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

absl::Status NotThere(const BackendOptions&) {
  return Absent(Error(Reason::kDeviceUnavailable, "there is no such card"));
}

TEST_F(Select, SaysNothingOfADeviceThatIsNotThereToThoseWhoDidNotAskForIt) {
  const std::array table = {BackendEntry{"card", &NotThere, &MakeCpuBackend},
                            BackendEntry{"cpu", &Works, &MakeCpuBackend}};
  const auto choice = SelectBackend("auto", table, options_);
  ASSERT_THAT(choice, IsOk());
  EXPECT_EQ(choice->why, "first of auto that works");
  EXPECT_EQ(choice->probes.size(), 2) << "glint doctor shows it";
  EXPECT_THAT(SelectBackend("card", table, options_),
              FailsWith(Reason::kDeviceUnavailable, HasSubstr("there is no such card")));
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

class SelectOfMany : public Select {
 protected:
  const std::array<BackendEntry, 2> many_ = {
      BackendEntry{"many", &ProbeMany, &MakeCpuBackend, &CountMany},
      BackendEntry{"cpu", &Works, &MakeCpuBackend},
  };
};

std::vector<std::string> Names(const std::vector<BackendChoice>& devices) {
  std::vector<std::string> names;
  names.reserve(devices.size());
  for (const BackendChoice& device : devices) names.push_back(device.name);
  return names;
}

TEST_F(SelectOfMany, EveryDeviceOfTheKindThatWorksIsTakenAndTheOthersAreExplained) {
  for (const char* wanted : {"auto", "many"}) {
    const auto devices = SelectBackends(wanted, many_, options_);
    ASSERT_THAT(devices, IsOk());
    EXPECT_THAT(Names(*devices), testing::ElementsAre("many:0", "many:2"));
    EXPECT_EQ(NamesOf(*devices), "many:0, many:2");
    for (const BackendChoice& device : *devices) {
      EXPECT_NE(device.backend, nullptr);
      EXPECT_EQ(device.probes.size(), 3);
      EXPECT_THAT(device.why,
                  AllOf(HasSubstr("over 2 devices"), HasSubstr("many:1 skipped: it is busy")));
    }
  }
}

TEST_F(SelectOfMany, OneScanTakesTheFirstThatWorksAndLooksNoFurther) {
  const auto choice = SelectBackend("auto", many_, options_);
  ASSERT_THAT(choice, IsOk());
  EXPECT_EQ(choice->name, "many:0");
  EXPECT_EQ(choice->why, "first of auto that works");
  EXPECT_EQ(choice->probes.size(), 1);
}

TEST_F(SelectOfMany, ANumberMeansThatDeviceAndNoOther) {
  const auto devices = SelectBackends("many:2", many_, options_);
  ASSERT_THAT(devices, IsOk());
  EXPECT_THAT(Names(*devices), testing::ElementsAre("many:2"));
  EXPECT_EQ(devices->front().why, "forced");
  EXPECT_THAT(
      SelectBackends("many:1", many_, options_),
      FailsWith(Reason::kDeviceUnavailable, AllOf(HasSubstr("'many:1'"), HasSubstr("it is busy"))));
  EXPECT_THAT(SelectBackends("many:3", many_, options_),
              FailsWith(Reason::kDeviceUnavailable, HasSubstr("there are only three")));
}

TEST_F(SelectOfMany, WhatIsNoNumberIsNoDevice) {
  for (const char* wanted : {"many:", "many:x", "many:-1", "many:1x", "cpu:0", "auto:0", ":1"}) {
    EXPECT_THAT(SelectBackends(wanted, many_, options_),
                FailsWith(Reason::kInvalidOption,
                          AllOf(HasSubstr(wanted), HasSubstr("auto, many, many:N, cpu"))));
  }
}

TEST_F(SelectOfMany, AKindWithoutDevicesIsAskedForItsReasonByItsBareName) {
  const std::array table = {BackendEntry{"many", &Broken, &MakeCpuBackend, &CountNone},
                            BackendEntry{"cpu", &Works, &MakeCpuBackend}};
  const auto devices = SelectBackends("auto", table, options_);
  ASSERT_THAT(devices, IsOk());
  EXPECT_THAT(Names(*devices), testing::ElementsAre("cpu"));
  EXPECT_THAT(devices->front().why, HasSubstr("many skipped: the driver is missing"));
}

TEST_F(Select, TheTableEndsWithACpuBackendThatPassesItsProbe) {
  const auto table = BackendTable();
  ASSERT_FALSE(table.empty());
  EXPECT_EQ(table.back().name, "cpu");
  EXPECT_THAT(table.back().probe(options_), IsOk());
  for (const BackendEntry& entry : table) EXPECT_NE(entry.name, "auto");
}

TEST_F(Select, AutoPassesOverABackendWhoseResultsAreOthers) {
  const std::array table = {BackendEntry{.name = "rough",
                                         .probe = &Works,
                                         .make = &MakeCpuBackend,
                                         .count = nullptr,
                                         .exact = false},
                            BackendEntry{"cpu", &Works, &MakeCpuBackend}};
  const auto chosen = SelectBackend("auto", table, options_);
  ASSERT_THAT(chosen, IsOk());
  EXPECT_EQ(chosen->name, "cpu");
  EXPECT_EQ(chosen->probes.size(), 1);
  const auto forced = SelectBackend("rough", table, options_);
  ASSERT_THAT(forced, IsOk());
  EXPECT_EQ(forced->name, "rough");
}

TEST_F(Select, OpenCvsCudaModulesAreInTheTableOfEveryBuild) {
  const auto entry = std::ranges::find(BackendTable(), "opencv_cuda", &BackendEntry::name);
  ASSERT_NE(entry, BackendTable().end());
  EXPECT_FALSE(entry->exact);
  if (const absl::Status probed = entry->probe(options_); !probed.ok()) {
    EXPECT_THAT(SelectBackend("opencv_cuda", BackendTable(), options_),
                FailsWith(Reason::kDeviceUnavailable, HasSubstr(std::string(Message(probed)))));
  }
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
