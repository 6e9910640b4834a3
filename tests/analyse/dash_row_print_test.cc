// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_row_print.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <vector>

namespace glint::photometric {
namespace {

/// A row of dashes along y = 50, on even print.
class DashRowPrint : public testing::Test {
 protected:
  DashRowPrint() {
    for (const double x : {20, 50, 85}) dashes_.push_back({.x = x, .y = 50, .length = 8});
  }

  bool HasIt() const {
    const StraightLine row{.x = 0, .y = 50, .cosine = 1, .sine = 0, .begin = 16, .end = 89};
    return HasContour(row, dashes_, whiteness_, params_);
  }

  std::vector<PaperDash> dashes_;
  cv::Mat whiteness_{100, 120, CV_8U, cv::Scalar(60)};
  DashRowPrintParams params_;
};

TEST_F(DashRowPrint, IsNoneWhereInkIsGone) { EXPECT_FALSE(HasIt()); }

TEST_F(DashRowPrint, IsAContourThatRunsAlongTheGaps) {
  whiteness_(cv::Rect(0, 52, 120, 48)).setTo(90);
  EXPECT_TRUE(HasIt());
  params_.min_step_grey = 31;
  EXPECT_FALSE(HasIt());
}

TEST_F(DashRowPrint, IsAnOutlineBesideAllOfIt) {
  params_.min_gaps_px = 80;
  whiteness_(cv::Rect(0, 57, 120, 43)).setTo(90);
  EXPECT_TRUE(HasIt());
  whiteness_(cv::Rect(40, 57, 80, 43)).setTo(60);
  EXPECT_FALSE(HasIt()) << "beside a part of it";
  whiteness_.setTo(60);
  whiteness_(cv::Rect(0, 52, 120, 1)).setTo(90);
  EXPECT_FALSE(HasIt()) << "so near lies what the dashes fade into";
}

TEST_F(DashRowPrint, MayBeCrossed) {
  for (int x = 0; x < 120; x += 12) whiteness_(cv::Rect(x, 52, 4, 48)).setTo(130);
  EXPECT_FALSE(HasIt());
  params_.min_evenness = 0.3;
  EXPECT_TRUE(HasIt());
}

TEST_F(DashRowPrint, IsNotAskedWhereTheGapsAreShort) {
  whiteness_(cv::Rect(0, 52, 120, 48)).setTo(90);
  params_.min_gaps_px = 80;
  EXPECT_FALSE(HasIt());
  params_.min_gaps_px = 6;
  whiteness_.release();
  EXPECT_FALSE(HasIt()) << "nothing is known of the print";
}

}  // namespace
}  // namespace glint::photometric
