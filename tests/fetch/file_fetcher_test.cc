// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <stop_token>

#include "fetch/fetch_test_support.h"
#include "glint/fetcher.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

absl::StatusOr<fs::path> PathOf(const std::string& input) {
  const auto fetcher = MakeFileFetcher();
  const auto file = fetcher->Fetch(input, {}, CancelToken());
  if (!file.ok()) return file.status();
  return (*file)->path();
}

TEST(FileFetcher, GivesThePathItselfAndLeavesTheFile) {
  const TempFolder folder;
  for (const std::string name :
       {"plain.mp4", "with space.mp4", "a:b.mp4", "100%.mp4", "überraschung-漫画-🎞.mp4",
        "sub/clip.mp4", "line\nbreak.mp4"}) {
    const fs::path file = folder.Write(name, name);
    const auto fetched = PathOf(file.string());
    ASSERT_THAT(fetched, IsOk());
    EXPECT_EQ(*fetched, file);
    EXPECT_EQ(ContentOf(file), name) << "fetching must not touch the file";
  }
}

TEST(FileFetcher, DecodesFileUrls) {
  const TempFolder folder;
  const fs::path file = folder.Write("comic #1 ü.mp4", "x");
  const std::string escaped = folder.path().string() + "/comic%20%231%20%C3%BC.mp4";
  for (const std::string& url : {"file://" + escaped, "file:" + escaped,
                                 "file://localhost" + escaped, "FILE://LocalHost" + escaped}) {
    const auto fetched = PathOf(url);
    ASSERT_THAT(fetched, IsOk()) << url;
    EXPECT_EQ(*fetched, file) << url;
  }
}

TEST(FileFetcher, RefusesWhatIsNoLocalFile) {
  struct Case {
    const char* input;
    const char* says;
  };
  for (const Case& c : {
           Case{"https://example.com/a.mp4", "not accepted by this build"},
           Case{"http://127.0.0.1/a.mp4", "not accepted by this build"},
           Case{"s3://bucket/a.mp4", "not accepted by this build"},
           Case{"concat+x.y-1://a", "not accepted by this build"},
           Case{"file://elsewhere/a.mp4", "may only name this machine"},
           Case{"file:relative.mp4", "no absolute path"},
           Case{"file:///a%2", "broken %-escape"},
           Case{"file:///a%zz", "broken %-escape"},
           Case{"file:///a%+1", "broken %-escape"},
           Case{"file:///a%00.mp4", "broken %-escape"},
           Case{"", "name a video file"},
       }) {
    EXPECT_THAT(PathOf(c.input), FailsWith(Reason::kInvalidOption, HasSubstr(c.says))) << c.input;
  }
  EXPECT_THAT(PathOf(std::string("a\0b", 3)),
              FailsWith(Reason::kInvalidOption, HasSubstr("zero byte")));
}

TEST(FileFetcher, SaysWhatIsMissing) {
  const TempFolder folder;
  const fs::path file = folder.Write("clip.mp4", "x");
  for (const fs::path& missing : {folder.path() / "none.mp4", file / "below-a-file.mp4",
                                  fs::path("concat:a.mp4|b.mp4"), fs::path("/dangling/x.mp4")}) {
    EXPECT_THAT(PathOf(missing.string()),
                FailsWith(Reason::kInputNotFound,
                          AllOf(HasSubstr(missing.string()), HasSubstr("does not exist"))));
  }
}

TEST(FileFetcher, RefusesDirectoriesPipesAndDevicesWithoutWaiting) {
  const TempFolder folder;
  EXPECT_THAT(PathOf(folder.path().string()),
              FailsWith(Reason::kInputUnreadable, HasSubstr("is a directory")));
  const fs::path pipe = folder.path() / "pipe.mp4";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(PathOf(pipe.string()),
              FailsWith(Reason::kInputUnreadable, HasSubstr("pipe or device")));
  EXPECT_THAT(PathOf("/dev/null"),
              FailsWith(Reason::kInputUnreadable, HasSubstr("pipe or device")));
}

TEST(FileFetcher, SaysWhichFileMayNotBeRead) {
  const TempFolder folder;
  fs::permissions(folder.path(), fs::perms::all);
  const fs::path file = folder.Write("secret.mp4", "x");
  fs::permissions(file, fs::perms::none);
  const WithoutRootRights rights;
  EXPECT_THAT(PathOf(file.string()),
              FailsWith(Reason::kInputUnreadable,
                        AllOf(HasSubstr(file.string()), HasSubstr("right to read"))));
}

TEST(FileFetcher, StopsWhenCancelled) {
  const TempFolder folder;
  const fs::path file = folder.Write("clip.mp4", "x");
  std::stop_source stop;
  stop.request_stop();
  const auto fetcher = MakeFileFetcher();
  EXPECT_THAT(fetcher->Fetch(file.string(), {}, CancelToken(stop.get_token())),
              FailsWith(Reason::kCancelled, HasSubstr("cancelled")));
}

}  // namespace
}  // namespace glint
