// SPDX-License-Identifier: Apache-2.0
#include "cli/scan_jobs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "cli/run_batch.h"
#include "scan/request_check.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ScanIdFor, KeepsWhatIsAllowed) {
  struct Case {
    const char* input;
    const char* id;
  };
  for (const Case& c : {Case{"a/b/Spider-Man 1.5.mp4", "Spider-Man_1.5"}, Case{"clip", "clip"},
                        Case{".hidden.mp4", "_hidden"}, Case{"überraschung.mp4", "überraschung"},
                        Case{"漫画.mp4", "漫画"}, Case{"\xff\xfe.mp4", "scan"}, Case{"...", "scan"},
                        Case{"", "scan"}, Case{"file:///x/a%20b.mov", "a_20b"},
                        Case{"https://h.example/v/clip.mp4?token=x/hush.y", "clip"},
                        Case{"https://h.example/", "scan"}, Case{"-o.mp4", "-o"}}) {
    EXPECT_EQ(ScanIdFor(c.input), c.id) << c.input;
  }
  EXPECT_EQ(ScanIdFor(fmt::format("{:a<300}.mp4", "")), std::string(100, 'a'));
}

TEST(ScanIdFor, CutsLongNamesBetweenCharacters) {
  std::string name = "a";
  for (int i = 0; i < 60; ++i) name += "кот";
  const std::string id = ScanIdFor(name + ".mp4");
  EXPECT_EQ(id.size(), 99U);
  EXPECT_TRUE(IsLocalScanId(id));
}

TEST(MakeScanJobs, NamesOfOtherScriptsStayApartWhereverTheyGo) {
  const std::vector<std::string> inputs = {"/a/кот.mp4", "/a/дом.mp4"};
  std::vector<std::string> folders, keys;
  for (const ScanJob& job : MakeScanJobs(inputs, {})) folders.push_back(job.scan_id);
  for (const ScanJob& job : MakeScanJobs(inputs, {}, Names::kAscii)) keys.push_back(job.scan_id);
  EXPECT_THAT(folders, ElementsAre("кот", "дом"));
  EXPECT_THAT(keys, ElementsAre(StartsWith("scan-"), StartsWith("scan-")));
  EXPECT_NE(keys[0], keys[1]);
}

std::vector<std::string> Ids(const std::vector<std::string>& inputs,
                             const std::map<std::string, std::string>& taken = {}) {
  std::vector<std::string> ids;
  for (const ScanJob& job : MakeScanJobs(inputs, taken)) {
    EXPECT_TRUE(IsLocalScanId(job.scan_id)) << job.scan_id;
    ids.push_back(job.scan_id);
  }
  return ids;
}

TEST(MakeScanJobs, SameNamesGetIdsThatDoNotDependOnTheOrder) {
  const auto forward = Ids({"/a/x.mp4", "/b/x.mp4", "/y.mp4"});
  const auto backward = Ids({"/y.mp4", "/b/x.mp4", "/a/x.mp4"});
  EXPECT_THAT(forward, ElementsAre(StartsWith("x-"), StartsWith("x-"), "y"));
  EXPECT_NE(forward[0], forward[1]);
  EXPECT_THAT(backward, ElementsAre("y", forward[1], forward[0]));
}

TEST(MakeScanJobs, AnInputThatIsNamedTwiceIsOneJob) {
  EXPECT_THAT(Ids({"/a/x.mp4", "/a/./x.mp4", "/a/b/../x.mp4"}), ElementsAre("x"));
}

TEST(MakeScanJobs, UrlsOfOneNameAreToldApartWithoutTheirSecrets) {
  const auto ids = Ids({"https://h.example/x.mp4?token=hush", "https://h.example/x.mp4?token=two"});
  EXPECT_THAT(ids, ElementsAre(StartsWith("x-"), StartsWith("x-")));
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_THAT(
      InputKey("https://h.example/x.mp4?token=hush"),
      testing::AllOf(StartsWith("https://h.example/x.mp4#"), testing::Not(HasSubstr("hush"))));
}

TEST(MakeScanJobs, AnotherInputsIdIsNotTakenOver) {
  EXPECT_THAT(Ids({"/a/x.mp4"}, {{"x", "/a/x.mp4"}}), ElementsAre("x"));
  EXPECT_THAT(Ids({"/a/x.mp4"}, {{"x", "/b/x.mp4"}}), ElementsAre(StartsWith("x-")));
}

TEST(ReadInputList, LeavesOutCommentsAndEmptyLines) {
  const TempFolder folder;
  const auto list = folder.Write("list.txt", "# mine\na b.mp4\r\n\n漫画.mp4");
  const auto inputs = ReadInputList(list.string());
  ASSERT_THAT(inputs, IsOk());
  EXPECT_THAT(*inputs, ElementsAre("a b.mp4", "漫画.mp4"));
}

TEST(ReadInputList, SaysWhatIsWrongWithAList) {
  const TempFolder folder;
  EXPECT_THAT(ReadInputList((folder.path() / "none").string()),
              FailsWith(Reason::kInputNotFound, HasSubstr("none")));
  EXPECT_THAT(ReadInputList(folder.path().string()),
              FailsWith(Reason::kInputUnreadable, HasSubstr("is a directory")));
  EXPECT_THAT(ReadInputList(folder.Write("empty", "# nothing\n").string()),
              FailsWith(Reason::kInvalidOption, HasSubstr("names no video")));
}

TEST(BatchRecord, RemembersTheLatestOfEveryIdAndSurvivesACutLine) {
  const TempFolder folder;
  const BatchRecord record(folder.path());
  EXPECT_EQ(record.Find("x"), nullptr);
  record.Add("x", {"/a/x.mp4", "card", "1"});
  record.Add("y", {"/a/y.mp4", "card", "1"});
  record.Add("x", {"/a/x.mp4", "page", "2"});
  std::ofstream(folder.path() / "batch.jsonl", std::ios::app) << R"({"scan_id": "y", "inp)";
  const BatchRecord again(folder.path());
  ASSERT_NE(again.Find("x"), nullptr);
  EXPECT_EQ(*again.Find("x"), (BatchRecord::Entry{"/a/x.mp4", "page", "2"}));
  EXPECT_EQ(*again.Find("y"), (BatchRecord::Entry{"/a/y.mp4", "card", "1"}));
  EXPECT_EQ(again.Inputs().size(), 2U);
}

}  // namespace
}  // namespace glint
