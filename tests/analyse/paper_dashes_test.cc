// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/paper_dashes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

const cv::Scalar kPaperColour(236, 232, 222), kGreen(60, 140, 70), kYellow(240, 210, 60),
    kBlue(80, 90, 200);

/// A sheet of one ink with a margin of paper below it.
class DashesOfPaper : public testing::Test {
 protected:
  /// Draws a dash of this colour, its middle at (x, y), and so wide.
  void Dash(double x, double y, double angle_deg, double length, int width = 2,
            const cv::Scalar& colour = kPaperColour) {
    constexpr int kShift = 6;  // of a pixel
    const double angle = angle_deg * std::numbers::pi / 180;
    const double dx = std::cos(angle) * length / 2, dy = std::sin(angle) * length / 2;
    const auto at = [](double u, double v) {
      return cv::Point(static_cast<int>(std::lround(u * (1 << kShift))),
                       static_cast<int>(std::lround(v * (1 << kShift))));
    };
    cv::line(sheet_, at(x - dx, y - dy), at(x + dx, y + dy), colour, width, cv::LINE_AA, kShift);
  }

  std::vector<MeasuredDash> Measure(double blur = 0.8) const {
    ThreadPool pool(2);
    return FindDashCandidates(Seen(blur), surface_, params_, pool).measured;
  }

  /// Colours the sheet from one column on.
  void ColourFrom(int x, const cv::Scalar& colour) {
    sheet_(cv::Rect(x, 0, sheet_.cols - x, 230)).setTo(colour);
  }

  cv::Mat Seen(double blur) const {
    cv::Mat seen;
    cv::GaussianBlur(sheet_, seen, {}, blur);
    return seen;
  }

  PaperDashes FindAll(int threads = 2, double blur = 0.8) const {
    ThreadPool pool(threads);
    return FindPaperDashes(Seen(blur), surface_, params_, pool);
  }

  /// The plain ones.
  std::vector<PaperDash> Find(int threads = 2, double blur = 0.8) const {
    return FindAll(threads, blur).dashes;
  }

  cv::Mat sheet_ = [] {
    cv::Mat sheet(260, 300, CV_8UC3, kGreen);
    sheet(cv::Rect(0, 230, sheet.cols, 30)).setTo(kPaperColour);
    return sheet;
  }();
  cv::Mat surface_{sheet_.size(), CV_8U, cv::Scalar(255)};
  PaperDashParams params_;
};

TEST_F(DashesOfPaper, AreWhereInkIsGone) {
  Dash(120, 100, 25, 16);
  const auto found = Find();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].x, 120, 1);
  EXPECT_NEAR(found[0].y, 100, 1);
  EXPECT_NEAR(std::abs(found[0].sine / found[0].cosine), std::tan(25 * std::numbers::pi / 180),
              0.15);
  EXPECT_NEAR(found[0].length, 16 + 6, 3) << "with its ends, which blur and averages widen";
  EXPECT_GT(found[0].contrast, 60);
}

TEST_F(DashesOfPaper, AreFoundInTheirOrder) {
  Dash(200, 60, 20, 14);
  Dash(60, 150, 110, 14);
  const auto found = Find();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].y, 60, 1);
  EXPECT_NEAR(found[1].y, 150, 1);
}

TEST_F(DashesOfPaper, AreFoundOnYellowWhoseGreyIsThatOfPaper) {
  ColourFrom(0, kYellow);
  Dash(120, 100, 25, 16);
  EXPECT_EQ(Find().size(), 1U);
}

TEST_F(DashesOfPaper, AreNotWhereTheObjectIsNotLookedAt) {
  Dash(120, 100, 25, 16);
  surface_(cv::Rect(90, 70, 60, 60)).setTo(0);
  EXPECT_TRUE(Find().empty());
}

TEST_F(DashesOfPaper, AreNotTheMixtureOfTwoColours) {
  ColourFrom(150, kBlue);
  sheet_(cv::Rect(0, 0, 150, 230)).setTo(kYellow);
  EXPECT_TRUE(Find().empty());
}

