// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/white_strokes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "base/mat.h"

namespace glint::photometric {
namespace {

constexpr int kGreyUnits = 64;
constexpr int kInk = 90, kWhite = 230, kOutline = 30;

/// An albedo of one ink with what is drawn on it.
class WhiteStrokes : public testing::Test {
 protected:
  /// A line of one grey along a row, from one column to another.
  void Line(int x0, int x1, int width, int grey) {
    cv::rectangle(drawn_, cv::Rect(x0, kRow - width / 2, x1 - x0 + 1, width), cv::Scalar(grey),
                  cv::FILLED);
  }

  /// A white wedge that is as wide as a dash where that ends.
  void Wedge(int x0, int x1, int begin_width, int end_width) {
    for (int x = x0; x <= x1; ++x) {
      const int width = begin_width + (end_width - begin_width) * (x - x0) / (x1 - x0);
      drawn_(cv::Rect(x, kRow - width / 2, 1, width)).setTo(kWhite);
    }
  }

  Plane Albedo() const {
    cv::Mat seen;
    cv::GaussianBlur(drawn_, seen, {}, 0.8);
    Plane albedo = Plane::Host({seen.cols, seen.rows}, PixelType::kS16);
    seen.convertTo(AsMat(albedo), CV_16S, kGreyUnits);
    return albedo;
  }

  static constexpr int kRow = 60;
  static constexpr StraightLine kStroke{.x = 100, .y = kRow, .begin = -10, .end = 10};

  cv::Mat drawn_{120, 200, CV_8U, cv::Scalar(kInk)};
  WhiteStrokeParams params_;
};

TEST_F(WhiteStrokes, AreOutlined) {
  Line(85, 115, 9, kOutline);
  Line(90, 110, 3, kWhite);
  EXPECT_TRUE(IsOutlined(kStroke, Albedo(), params_));
}

TEST_F(WhiteStrokes, AreNotWhatIsOutlinedOnOneSide) {
  drawn_(cv::Rect(85, kRow, 30, 5)).setTo(kOutline);
  Line(90, 110, 3, kWhite);
  EXPECT_FALSE(IsOutlined(kStroke, Albedo(), params_));
}

TEST_F(WhiteStrokes, AreNotInkThatBrokeOff) {
  Line(90, 110, 3, kWhite);
  EXPECT_FALSE(IsOutlined(kStroke, Albedo(), params_));
  EXPECT_FALSE(Widens(kStroke, Albedo(), params_));
}

TEST_F(WhiteStrokes, GoOnWithAnOutlineBeyondWhatIsAsDark) {
  const auto draw = [this](int outline_end) {
    drawn_.setTo(kInk);
    Line(111, outline_end, 9, kOutline);
    Line(90, 150, 3, kWhite);
    return IsOutlined(kStroke, Albedo(), params_);
  };
  EXPECT_TRUE(draw(150));
  EXPECT_FALSE(draw(130)) << "white for as long, outlined for the half of it";
  cv::flip(drawn_, drawn_, 1);
  Line(49, 89, 9, kOutline);
  Line(49, 109, 3, kWhite);
  StraightLine line = kStroke;
  line.x = drawn_.cols - 1 - line.x;
  EXPECT_TRUE(IsOutlined(line, Albedo(), params_)) << "at its other end";
}

TEST_F(WhiteStrokes, AreNotToldWhereNothingIsBrighterThanItsSides) {
  Line(85, 115, 9, kOutline);
  EXPECT_FALSE(IsOutlined(kStroke, Albedo(), params_));
}

TEST_F(WhiteStrokes, WidenBitByBit) {
  Line(90, 110, 3, kWhite);
  Wedge(110, 125, 3, 11);
  EXPECT_TRUE(Widens(kStroke, Albedo(), params_));
}

TEST_F(WhiteStrokes, WidenAtTheirOtherEnd) {
  Line(90, 110, 3, kWhite);
  Wedge(110, 125, 3, 11);
  cv::flip(drawn_, drawn_, 1);
  StraightLine line = kStroke;
  line.x = drawn_.cols - 1 - line.x;
  EXPECT_TRUE(Widens(line, Albedo(), params_));
}

TEST_F(WhiteStrokes, AreNotDashesThatMeetBarePaper) {
  Line(90, 110, 3, kWhite);
  drawn_(cv::Rect(112, 0, drawn_.cols - 112, drawn_.rows)).setTo(kWhite);
  EXPECT_FALSE(Widens(kStroke, Albedo(), params_));
}

TEST_F(WhiteStrokes, AreNotDashesThatGoOnAsWide) {
  Line(90, 140, 3, kWhite);
  EXPECT_FALSE(Widens(kStroke, Albedo(), params_));
}

TEST_F(WhiteStrokes, AreLookedForUpToTheAlbedosSides) {
  const StraightLine line{.x = 3, .y = 1, .begin = -10, .end = 10};
  EXPECT_FALSE(IsOutlined(line, Albedo(), params_));
  EXPECT_FALSE(Widens(line, Albedo(), params_));
}

TEST_F(WhiteStrokes, AreTakenFromWhatWasFound) {
  Line(85, 115, 9, kOutline);
  Line(90, 110, 3, kWhite);
  drawn_(cv::Rect(90, 20, 21, 3)).setTo(kWhite);
  const Plane albedo = Albedo();
  StraightLine broken = kStroke;
  broken.y = 21;
  const auto lines = WithoutOutlined({{.line = kStroke}, {.line = broken}}, albedo, params_);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].line.y, broken.y);
  const auto dashes = WithoutStrokes(
      {{.x = 100, .y = kRow, .length = 20}, {.x = 100, .y = 21, .length = 20}}, albedo, params_);
  ASSERT_EQ(dashes.size(), 1U);
  EXPECT_EQ(dashes[0].y, 21);
}

}  // namespace
}  // namespace glint::photometric
