// SPDX-License-Identifier: Apache-2.0
#include "fetch/work_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "fetch/fetch_test_support.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(WorkFolder, KeepsAFileUntilItIsDropped) {
  const TempFolder folder;
  const auto work = WorkFolder::Open(folder.path() / "a" / "b", 1000);
  ASSERT_THAT(work, IsOk());
  {
    const auto file = (*work)->NewFile();
    ASSERT_THAT(file, IsOk());
    ASSERT_THAT((*file)->Append(Bytes("one")), IsOk());
    ASSERT_THAT((*file)->Append(Bytes("two")), IsOk());
    EXPECT_EQ(ContentOf((*file)->path()), "onetwo");
    ASSERT_THAT((*file)->Clear(), IsOk());
    ASSERT_THAT((*file)->Append(Bytes("three")), IsOk());
    EXPECT_EQ(ContentOf((*file)->path()), "three");
    struct stat info {};
    ASSERT_EQ(stat((*file)->path().parent_path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U) << "others must not read what is downloaded";
  }
  EXPECT_EQ(FilesIn(folder.path()), 0);
}

TEST(WorkFolder, SharesOneQuotaAmongItsFiles) {
  const TempFolder folder;
  const auto work = WorkFolder::Open(folder.path(), 10);
  ASSERT_THAT(work, IsOk());
  auto one = (*work)->NewFile();
  const auto two = (*work)->NewFile();
  ASSERT_THAT((*one)->Append(Bytes("123456")), IsOk());
  EXPECT_THAT((*two)->Append(Bytes("12345")), FailsWith(Reason::kDiskFull, HasSubstr("use up")));
  ASSERT_THAT((*two)->Append(Bytes("1234")), IsOk());
  one->reset();
  EXPECT_THAT((*two)->Append(Bytes("123456")), IsOk());
}

TEST(WorkFolder, CleansUpAfterTheDeadAndNotAfterTheLiving) {
  const TempFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {  // dies without a chance to delete its file
    const auto work = WorkFolder::Open(folder.path(), 1000);
    const auto file = (*work)->NewFile();
    const bool kept = (*file)->Append(Bytes("left")).ok();
    if (write(ready[1], kept ? "1" : "0", 1) == 1) pause();
    _exit(0);
  }
  char kept = '0';
  ASSERT_EQ(read(ready[0], &kept, 1), 1);
  EXPECT_EQ(kept, '1');
  {
    const auto while_it_lives = WorkFolder::Open(folder.path(), 1000);
    ASSERT_THAT(while_it_lives, IsOk());
    EXPECT_EQ(FilesIn(folder.path()), 1);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const auto afterwards = WorkFolder::Open(folder.path(), 1000);
  ASSERT_THAT(afterwards, IsOk());
  EXPECT_EQ(FilesIn(folder.path()), 0);
}

TEST(WorkFolder, SaysWhyItCannotBeMade) {
  const TempFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  EXPECT_THAT(WorkFolder::Open(folder.path() / "file/downloads", 1),
              FailsWith(Reason::kOutputUnwritable, HasSubstr("Not a directory")));
  // Of the system: whoever tests may make folders wherever there is a disk.
  EXPECT_THAT(WorkFolder::Open("/proc/glint/downloads", 1),
              FailsWith(Reason::kOutputUnwritable, HasSubstr("cannot make '/proc/glint")));
}

TEST(WorkFolder, RefusesAFolderThatOthersMayChange) {
  const TempFolder folder;
  { ASSERT_THAT(WorkFolder::Open(folder.path(), 1), IsOk()); }
  const auto own = *std::filesystem::directory_iterator(folder.path());
  std::filesystem::permissions(own.path(), std::filesystem::perms::all);
  EXPECT_THAT(WorkFolder::Open(folder.path(), 1),
              FailsWith(Reason::kOutputUnwritable, HasSubstr("only this user")));
  std::filesystem::remove(own.path());
  std::filesystem::create_directory_symlink("/tmp", own.path());
  EXPECT_THAT(WorkFolder::Open(folder.path(), 1),
              FailsWith(Reason::kOutputUnwritable, HasSubstr("only this user")));
}

}  // namespace
}  // namespace glint
