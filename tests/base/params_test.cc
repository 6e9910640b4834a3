// SPDX-License-Identifier: Apache-2.0
#include "base/params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "glint/error.h"

namespace glint {
namespace {

using ::testing::HasSubstr;

struct SmallParams {
  double weak_medians = 2.5;
  int min_length_px = 12;
  bool both_sides = false;

  GLINT_PARAMS(self, visit) {
    visit("weak_medians", self.weak_medians, 0.5, 64.0);
    visit("min_length_px", self.min_length_px, 0, 100);
    visit("both_sides", self.both_sides);
  }
};

struct AllParams {
  SmallParams lines;

  GLINT_PARAMS(self, visit) { visit("lines", self.lines); }
};

struct TableParams {
  std::array<float, 3> variances_px2 = {0.5F, 1, 2};

  GLINT_PARAMS(self, visit) { visit("variances_px2", self.variances_px2, 0.1, 10); }
};

TEST(Params, AValueOfATableIsAFieldByItsNumber) {
  TableParams params;
  EXPECT_EQ(ParamFields(params).size(), 3U);
  EXPECT_TRUE(SetParam(params, "variances_px2.2=1.5").ok());
  EXPECT_EQ(params.variances_px2[1], 1.5F);
  EXPECT_FALSE(SetParam(params, "variances_px2.4=1").ok());
  EXPECT_FALSE(SetParam(params, "variances_px2.3=11").ok());
  params.variances_px2[2] = 0;
  EXPECT_THAT(std::string(Message(params.Check())), HasSubstr("variances_px2.3"));
}

TEST(Params, ListFieldsByPath) {
  const AllParams params;
  const auto fields = ParamFields(params);
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[0].path, "lines.weak_medians");
  EXPECT_EQ(fields[0].value, 2.5);
  EXPECT_EQ(fields[1].max, 100);
  EXPECT_TRUE(fields[1].whole);
  EXPECT_FALSE(fields[0].set) << "a const struct cannot be set";
}

TEST(Params, AreSetByPath) {
  AllParams params;
  EXPECT_TRUE(SetParam(params, "lines.weak_medians=3.25").ok());
  EXPECT_TRUE(SetParam(params, "lines.both_sides=1").ok());
  EXPECT_EQ(params.lines.weak_medians, 3.25);
  EXPECT_TRUE(params.lines.both_sides);
}

TEST(Params, RefuseWhatDoesNotFit) {
  AllParams params;
  for (const char* bad :
       {"lines.weak_medians=0.1", "lines.weak_medians=nan", "lines.min_length_px=1.5",
        "lines.weak_medians=", "lines.weak_medians=2x", "lines.weak_medians"}) {
    const absl::Status status = SetParam(params, bad);
    EXPECT_EQ(ReasonOf(status), Reason::kInvalidOption) << bad;
  }
  EXPECT_EQ(params.lines.weak_medians, 2.5);
  EXPECT_EQ(params.lines.min_length_px, 12);
}

TEST(Params, NameTheLikelyOnes) {
  AllParams params;
  EXPECT_THAT(std::string(Message(SetParam(params, "line.weak_medians=1"))),
              HasSubstr("lines.weak_medians"));
}

TEST(Params, CheckEveryField) {
  AllParams params;
  EXPECT_TRUE(CheckParams(params).ok());
  params.lines.min_length_px = -1;
  EXPECT_THAT(std::string(Message(CheckParams(params))), HasSubstr("lines.min_length_px is -1"));
}

}  // namespace
}  // namespace glint
