// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/found_lines.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <utility>

#include "analyse/photometric_drawing.h"
#include "base/mat.h"

namespace glint::photometric {
namespace {

constexpr Size kLinedSheet{200, 160};

/// Known lines, and what is added to them.
class FoundLines : public testing::Test {
 protected:
  FoundLines() { Know({20, 80}, {120, 80}); }

  void Know(cv::Point from, cv::Point to) {
    lines_.paths.emplace_back();
    cv::line(AsMat(lines_.ids), from, to, cv::Scalar(static_cast<double>(lines_.paths.size())));
  }

  Lines Add(const StraightLine& line, bool bare) {
    return AddFoundLines(std::move(lines_), {{.line = line, .score = 7, .needed = 5, .bare = bare}},
                         Filled(kLinedSheet, PixelType::kS32, 0), {});
  }

  Lines lines_{.ids = Filled(kLinedSheet, PixelType::kS32, 0), .mask = {}, .paths = {}};
};

TEST_F(FoundLines, AreAddedBesideWhatIsKnown) {
  const Lines lines = Add({.x = 30, .y = 40, .end = 60}, true);
  ASSERT_EQ(lines.paths.size(), 2U);
  EXPECT_EQ(lines.paths[1].score, 7);
  EXPECT_TRUE(lines.paths[1].bare);
  EXPECT_FALSE(lines.paths[0].bare);
  EXPECT_EQ(lines.ids.Row<std::int32_t>(40)[60], 2);
  EXPECT_EQ(AsMat(lines.mask).at<std::uint8_t>(41, 60), 255);
  EXPECT_EQ(AsMat(lines.mask).at<std::uint8_t>(80, 60), 0) << "known before";
}

TEST_F(FoundLines, AreNotAddedWhereTheyAreKnown) {
  const Lines lines = Add({.x = 30, .y = 82, .end = 60}, false);
  ASSERT_EQ(lines.paths.size(), 1U);
  EXPECT_FALSE(lines.paths[0].bare);
}

TEST_F(FoundLines, MayBeParts) {
  const FoundLine first{.line = {.x = 10, .y = 40, .end = 60}, .score = 7, .needed = 5};
  FoundLine second = first, known = first, third = first;
  second.line = {.x = 70, .y = 40, .end = 60};
  known.line = {.x = 20, .y = 81, .end = 60};
  third.line = {.x = 130, .y = 40, .end = 40};
  second.continues = known.continues = third.continues = true;
  const FoundLine other{.line = {.x = 10, .y = 20, .end = 60}, .score = 6, .needed = 5};
  const Lines lines = AddFoundLines(std::move(lines_), {first, second, known, third, other},
                                    Filled(kLinedSheet, PixelType::kS32, 0), {});
  ASSERT_EQ(lines.paths.size(), 3U);
  EXPECT_EQ(cv::countNonZero(AsMat(lines.ids).row(40) == 2), 161) << "without a gap";
  EXPECT_EQ(lines.paths[1].pixels, 163) << "two are of two parts";
  EXPECT_EQ(lines.paths[1].box.width, 161);
  EXPECT_EQ(lines.paths[1].score, 7);
  EXPECT_EQ(lines.ids.Row<std::int32_t>(20)[30], 3);
}

TEST_F(FoundLines, OfBarePaperMakeKnownOnesBare) {
  const Lines lines = Add({.x = 30, .y = 82, .end = 60}, true);
  ASSERT_EQ(lines.paths.size(), 1U);
  EXPECT_TRUE(lines.paths[0].bare);
}

TEST_F(FoundLines, WithFlanksGiveThemToWhatIsKnown) {
  const auto with = [&](const StraightLine& line) {
    Lines lines = AddFoundLines(lines_, {{.line = line, .score = 7, .needed = 5, .flanked = true}},
                                Filled(kLinedSheet, PixelType::kS32, 0), {});
    EXPECT_FALSE(lines.paths[0].bare);
    return static_cast<bool>(lines.paths[0].flanked);
  };
  EXPECT_TRUE(with({.x = 30, .y = 82, .end = 60}));
  EXPECT_FALSE(with({.x = 100, .y = 82, .end = 60})) << "most of it runs on alone";
  EXPECT_FALSE(with({.x = 60, .y = 50, .cosine = 0, .sine = 1, .end = 60})) << "it crosses";
  EXPECT_FALSE(Add({.x = 30, .y = 82, .end = 60}, false).paths[0].flanked);
}

TEST_F(FoundLines, WithFlanksAreNotAddedAsAFlankOfAKnownOne) {
  const auto added = [&](const FoundLine& line) {
    lines_ = {.ids = Filled(kLinedSheet, PixelType::kS32, 0), .mask = {}, .paths = {}};
    Know({20, 80}, {120, 80});
    const Plane energy = Filled(kLinedSheet, PixelType::kS32, 0);
    return AddFoundLines(std::move(lines_), {line}, energy, {}).paths.size() - 1;
  };
  FoundLine line{.line = {.x = 30, .y = 90, .end = 60}, .score = 7, .needed = 5, .flanked = true};
  EXPECT_EQ(added(line), 0U);
  line.line.y = 70;
  EXPECT_EQ(added(line), 0U) << "nor to the other side";
  line.line.y = 93;
  EXPECT_EQ(added(line), 1U) << "that is another one";
  line.line = {.x = 90, .y = 90, .end = 60};
  EXPECT_EQ(added(line), 1U) << "half of it runs on alone";
  line.line = {.x = 50, .y = 60, .cosine = 0.6, .sine = 0.8, .end = 50};
  EXPECT_EQ(added(line), 1U) << "it crosses";
  line.line = {.x = 30, .y = 90, .end = 60};
  line.bare = true;
  EXPECT_EQ(added(line), 1U) << "its paper shows where it is";
  line.bare = line.flanked = false;
  EXPECT_EQ(added(line), 1U);
}

TEST_F(FoundLines, OfBarePaperSayNothingOfWhatTheyCross) {
  const Lines lines = Add({.x = 60, .y = 50, .cosine = 0, .sine = 1, .end = 60}, true);
  ASSERT_EQ(lines.paths.size(), 2U);
  EXPECT_FALSE(lines.paths[0].bare);
}

}  // namespace
}  // namespace glint::photometric
