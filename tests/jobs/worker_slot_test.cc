// SPDX-License-Identifier: Apache-2.0
#include "jobs/worker_slot.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::_;

TEST(WorkerSlot, EachWorkerHasItsOwnAndAFreeOneIsTakenAgain) {
  const TempFolder folder;
  auto first = TakeWorkerSlot(folder.path() / "state");
  ASSERT_THAT(first, IsOk());
  const auto second = TakeWorkerSlot(folder.path() / "state");
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ((*first)->name(), "worker-0");
  EXPECT_EQ((*second)->name(), "worker-1");
  first->reset();
  EXPECT_EQ((*TakeWorkerSlot(folder.path() / "state"))->name(), "worker-0");
}

TEST(WorkerSlot, SlotsThatNobodyHoldsAreFound) {
  const TempFolder folder;
  auto first = TakeWorkerSlot(folder.path());
  auto second = TakeWorkerSlot(folder.path());
  const auto third = TakeWorkerSlot(folder.path());
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(second, IsOk());
  ASSERT_THAT(third, IsOk());
  second->reset();  // its worker has died
  std::vector<std::string> dead;
  ForEachDeadSlot(folder.path(), [&](const std::string& name) {
    dead.push_back(name);
    EXPECT_EQ((*TakeWorkerSlot(folder.path()))->name(), "worker-3") << "held meanwhile";
  });
  EXPECT_EQ(dead, std::vector<std::string>{"worker-1"});
  EXPECT_EQ((*TakeWorkerSlot(folder.path()))->name(), "worker-1") << "and not longer";
  ForEachDeadSlot(folder.path() / "none", [](const std::string&) { FAIL(); });
}

TEST(WorkerSlot, AKilledWorkersSlotIsFree) {
  const TempFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto slot = TakeWorkerSlot(folder.path());
    if (!slot.ok()) _exit(2);
    if (write(ready[1], "r", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ((*TakeWorkerSlot(folder.path()))->name(), "worker-1");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ((*TakeWorkerSlot(folder.path()))->name(), "worker-0");
  close(ready[0]);
  close(ready[1]);
}

TEST(WorkerSlot, AFolderThatCannotBeMadeIsAnError) {
  const TempFolder folder;
  const auto file = folder.Write("file", "");
  EXPECT_THAT(TakeWorkerSlot(file / "state"), FailsWith(Reason::kOutputUnwritable, _));
}

TEST(WorkerSlot, AFoldersWorkersHaveANameThatNoOtherFoldersHave) {
  const TempFolder folder;
  std::vector<std::string> names(8);
  {
    std::vector<std::jthread> threads;
    threads.reserve(names.size());
    for (std::string& name : names) {
      threads.emplace_back([&] { name = *WorkerNamePrefix(folder.path() / "here"); });
    }
  }
  for (const std::string& name : names) EXPECT_EQ(name, names.front());
  EXPECT_NE(*WorkerNamePrefix(folder.path() / "there"), names.front());
  ForEachDeadSlot(folder.path() / "here", [](const std::string& slot) { FAIL() << slot; });
}

}  // namespace
}  // namespace glint
