// SPDX-License-Identifier: Apache-2.0
#include "base/params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "glint/error.h"

namespace glint {
namespace {

using ::testing::HasSubstr;

struct SmallParams {
  GLINT_PARAM(double, weak_medians, 0.5, 64.0) = 2.5;
  GLINT_PARAM(int, min_length_px, 0, 100) = 12;
  GLINT_PARAM(bool, both_sides) = false;
};

struct AllParams {
  GLINT_PARAM(SmallParams, lines);
};

struct TableParams {
  using Table = std::array<float, 3>;
  GLINT_PARAM(Table, variances_px2, 0.1, 10) = {0.5F, 1, 2};
};

/// As the structs of public headers list their fields.
struct ListedParams {
  double weak_medians = 2.5;
  AllParams all = {.lines = {.min_length_px = 13}};

  template <class Self, class Visitor>
  static void VisitParams(Self& self, Visitor&& visit) {
    visit("weak_medians", self.weak_medians, 0.5, 64.0);
    visit("all", self.all);
  }
};

TEST(Params, MayBeListedByHand) {
  ListedParams params;
  EXPECT_TRUE(SetParam(params, "weak_medians=3").ok());
  EXPECT_EQ(params.weak_medians, 3);
  const auto fields = ParamFields(std::as_const(params));
  ASSERT_EQ(fields.size(), 4U);
  EXPECT_EQ(fields[2].path, "all.lines.min_length_px");
  EXPECT_EQ(fields[2].value, 13);
}

TEST(Params, AValueOfATableIsAFieldByItsNumber) {
  TableParams params;
  EXPECT_EQ(ParamFields(params).size(), 3U);
  EXPECT_TRUE(SetParam(params, "variances_px2.2=1.5").ok());
  EXPECT_EQ(params.variances_px2[1], 1.5F);
  EXPECT_FALSE(SetParam(params, "variances_px2.4=1").ok());
  EXPECT_FALSE(SetParam(params, "variances_px2.3=11").ok());
  params.variances_px2[2] = 0;
  EXPECT_THAT(std::string(Message(CheckParams(params))), HasSubstr("variances_px2.3"));
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
              HasSubstr("there are: lines.weak_medians; --list-params"));
  EXPECT_THAT(std::string(Message(SetParam(params, "lines.min=1"))),
              HasSubstr("there are: lines.min_length_px; --list-params"));
  EXPECT_THAT(std::string(Message(SetParam(params, "lines.max=1"))),
              HasSubstr("there are: lines.weak_medians, lines.min_length_px, lines.both_sides;"));
  EXPECT_THAT(std::string(Message(SetParam(params, "nothing=1"))),
              HasSubstr("there is no parameter 'nothing'; --list-params prints all"));
  TableParams table;
  EXPECT_THAT(std::string(Message(SetParam(table, "variances_px2=1"))),
              HasSubstr("there are: variances_px2.1, variances_px2.2, variances_px2.3;"));
}

TEST(Params, CheckEveryField) {
  AllParams params;
  EXPECT_TRUE(CheckParams(params).ok());
  params.lines.min_length_px = -1;
  EXPECT_THAT(std::string(Message(CheckParams(params))), HasSubstr("lines.min_length_px is -1"));
}

}  // namespace
}  // namespace glint
