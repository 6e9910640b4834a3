// SPDX-License-Identifier: Apache-2.0
#include "assess/object_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

TEST(ObjectSize, ReadsWhatPeopleWrite) {
  for (const char* text : {"63x88mm", "63 x 88 mm", "6.3x8.8cm", "6.3 × 8.8 cm"}) {
    const auto size = ParseObjectSize(text);
    ASSERT_THAT(size, IsOk()) << text;
    EXPECT_NEAR(size->width_mm, 63, 1e-9);
    EXPECT_NEAR(size->height_mm, 88, 1e-9);
    EXPECT_FALSE(size->assumed);
    EXPECT_EQ(size->name, "");
  }
  EXPECT_NEAR(ParseObjectSize("2.5x3.5in")->height_mm, 88.9, 1e-9);
  EXPECT_EQ(ParseObjectSize("comic-golden")->name, "US comic, before 1956");
}

TEST(ObjectSize, RefusesAllElseAndSaysWhatMayBeWritten) {
  for (const char* text : {"", "63", "63x88", "63x88m", "mm", "x88mm", "63xmm", "0x88mm", "-1x2mm",
                           "nanx88mm", "63x88mm ", "9e9x1mm", "card"}) {
    EXPECT_THAT(ParseObjectSize(text), FailsWith(Reason::kInvalidOption, HasSubstr("63x88mm")))
        << text;
  }
}

TEST(ObjectSize, IsLaidOverTheObjectSoThatItsLongerSidesAgree) {
  const auto upright = ScaleOf("63x88mm", "generic", {600, 840});
  const auto lying = ScaleOf("63x88mm", "generic", {840, 600});
  EXPECT_EQ(upright->width_mm, 63);
  EXPECT_EQ(lying->width_mm, 88);
}

TEST(ObjectSize, IsAssumedOnlyForAnObjectOfThatShape) {
  const auto card = ScaleOf("", "card", {635, 889});
  ASSERT_TRUE(card);
  EXPECT_TRUE(card->assumed);
  EXPECT_EQ(card->name, "trading card");
  EXPECT_FALSE(ScaleOf("", "card", {635, 635})) << "square";
  EXPECT_FALSE(ScaleOf("", "generic", {635, 889}));
  EXPECT_FALSE(ScaleOf("", "", {635, 889}));
}

}  // namespace
}  // namespace glint
