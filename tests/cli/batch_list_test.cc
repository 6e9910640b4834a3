// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_list.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "scan/request_check.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

TEST(MakeBatchList, AUrlIsTheSameScanWhereverItStands) {
  const auto one = MakeBatchList({"https://h/a.mp4", "https://h/b.mp4"}, "n");
  const auto two = MakeBatchList({"https://h/c.mp4", "  https://h/b.mp4\t"}, "n");
  ASSERT_THAT(one, IsOk());
  ASSERT_THAT(two, IsOk());
  EXPECT_EQ(one->entries[1].scan_id, two->entries[1].scan_id);
  EXPECT_NE(one->entries[0].scan_id, one->entries[1].scan_id);
  EXPECT_THAT(one->entries[0].scan_id, StartsWith("n."));
  EXPECT_TRUE(IsScanId(one->entries[0].scan_id));
  EXPECT_EQ(two->entries[1].url, "https://h/b.mp4");
}

TEST(MakeBatchList, LinesThatRepeatOthersAreCounted) {
  const auto list = MakeBatchList(
      {"https://h/a.mp4", "x https://h/b.mp4", "https://h/a.mp4", "x   https://h/b.mp4"}, "n");
  ASSERT_THAT(list, IsOk());
  EXPECT_THAT(list->entries, SizeIs(2));
  EXPECT_EQ(list->repeated, 2U);
}

TEST(MakeBatchList, WhatCannotBeMeantIsSaid) {
  EXPECT_THAT(MakeBatchList({"x https://h/a.mp4", "x https://h/b.mp4"}, "n"),
              FailsWith(Reason::kInvalidOption, HasSubstr("'x' stands before two URLs")));
  EXPECT_THAT(MakeBatchList({"a/b https://h/a.mp4"}, "n"),
              FailsWith(Reason::kInvalidOption, HasSubstr("a/b")));
  EXPECT_THAT(MakeBatchList({"x https://h/a.mp4 more"}, "n"),
              FailsWith(Reason::kInvalidOption, HasSubstr("more")));
  EXPECT_THAT(MakeBatchList({"https://h/a.mp4"}, std::string(120, 'n')),
              FailsWith(Reason::kInvalidOption, testing::_))
      << "no room for the hash";
}

TEST(MakeBatchList, AHundredThousandLinesAreNoMatter) {
  std::vector<std::string> lines;
  for (int i = 0; i < 100'000; ++i) lines.push_back(fmt::format("https://h/{}.mp4", i));
  const auto list = MakeBatchList(lines, "n");
  ASSERT_THAT(list, IsOk());
  EXPECT_THAT(list->entries, SizeIs(100'000)) << "no two share an id";
}

}  // namespace
}  // namespace glint
