// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/passing_occluders.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <vector>

#include "base/mat.h"

namespace glint::photometric {
namespace {

constexpr int kCoverViews = 20;
const cv::Rect kCoveredPart(0, 40, 20, 50);

/// Views of a printed sheet, at the left rim of which most show something else.
class RimOfViews : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < kCoverViews; ++i) {
      cv::Mat grey(140, 120, CV_8U, cv::Scalar(120));
      grey.rowRange(70, 76).setTo(60);  // print
      views_.push_back(grey);
    }
  }

  /// Shows a grey part of other heights from view to view. @param first  view that does
  void Hold(int first, int grey) {
    for (int i = first; i < kCoverViews; ++i) {
      views_[static_cast<std::size_t>(i)](kCoveredPart).setTo(grey + i % 3);
    }
  }

  /// What becomes of an outline with a gap there.
  Outline OutlineOf(const PassingOccluderParams& params = {}, const cv::Mat& torn = {}) const {
    std::vector<Plane> greys, valid;
    for (const cv::Mat& view : views_) {
      greys.push_back(AsPlane(view.clone()));
      valid.push_back(AsPlane(cv::Mat(view.size(), CV_8U, cv::Scalar(255))));
    }
    cv::Mat damage(views_[0].size(), CV_8U, cv::Scalar(0));
    damage(kCoveredPart).setTo(255);
    Outline outline{.damage = AsPlane(damage.clone()),
                    .torn = torn.empty() ? Plane() : AsPlane(torn.clone()),
                    .covered = AsPlane(cv::Mat(damage.size(), CV_8U, cv::Scalar(0))),
                    .body = AsPlane(cv::Mat(damage == 0)),
                    .shape = {}};
    CoverClosedGaps(greys, valid, params, outline);
    return outline;
  }

  /// Whether the gap there is taken for covered.
  bool IsCovered(const PassingOccluderParams& params = {}, const cv::Mat& torn = {}) const {
    const Outline outline = OutlineOf(params, torn);
    const bool covered = cv::countNonZero(AsMat(outline.covered)) > 0;
    EXPECT_EQ(cv::countNonZero(AsMat(outline.damage)), covered ? 0 : kCoveredPart.area());
    EXPECT_EQ(cv::countNonZero(AsMat(outline.covered)(kCoveredPart)),
              covered ? kCoveredPart.area() : 0);
    EXPECT_EQ(cv::countNonZero(AsMat(outline.body) == 0), covered ? 0 : kCoveredPart.area());
    return covered;
  }

  std::vector<cv::Mat> views_;
};

TEST_F(RimOfViews, IsCoveredWhereSomeShowTheSheet) {
  Hold(4, 200);
  EXPECT_TRUE(IsCovered());
  EXPECT_FALSE(IsCovered({.min_views = 5})) << "too few do";
  EXPECT_FALSE(IsCovered({.min_unlike_grey = 100}));
}

TEST_F(RimOfViews, IsCoveredWhateverTheirLight) {
  Hold(4, 180);
  for (std::size_t i = 0; i < views_.size(); ++i) {
    views_[i].convertTo(views_[i], CV_8U, 0.7 + 0.03 * static_cast<double>(i));
  }
  EXPECT_TRUE(IsCovered());
}

TEST_F(RimOfViews, IsMissingWhereEveryViewShowsIt) {
  Hold(0, 200);
  EXPECT_FALSE(IsCovered());
}

TEST_F(RimOfViews, IsMissingWhereSomeShowAnotherTableBehindIt) {
  Hold(0, 200);
  for (std::size_t i = 0; i < 5; ++i) views_[i](kCoveredPart).setTo(60);
  EXPECT_FALSE(IsCovered()) << "the edge stays";
  EXPECT_TRUE(IsCovered({.max_edge_share = 1}));
}

TEST_F(RimOfViews, IsMissingWhereEveryOtherViewShowsSomethingElse) {
  Hold(0, 200);
  for (std::size_t i = 0; i < 5; ++i) {
    views_[i](kCoveredPart).setTo(static_cast<int>(5 + 40 * i));
  }
  EXPECT_FALSE(IsCovered()) << "a table that passes";
}

TEST_F(RimOfViews, IsMissingWherePaperIsTorn) {
  Hold(4, 200);
  cv::Mat torn(views_[0].size(), CV_8U, cv::Scalar(0));
  torn(kCoveredPart).setTo(255);
  EXPECT_FALSE(IsCovered({}, torn));
}

TEST_F(RimOfViews, HidesWhatIsBesideItToo) {
  Hold(4, 200);
  const Outline outline = OutlineOf();
  EXPECT_EQ(AsMat(outline.covered).at<std::uint8_t>(60, 25), 255);
  EXPECT_EQ(AsMat(outline.covered).at<std::uint8_t>(60, 40), 0);
}

}  // namespace
}  // namespace glint::photometric
