// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/side_lines.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <utility>
#include <vector>

#include "analyse/photometric/outline/background.h"
#include "base/mat.h"

namespace glint::photometric {
namespace {

const cv::Scalar kTable(160, 116, 79), kShadow(68, 49, 33), kBorder(110, 38, 97);

/// An object of one colour on a table, whose right side was placed so far beyond it.
class SideLines : public testing::Test {
 protected:
  void SetUp() override {
    picture_(Object()).setTo(kBorder);
    picture_(cv::Rect(kEdge + kBackgroundMargin, kBackgroundMargin, kWidth - kEdge, kHeight))
        .setTo(kShadow);
  }

  static cv::Rect Object() { return {kBackgroundMargin, kBackgroundMargin, kWidth, kHeight}; }

  /// A line down the object.
  void Line(int x, int y0, int y1) {
    ++lines_;
    for (int y = y0; y <= y1; ++y) AsMat(ids_).at<std::int32_t>(y, x) = lines_;
  }

  std::vector<bool> AreSidesHere() const {
    return AreSides(ids_, static_cast<std::size_t>(lines_), picture_, params_);
  }

  static constexpr int kWidth = 120, kHeight = 200, kEdge = 113;

  cv::Mat picture_{kHeight + 2 * kBackgroundMargin, kWidth + 2 * kBackgroundMargin, CV_8UC3,
                   kTable};
  Plane ids_ = [] {
    Plane ids = Plane::Host({kWidth, kHeight}, PixelType::kS32);
    AsMat(ids).setTo(0);
    return ids;
  }();
  int lines_ = 0;
  SideLineParams params_;
};

TEST_F(SideLines, AreBesideAShadow) {
  Line(kEdge, 10, 90);
  Line(kEdge - 1, 100, 180);
  EXPECT_EQ(AreSidesHere(), std::vector<bool>({true, true})) << "two pieces of one edge";
}

TEST_F(SideLines, AreFoundAtEachSide) {
  Line(kEdge, 10, 190);
  for (const auto turn :
       {cv::ROTATE_90_CLOCKWISE, cv::ROTATE_180, cv::ROTATE_90_COUNTERCLOCKWISE}) {
    cv::Mat picture, ids;
    cv::rotate(picture_, picture, turn);
    cv::rotate(AsMat(ids_), ids, turn);
    EXPECT_EQ(AreSides(AsPlane(ids), 1, picture, params_), std::vector<bool>({true})) << turn;
  }
}

TEST_F(SideLines, AreNotCreasesAlongASpine) {
  picture_(Object()).setTo(kBorder);
  Line(kEdge, 10, 190);
  EXPECT_EQ(AreSidesHere(), std::vector<bool>({false}));
}

TEST_F(SideLines, LeaveACreaseBesideThem) {
  Line(kEdge, 10, 190);
  Line(kEdge - 4, 60, 120);
  Line(kEdge - 5, 140, 180);
  EXPECT_EQ(AreSidesHere(), std::vector<bool>({true, false, false}));
}

TEST_F(SideLines, AreNotBesideWhatIsBrighterThanTheTable) {
  const cv::Scalar margin = kTable * 1.5;  // of the table's hue
  picture_(cv::Rect(kEdge + kBackgroundMargin, kBackgroundMargin, kWidth - kEdge, kHeight))
      .setTo(margin);
  Line(kEdge, 10, 190);
  EXPECT_EQ(AreSidesHere(), std::vector<bool>({false}));
}

TEST_F(SideLines, AreNotToldByBlackInk) {
  picture_(cv::Rect(kBackgroundMargin, kBackgroundMargin, kEdge, kHeight)).setTo(0);
  Line(kEdge, 10, 190);
  EXPECT_EQ(AreSidesHere(), std::vector<bool>({false}));
}

TEST_F(SideLines, AreNotShort) {
  Line(kEdge, 10, 100);
  EXPECT_EQ(AreSidesHere(), std::vector<bool>({false}));
}

TEST_F(SideLines, DoNotLeaveTheSide) {
  Line(kEdge, 10, 150);
  for (int x = kEdge; x > kEdge - 60; --x) AsMat(ids_).at<std::int32_t>(151, x) = 1;
  EXPECT_EQ(AreSidesHere(), std::vector<bool>({false}));
}

TEST_F(SideLines, AreNotToldWithoutColours) {
  picture_.setTo(0);
  Line(kEdge, 10, 190);
  EXPECT_EQ(AreSidesHere(), std::vector<bool>({false}));
}

TEST_F(SideLines, AreTakenFromTheLinesAndFromWhatIsDrawn) {
  Line(kEdge, 10, 190);
  Line(40, 60, 90);
  Lines lines{.ids = ids_, .mask = Plane::Host(ids_.size(), PixelType::kU8), .paths = {}};
  lines.paths.resize(2);
  cv::dilate(AsMat(ids_) != 0, AsMat(lines.mask), cv::Mat::ones(3, 3, CV_8U));
  const Lines kept = DropSides(std::move(lines), picture_, params_);
  EXPECT_EQ(kept.paths.size(), 1U);
  EXPECT_EQ(cv::countNonZero(AsMat(kept.ids)), 31);
  EXPECT_EQ(cv::countNonZero(AsMat(kept.mask)), 33 * 3);
}

}  // namespace
}  // namespace glint::photometric
