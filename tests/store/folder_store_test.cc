// SPDX-License-Identifier: Apache-2.0
// What only folders can get wrong: leftovers, other people's files, rights, a full disk.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <set>
#include <stop_token>
#include <thread>

#include "store/durable_file.h"
#include "store/folder_swap.h"
#include "store/staging_folder.h"
#include "store/store_test_support.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using testing::_;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Every file and folder below, relative.
std::set<std::string> Tree(const fs::path& root) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    names.insert(entry.path().lexically_relative(root).string());
  }
  return names;
}

std::string ContentOf(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

constexpr fs::perms kReadOnly{0555};

absl::Status Publish(ObjectStore& store, std::string_view prefix, std::string_view report) {
  auto set = store.Begin(prefix, CancelToken());
  if (!set.ok()) return set.status();
  if (auto put = PutText(**set, "report.json", report); !put.ok()) return put;
  if (auto put = PutText(**set, "regions/spine.png", "spine"); !put.ok()) return put;
  return (*set)->Commit();
}

TEST(FolderStore, LeavesOnlyTheSet) {
  const TempFolder folder;
  const auto store = MakeFolderStore(folder.path());
  for (const char* report : {"first", "second"}) {
    ASSERT_THAT(Publish(*store, "scan", report), IsOk());
    EXPECT_THAT(Tree(folder.path()),
                ElementsAre("scan", "scan/regions", "scan/regions/spine.png", "scan/report.json"));
    EXPECT_EQ(ContentOf(folder.path() / "scan/report.json"), report);
  }
}

TEST(FolderStore, ADroppedSetLeavesNothingNotEvenTheFoldersMadeForIt) {
  const TempFolder folder;
  const auto store = MakeFolderStore(folder.path() / "new/deep");
  {
    const auto one = store->Begin("one", CancelToken());
    const auto two = store->Begin("two", CancelToken());
    ASSERT_THAT(one, IsOk());
    ASSERT_THAT(two, IsOk());
    ASSERT_THAT(PutText(**one, "regions/x.png", "x"), IsOk());
    EXPECT_FALSE(Tree(folder.path()).empty());
  }
  EXPECT_THAT(Tree(folder.path()), IsEmpty());
}

TEST(FolderStore, TheEndOfOneSetDoesNotTakeTheFolderFromAnother) {
  const TempFolder folder;
  const fs::path root = folder.path() / "made" / "for" / "them";
  const std::jthread others([&](const std::stop_token& stop) {  // a store of another process
    const auto store = MakeFolderStore(root);
    while (!stop.stop_requested()) EXPECT_THAT(store->Prove(CancelToken()), IsOk());
  });
  const auto store = MakeFolderStore(root);
  for (int i = 0; i < 2000; ++i) {
    ASSERT_THAT(store->Complete("a", CancelToken()), IsOk()) << i;
    ASSERT_THAT(store->Prove(CancelToken()), IsOk()) << i;
  }
}

TEST(FolderStore, StagingIsHiddenAndBesideThePlace) {
  const TempFolder folder;
  const auto store = MakeFolderStore(folder.path());
  const auto set = store->Begin("scan", CancelToken());
  ASSERT_THAT(set, IsOk());
  EXPECT_THAT(Tree(folder.path()), ElementsAre(testing::StartsWith(".glint-partial-")));
}

TEST(FolderStore, AnEmptyFolderIsTakenOver) {
  const TempFolder folder;
  fs::create_directory(folder.path() / "scan");
  ASSERT_THAT(Publish(*MakeFolderStore(folder.path() / "scan/"), "", "{}"), IsOk());
  EXPECT_EQ(ContentOf(folder.path() / "scan/report.json"), "{}");
}

TEST(FolderStore, FilesOfOthersAreNeverReplaced) {
  const TempFolder folder;
  folder.Write("photos/holiday.jpg", "dear");
  folder.Write("file", "dear");
  const auto before = Tree(folder.path());
  const auto store = MakeFolderStore(folder.path());
  EXPECT_THAT(store->Begin("photos", CancelToken()),
              FailsWith(Reason::kOutputUnwritable,
                        AllOf(HasSubstr("photos"), HasSubstr("holds no result of glint"))));
  EXPECT_THAT(store->Begin("file", CancelToken()),
              FailsWith(Reason::kOutputUnwritable, HasSubstr("is a file")));
  EXPECT_THAT(store->Begin("file/below", CancelToken()),
              FailsWith(Reason::kOutputUnwritable, HasSubstr("file")));
  EXPECT_THAT(store->Begin("", CancelToken()),
              FailsWith(Reason::kOutputUnwritable, HasSubstr("not empty")))
      << "a folder of results is not a result";
  EXPECT_EQ(Tree(folder.path()), before);
}

TEST(FolderStore, FilesThatAppearMeanwhileAreNotReplacedEither) {
  const TempFolder folder;
  const auto store = MakeFolderStore(folder.path());
  {
    const auto set = store->Begin("scan", CancelToken());
    ASSERT_THAT(set, IsOk());
    ASSERT_THAT(PutText(**set, "report.json", "{}"), IsOk());
    folder.Write("scan/notes.txt", "mine");
    EXPECT_THAT((*set)->Commit(), FailsWith(Reason::kOutputUnwritable, HasSubstr("not empty")));
  }
  EXPECT_THAT(Tree(folder.path()), ElementsAre("scan", "scan/notes.txt"));
}

TEST(FolderStore, AFolderOfResultsWithALeftoverInItIsStillNotAResult) {
  const TempFolder folder;
  const auto store = MakeFolderStore(folder.path());
  ASSERT_THAT(Publish(*store, "scan", "{}"), IsOk());
  folder.Write(".glint-partial-0123/report.json", "{}");
  EXPECT_THAT(store->Begin("", CancelToken()), FailsWith(Reason::kOutputUnwritable, _));
  EXPECT_EQ(ContentOf(folder.path() / "scan/report.json"), "{}");
}

TEST(FolderStore, ALinkToAFolderStandsForTheFolder) {
  const TempFolder folder;
  fs::create_directory(folder.path() / "disk");
  fs::create_directory_symlink(folder.path() / "disk", folder.path() / "link");
  for (const char* report : {"first", "second"}) {
    ASSERT_THAT(Publish(*MakeFolderStore(folder.path() / "link"), "", report), IsOk());
  }
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(ContentOf(folder.path() / "disk/report.json"), "second");
}

TEST(FolderStore, AProcessThatWasKilledLeavesALeftoverThatTheNextOneRemoves) {
  const TempFolder folder;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto set = MakeFolderStore(folder.path())->Begin("scan", CancelToken());
    if (!set.ok() || !PutText(**set, "report.json", "{}").ok()) _exit(1);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(Tree(folder.path()).size(), 2U) << "a staging folder and the report in it";

  const auto store = MakeFolderStore(folder.path());
  EXPECT_EQ(*store->Complete("scan", CancelToken()), false);
  const auto living = store->Begin("other", CancelToken());
  ASSERT_THAT(living, IsOk());
  EXPECT_EQ(Tree(folder.path()).size(), 1U) << "only the living one's folder is left";
  ASSERT_THAT(Publish(*store, "scan", "{}"), IsOk());
  ASSERT_THAT(PutText(**living, "report.json", "x"), IsOk()) << "locked folders are left alone";
  EXPECT_THAT((*living)->Commit(), IsOk());
}

TEST(FolderStore, ASetThatWaitedAsideWhenTheProcessDiedComesBack) {
  const TempFolder folder;
  folder.Write(".glint-partial-0123/.replaced-scan/report.json", "earlier");
  const auto store = MakeFolderStore(folder.path());
  ASSERT_THAT(store->Begin("other", CancelToken()), IsOk());
  EXPECT_EQ(ContentOf(folder.path() / "scan/report.json"), "earlier");
  EXPECT_THAT(Tree(folder.path()), ElementsAre("scan", "scan/report.json"));
}

TEST(FolderStore, AFullDiskIsNamed) {
  const TempFolder folder;
  const auto store = MakeFolderStore(folder.path());
  {
    const auto set = store->Begin("scan", CancelToken());
    ASSERT_THAT(set, IsOk());
    // Writing to /dev/full fails as writing to a full disk does: after open, with ENOSPC.
    const fs::path staging = fs::directory_iterator(folder.path())->path();
    fs::create_symlink("/dev/full", staging / "mask.png");
    EXPECT_THAT(PutText(**set, "mask.png", "x"),
                FailsWith(Reason::kDiskFull,
                          AllOf(HasSubstr(staging.string()), HasSubstr("no space is left"))));
  }
  EXPECT_THAT(Tree(folder.path()), IsEmpty());
}

TEST(FolderStore, AQuotaIsAFullDisk) {
  EXPECT_THAT(OutputError("cannot write", "/x", EDQUOT), FailsWith(Reason::kDiskFull, _));
  EXPECT_THAT(OutputError("cannot write", "/x", EIO), FailsWith(Reason::kOutputUnwritable, _));
}

TEST(FolderStore, AFolderWithoutRightsIsNamed) {
  const TempFolder folder;
  fs::permissions(folder.path(), fs::perms{0755});
  const fs::path locked = folder.path() / "locked";
  fs::create_directory(locked);
  fs::permissions(locked, kReadOnly);
  const WithoutRootRights rights;
  EXPECT_THAT(MakeFolderStore(locked)->Begin("scan", CancelToken()),
              FailsWith(Reason::kOutputUnwritable,
                        AllOf(HasSubstr(locked.string()), HasSubstr("this user may write"))));
}

TEST(FolderStore, AFolderWhoseParentIsReadOnlyIsFilledInPlace) {
  const TempFolder folder;
  fs::permissions(folder.path(), fs::perms::all);
  const fs::path place = folder.path() / "place";
  fs::create_directory(place);
  fs::permissions(place, fs::perms::all);
  fs::permissions(folder.path(), kReadOnly);
  {
    const WithoutRootRights rights;
    ASSERT_EQ(SwapModeFor(place), SwapMode::kEntries);
    const auto store = MakeFolderStore(place);
    for (const char* report : {"first", "second"}) {
      ASSERT_THAT(Publish(*store, "", report), IsOk());
      EXPECT_THAT(Tree(place), ElementsAre("regions", "regions/spine.png", "report.json"));
      EXPECT_EQ(ContentOf(place / "report.json"), report);
    }
    { ASSERT_THAT(store->Begin("", CancelToken()), IsOk()); }
    EXPECT_EQ(Tree(place).size(), 3U) << "a dropped set leaves the earlier one";
  }
  fs::permissions(folder.path(), fs::perms::all);
}

TEST(FolderStore, AnInterruptedFillingInPlaceCanBeRepeated) {
  const TempFolder folder;
  const fs::path working = fs::current_path();
  fs::create_directory(folder.path() / "place");
  fs::current_path(folder.path() / "place");
  folder.Write("place/.glint-partial-0123/.replaced-/report.json", "earlier");
  folder.Write("place/mask.png", "half of a set");
  // The leftover is what tells that mask.png is ours.
  EXPECT_THAT(CheckReplaceable(folder.path() / "place", {}), IsOk());
  EXPECT_THAT(Publish(*MakeFolderStore("."), "", "again"), IsOk());
  fs::current_path(working);
  EXPECT_THAT(Tree(folder.path() / "place"),
              ElementsAre("regions", "regions/spine.png", "report.json"));
}

TEST(FolderSwap, AFailedSwapOfEntriesIsUndone) {
  const TempFolder folder;
  const fs::path place = folder.path() / "place";
  folder.Write("place/report.json", "earlier");
  folder.Write("place/mask.png", "earlier");
  // A name that only the new set's move can fail on: its target is a folder that is not empty.
  const fs::path staging = place / ".glint-partial-0123";
  folder.Write("place/.glint-partial-0123/report.json", "new");
  folder.Write("place/.glint-partial-0123/.replaced-/report.json/in the way", "x");
  EXPECT_THAT(MoveIntoPlace(staging, place, SwapMode::kEntries),
              FailsWith(Reason::kOutputUnwritable, _));
  EXPECT_EQ(ContentOf(place / "report.json"), "earlier");
  EXPECT_EQ(ContentOf(place / "mask.png"), "earlier");
}

}  // namespace
}  // namespace glint
