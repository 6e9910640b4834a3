// SPDX-License-Identifier: Apache-2.0
#include "analyse/homography_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <random>
#include <vector>

#include "analyse/quadrilateral.h"
#include "base/mat.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

constexpr Homography kTurned = {0.98, -0.17, 60, 0.17, 0.98, -20, 2e-5, -1e-5, 1};

/// A grid of points 20 px apart and where the map takes them.
std::vector<Correspondence> Grid(int columns, int rows, const Homography& map) {
  std::vector<Correspondence> points;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const Point from{20.0 * x, 20.0 * y};
      points.push_back({from, Map(map, from)});
    }
  }
  return points;
}

/// Largest distance of two maps at the corners of 400 x 300 px.
double Difference(const Homography& a, const Homography& b) {
  double largest = 0;
  for (const Point p : {Point{0, 0}, Point{400, 0}, Point{400, 300}, Point{0, 300}})
    largest = std::max(largest, Distance(Map(a, p), Map(b, p)));
  return largest;
}

TEST(FitHomography, IsExactWhereAllCorrespondencesAgree) {
  const Homography shift = {1, 0, 1.5, 0, 1, -0.5, 0, 0, 1};
  const auto found = FitHomography(Grid(4, 3, shift), 1);
  ASSERT_TRUE(found);
  EXPECT_LT(Difference(*found, shift), 1e-6);
}

TEST(FitHomography, GivesNoWeightToWhatLiesBeyondTheScale) {
  const Homography same = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::vector<Correspondence> points = Grid(20, 15, same);
  points[150].to.x += 3;
  const auto strict = FitHomography(points, 2);
  ASSERT_TRUE(strict);
  EXPECT_LT(Difference(*strict, same), 1e-9);
  const auto lax = FitHomography(points, 30);
  ASSERT_TRUE(lax);
  EXPECT_GT(Difference(*lax, same), 1e-3);
}

TEST(FitMatches, FindsTheMapThatMostMatchesAgreeWith) {
  std::vector<Correspondence> matches = Grid(20, 15, kTurned);
  std::mt19937 random(5);
  for (std::size_t i = 0; i < matches.size(); i += 3)
    matches[i].to = {static_cast<double>(random() % 400), static_cast<double>(random() % 300)};
  const auto found = FitMatches(matches);
  ASSERT_TRUE(found);
  EXPECT_LT(Difference(*found, kTurned), 0.05);
}

TEST(FitMatches, CountsOnlyWhatLiesInTheOutline) {
  const Homography shift = {1, 0, 30, 0, 1, 0, 0, 0, 1};
  std::vector<Correspondence> matches = Grid(20, 15, shift);
  for (Correspondence& match : matches) {  // more than half of all, left of x = 230
    if (match.from.x < 230) match.to = Map(kTurned, match.from);
  }
  const Quadrilateral left = {{{-5, -5}, {225, -5}, {225, 290}, {-5, 290}}};
  const Quadrilateral right = {{{235, -5}, {395, -5}, {395, 290}, {235, 290}}};
  const auto on_left = FitMatches(matches, &left), on_right = FitMatches(matches, &right);
  ASSERT_TRUE(on_left);
  ASSERT_TRUE(on_right);
  EXPECT_LT(Difference(*on_left, kTurned), 0.05);
  EXPECT_LT(Difference(*on_right, shift), 0.05);
}

TEST(FitMatches, FindsNothingInTooFewMatchesOrWhereTooFewAgree) {
  const std::vector<Correspondence> matches = Grid(6, 6, kTurned);
  EXPECT_FALSE(FitMatches(matches)) << "36 of 40";
  EXPECT_TRUE(FitMatches(matches, nullptr, {.min_matches = 36}));
  EXPECT_FALSE(FitMatches(matches, nullptr, {.min_matches = 36, .min_inliers = 37}));
}

TEST(MatchFeatures, FindsAPictureAgainThatWasMoved) {
  cv::Mat grain(240, 320, CV_8U), moved;
  cv::RNG(2).fill(grain, cv::RNG::UNIFORM, 0, 256);
  cv::GaussianBlur(grain, grain, {}, 2);
  cv::normalize(grain, grain, 0, 255, cv::NORM_MINMAX);
  cv::copyMakeBorder(grain(cv::Rect(12, 0, 308, 233)), moved, 7, 0, 0, 12, cv::BORDER_CONSTANT,
                     cv::Scalar(128));  // 12 px to the left, 7 down
  const Features from = FindFeatures(AsPlane(grain)), to = FindFeatures(AsPlane(moved));
  const auto matches = MatchFeatures(from, to);
  ASSERT_GT(matches.size(), 100U);
  std::size_t right = 0;
  for (const Correspondence& match : matches)
    right += Distance(match.from + Point{-12, 7}, match.to) < 2 ? 1 : 0;
  EXPECT_GT(right, matches.size() * 9 / 10);
  const auto found = FitMatches(matches);
  ASSERT_TRUE(found);
  EXPECT_LT(Difference(*found, {1, 0, -12, 0, 1, 7, 0, 0, 1}), 0.5);
}

TEST(FindFeatures, AreAsManyAsAskedForAndNoneOnABlankPicture) {
  cv::Mat grain(240, 320, CV_8U);
  cv::RNG(2).fill(grain, cv::RNG::UNIFORM, 0, 256);
  const Features features = FindFeatures(AsPlane(grain), {.max_features = 50});
  EXPECT_EQ(features.points.size(), 50U);
  EXPECT_EQ(features.descriptors.rows, 50);
  const Features none = FindFeatures(AsPlane(cv::Mat(240, 320, CV_8U, cv::Scalar(90))));
  EXPECT_TRUE(none.points.empty());
  EXPECT_TRUE(MatchFeatures(none, features).empty());
}

TEST(MatchParams, RefuseWhatDeterminesNoHomography) {
  EXPECT_THAT(CheckParams(MatchParams{}), IsOk());
  EXPECT_THAT(CheckParams(MatchParams{.min_matches = 3}),
              FailsWith(Reason::kInvalidOption, testing::HasSubstr("min_matches")));
}

}  // namespace
}  // namespace glint
