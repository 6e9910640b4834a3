// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/dash_row_print.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <vector>

namespace glint::photometric {
namespace {

/// A row of dashes along y = 50, of paper on green print.
class DashRowPrint : public testing::Test {
 protected:
  DashRowPrint() {
    for (const double x : {20, 50, 85}) {
      dashes_.push_back({.x = x,
                         .y = 50,
                         .cosine = 1,
                         .sine = 0,
                         .length = 8,
                         .contrast = 60,
                         .ink = {60, 140, 70},
                         .gain = {88, 46, 76},
                         .side_share = 0.1});
    }
    paper_.colour = {236, 232, 222};
    paper_.whiteness = cv::Mat(100, 120, CV_8U, cv::Scalar(60));
  }

  bool IsPaper() const {
    const StraightLine row{.x = 0, .y = 50, .cosine = 1, .sine = 0, .begin = 16, .end = 89};
    return IsBarePaper(row, dashes_, paper_, params_);
  }

  std::vector<PaperDash> dashes_;
  PaperDashes paper_;
  DashRowPrintParams params_;
};

TEST_F(DashRowPrint, IsNoneWhereInkIsGone) { EXPECT_TRUE(IsPaper()); }

TEST_F(DashRowPrint, IsGildedWhereItDoesNotTurnToPaper) {
  for (PaperDash& dash : dashes_) dash.gain = {140, 60, 10};
  EXPECT_FALSE(IsPaper());
  params_.max_turn_deg = 60;
  EXPECT_TRUE(IsPaper());
}

TEST_F(DashRowPrint, IsAnEdgeWhereTheSidesDiffer) {
  for (PaperDash& dash : dashes_) dash.side_share = 0.4;
  EXPECT_FALSE(IsPaper());
  dashes_[0].side_share = dashes_[1].side_share = 0.1;
  EXPECT_TRUE(IsPaper()) << "one dash may lie at a contour";
}

TEST_F(DashRowPrint, IsAContourThatRunsAlongTheGaps) {
  paper_.whiteness(cv::Rect(0, 52, 120, 48)).setTo(90);
  EXPECT_FALSE(IsPaper());
  params_.min_step_grey = 31;
  EXPECT_TRUE(IsPaper());
}

TEST_F(DashRowPrint, IsAnOutlineBesideAllOfIt) {
  params_.min_gaps_px = 80;
  paper_.whiteness(cv::Rect(0, 57, 120, 43)).setTo(90);
  EXPECT_FALSE(IsPaper());
  paper_.whiteness(cv::Rect(40, 57, 80, 43)).setTo(60);
  EXPECT_TRUE(IsPaper()) << "beside a part of it";
  paper_.whiteness.setTo(60);
  paper_.whiteness(cv::Rect(0, 52, 120, 1)).setTo(90);
  EXPECT_TRUE(IsPaper()) << "so near lies what the dashes fade into";
}

TEST_F(DashRowPrint, MayBeCrossed) {
  for (int x = 0; x < 120; x += 12) paper_.whiteness(cv::Rect(x, 52, 4, 48)).setTo(130);
  EXPECT_TRUE(IsPaper());
  params_.min_evenness = 0.3;
  EXPECT_FALSE(IsPaper());
}

TEST_F(DashRowPrint, IsNotAskedWhereTheGapsAreShort) {
  paper_.whiteness(cv::Rect(0, 52, 120, 48)).setTo(90);
  params_.min_gaps_px = 80;
  EXPECT_TRUE(IsPaper());
  params_.min_gaps_px = 6;
  paper_.whiteness.release();
  EXPECT_TRUE(IsPaper()) << "nothing is known of the print";
}

}  // namespace
}  // namespace glint::photometric
