// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/contour_shift.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "base/mat.h"
#include "support/stored.h"

namespace glint::photometric {
namespace {

constexpr int kSide = 200;
constexpr int kViews = 12;

/// Print with a soft vertical edge at a column, grey values.
cv::Mat Print(double column) {
  cv::Mat grey(kSide, kSide, CV_32F);
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      grey.at<float>(y, x) = static_cast<float>(140 + 60 * std::tanh((x - column) / 2));
    }
  }
  return grey;
}

Plane InUnits(const cv::Mat& grey) {
  cv::Mat units;
  grey.convertTo(units, CV_16S, 64);
  return AsPlane(units);
}

/// A print with one line along its edge and one that crosses it, as views show them.
struct ShiftedPrint {
  Plane albedo = InUnits(Print(100));
  Lines lines;
  std::vector<Plane> residuals, valid;

  /// @param shift   of the print in every third view, px
  /// @param relief  of the lines, grey
  /// @param column  of the first line; the edge's is 100
  ShiftedPrint(double shift, double relief, int column = 100) {
    cv::Mat ids(kSide, kSide, CV_32S, cv::Scalar(0));
    cv::line(ids, {column, 20}, {column, 80}, cv::Scalar(1));
    cv::line(ids, {40, 120}, {160, 150}, cv::Scalar(2));
    cv::Mat lit;
    cv::Mat(ids != 0).convertTo(lit, CV_32F, relief / 255);
    cv::GaussianBlur(lit, lit, {}, 1);
    cv::RNG noise(7);
    for (int view = 0; view < kViews; ++view) {
      cv::Mat rest(kSide, kSide, CV_32F);
      noise.fill(rest, cv::RNG::NORMAL, 0, 1);
      if (view % 3 == 0) rest += Print(100 + shift) - Print(100);
      if (view % 3 == 1) rest += lit;
      residuals.push_back(InUnits(rest));
      valid.push_back(AsPlane(cv::Mat(kSide, kSide, CV_8U, cv::Scalar(255))));
    }
    cv::Mat mask;
    cv::dilate(ids != 0, mask, cv::Mat::ones(5, 5, CV_8U));
    lines = {
        .ids = AsPlane(ids), .mask = AsPlane(mask), .paths = {{.length = 60}, {.length = 124}}};
  }

  Lines Kept() const {
    ThreadPool pool(2);
    Lines copy{.ids = AsPlane(AsMat(lines.ids).clone()),
               .mask = AsPlane(AsMat(lines.mask).clone()),
               .paths = lines.paths};
    return DropShiftedContours(std::move(copy), Stored(residuals), valid, albedo, {}, pool);
  }
};

TEST(ContourShift, ExplainsAContourThatSomeViewsShowElsewhere) {
  const ShiftedPrint scene(1, 12);
  ThreadPool pool(2);
  const auto shares =
      ExplainedByShifts(scene.lines, Stored(scene.residuals), scene.valid, scene.albedo, {}, pool);
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_GT(shares[0], 0.9);
  EXPECT_LT(shares[1], 0.4) << "it crosses the print";
  const Lines kept = scene.Kept();
  ASSERT_EQ(kept.paths.size(), 1U);
  EXPECT_EQ(kept.paths[0].length, 124);
  const cv::Mat ids = AsMat(kept.ids);
  EXPECT_EQ(cv::countNonZero(ids(cv::Rect(0, 0, kSide, 100))), 0);
  EXPECT_EQ(cv::countNonZero(AsMat(kept.mask)(cv::Rect(0, 0, kSide, 100))), 0);
  EXPECT_EQ(cv::countNonZero(ids == 1), cv::countNonZero(AsMat(scene.lines.ids) == 2));
  EXPECT_GT(cv::countNonZero(AsMat(kept.mask)), 124 * 4);
}

TEST(ContourShift, ExplainsNoReliefBesideAContour) {
  const ShiftedPrint scene(0, 12, 106);
  EXPECT_EQ(scene.Kept().paths.size(), 2U);
}

TEST(ContourShift, ExplainsALongContourWithLess) {
  ShiftedPrint scene(0.08, 0);
  EXPECT_EQ(scene.Kept().paths.size(), 2U);
  scene.lines.paths[0].length = 240;
  EXPECT_EQ(scene.Kept().paths.size(), 1U);
}

TEST(ContourShift, LeavesBarePaperWhoseOwnContoursShift) {
  ShiftedPrint scene(1, 12);
  scene.lines.paths[0].bare = true;
  EXPECT_EQ(scene.Kept().paths.size(), 2U);
}

TEST(ContourShift, GivesTheSameOnAnyNumberOfThreads) {
  const ShiftedPrint scene(0.7, 8);
  ThreadPool one(1), four(4);
  EXPECT_EQ(
      ExplainedByShifts(scene.lines, Stored(scene.residuals), scene.valid, scene.albedo, {}, one),
      ExplainedByShifts(scene.lines, Stored(scene.residuals), scene.valid, scene.albedo, {}, four));
}

}  // namespace
}  // namespace glint::photometric