TEST_F(DashesOfPaper, AreNotTheSoftStrokesOfABrush) {
  Dash(120, 100, 25, 40);
  const auto measured = Measure();
  ASSERT_EQ(measured.size(), 1U);
  EXPECT_NEAR(measured[0].sharpness, 0.68, 0.05);
  EXPECT_LT(measured[0].sides_differ, 3);
  EXPECT_EQ(Find(2, 0.8).size(), 1U);
  EXPECT_TRUE(Find(2, 2.5).empty());
  params_.plain.min_sharpness = 0;
  params_.plain.max_width_px = 8;
  EXPECT_FALSE(Find(2, 2.5).empty()) << "but for its edges";
}

TEST_F(DashesOfPaper, AreNotOneOfMany) {
  for (int y = 60; y <= 140; y += 8) Dash(120, y, 0, 16);
  for (const PaperDash& dash : Find()) {
    EXPECT_TRUE(dash.y < 64 || dash.y > 136) << "one amid others at " << dash.y;
  }
}

TEST_F(DashesOfPaper, AreAloneThoughTheyReachAMargin) {
  Dash(120, 221, 70, 24);
  EXPECT_EQ(Find().size(), 1U);
  params_.measures.ground_radius_px = 100;
  EXPECT_TRUE(Find().empty()) << "were it paper like any other";
}

TEST_F(DashesOfPaper, AreNotWide) {
  Dash(120, 100, 0, 30, 9);
  EXPECT_TRUE(Find().empty());
}

TEST_F(DashesOfPaper, AreCutOffAtTheRim) {
  Dash(14, 100, 20, 32);
  const auto found = Find();
  ASSERT_EQ(found.size(), 1U) << "what breaks the rim, too, breaks off there";
  EXPECT_GE(found[0].x - found[0].length / 2, params_.plain.pixels.rim_px - 2);
  EXPECT_LE(found[0].x + found[0].length / 2, 36);
}

TEST_F(DashesOfPaper, DoNotRunAlongTheRim) {
  Dash(3, 100, 91, 32);
  EXPECT_TRUE(Find().empty());
  params_.plain.pixels.rim_px = 0;
  EXPECT_FALSE(Find().empty());
}

TEST_F(DashesOfPaper, AreNotFaint) {
  Dash(120, 100, 25, 16, 2, kGreen + cv::Scalar(20, 20, 20));
  EXPECT_TRUE(Find().empty());
}

TEST_F(DashesOfPaper, MayBeAmongManyThoughTheyAreNotPlain) {
  for (int y = 60; y <= 140; y += 8) Dash(120, y, 0, 16);
  params_.candidates.min_evidence = -100;
  const PaperDashes found = FindAll();
  EXPECT_LT(found.dashes.size(), 3U);
  ASSERT_EQ(found.candidates.size(), 11U);
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_NEAR(found.candidates[i].y, 60 + 8 * static_cast<double>(i), 1);
  }
}

TEST_F(DashesOfPaper, MayBeLostInkByTheirEvidence) {
  Dash(120, 100, 25, 16);
  const PaperDashes found = FindAll();
  ASSERT_EQ(found.candidates.size(), 1U);
  EXPECT_NEAR(found.candidates[0].x, 120, 1);
  EXPECT_EQ(Measure().size(), 1U);
  params_.candidates.min_evidence = found.candidates[0].evidence + 0.1;
  EXPECT_TRUE(FindAll().candidates.empty());
  EXPECT_EQ(FindAll().dashes.size(), 1U) << "a plain one is not asked for it";
  EXPECT_EQ(Measure().size(), 1U) << "nor what is measured";
}

TEST_F(DashesOfPaper, AreTheSameOnAnyNumberOfThreads) {
  Dash(120, 100, 25, 16);
  Dash(60, 150, 70, 14);
  const auto alone = Find(1);
  EXPECT_EQ(alone.size(), 2U);
  EXPECT_EQ(alone, Find(4));
}

}  // namespace
}  // namespace glint::photometric
