// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/object_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>

#include "analyse/drawn_object.h"
#include "analyse/location/edge_segments.h"
#include "analyse/location/outline_group.h"
#include "analyse/location/outline_judge.h"
#include "analyse/location/outline_proposals.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/location/weak_side.h"
#include "analyse/quadrilateral.h"
#include "analyse/still_clip.h"
#include "base/thread_pool.h"
#include "support/sanitized.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

constexpr Quadrilateral kSquare = {{{100, 100}, {200, 100}, {200, 200}, {100, 200}}};

/// A rectangle about a point, turned clockwise.
Quadrilateral About(Point middle, double width, double height, double degrees) {
  const double angle = degrees / 180 * std::numbers::pi;
  const Point x{std::cos(angle) * width / 2, std::sin(angle) * width / 2};
  const Point y{-std::sin(angle) * height / 2, std::cos(angle) * height / 2};
  return {middle - x - y, middle + x - y, middle + x + y, middle - x + y};
}

/// A dark picture with bright rectangles.
cv::Mat Rectangles(const std::vector<Quadrilateral>& outlines) {
  cv::Mat rgb(480, 640, CV_8UC3, cv::Scalar(40, 50, 60));
  int bright = 200;
  for (const Quadrilateral& q : outlines) {
    std::vector<cv::Point> corners;
    for (const Point p : q) corners.emplace_back(cvRound(p.x), cvRound(p.y));
    cv::fillConvexPoly(rgb, corners, cv::Scalar(bright, bright, bright - 40), cv::LINE_AA);
    bright -= 60;
  }
  return rgb;
}

TEST(OutlineShapes, MeasureWhatOutlinesShare) {
  const Quadrilateral right = {{{150, 100}, {250, 100}, {250, 200}, {150, 200}}};
  EXPECT_NEAR(SharedArea(kSquare, right), 5000, 1e-6);
  EXPECT_NEAR(SharedOfSmaller(kSquare, right), 0.5, 1e-9);
  EXPECT_NEAR(SharedOfBoth(kSquare, right), 1.0 / 3, 1e-9);
  const Quadrilateral away = {{{300, 300}, {400, 300}, {400, 400}, {300, 400}}};
  EXPECT_EQ(SharedArea(kSquare, away), 0);
  EXPECT_NEAR(CoverageBy({151, 1000}, kSquare), 0.505, 1e-9);
}

TEST(OutlineShapes, CountCornersFromWhicheverFits) {
  const Quadrilateral turned = {kSquare[2], kSquare[3], kSquare[0], kSquare[1]};
  EXPECT_GT(CornerDistance(turned, kSquare), 100);
  EXPECT_EQ(TurnedCornerDistance(turned, kSquare), 0);
  EXPECT_NEAR(DistanceFromSides(kSquare, {150, 130}), 30, 1e-9);
  EXPECT_NEAR(DistanceFromSides(kSquare, {250, 150}), 50, 1e-9);
}

TEST(OutlineShapes, LieOutsideAcrossTheirSidesOnly) {
  const Quadrilateral taller = {{{130, 100}, {170, 100}, {170, 220}, {130, 220}}};
  EXPECT_NEAR(OutsideBy(taller, kSquare, 0), 0, 1e-9) << "the same line, with other ends";
  EXPECT_NEAR(OutsideBy(taller, kSquare, 1), -30, 1e-9);
  EXPECT_NEAR(OutsideBy(taller, kSquare, 2), 20, 1e-9);
  const Quadrilateral slanted = {{{90, 110}, {210, 90}, {200, 200}, {100, 200}}};
  EXPECT_NEAR(OutsideBy(slanted, kSquare, 0), 0, 1e-9) << "one end outside, one inside";
}

TEST(OutlineShapes, MeetWhereTheirSidesDo) {
  const auto met = MeetSides({{{{110, 90}, {190, 90}},
                               {{210, 110}, {210, 190}},
                               {{190, 210}, {110, 210}},
                               {{90, 190}, {90, 110}}}},
                             0.1);
  ASSERT_TRUE(met);
  EXPECT_NEAR((*met)[0].x, 90, 1e-9);
  EXPECT_NEAR((*met)[0].y, 90, 1e-9);
  EXPECT_FALSE(
      MeetSides({{{{0, 0}, {1, 0}}, {{0, 5}, {1, 5}}, {{1, 1}, {0, 1}}, {{0, 1}, {0, 0}}}}, 0.1));
}

TEST(EdgeSegments, JoinASideThatAFingerInterrupts) {
  const SegmentParams params;
  cv::Mat rgb = Rectangles({About({320, 240}, 300, 200, 4)});
  cv::circle(rgb, {320, 140}, 20, cv::Scalar(150, 110, 90), cv::FILLED);
  const auto lines = JoinSegments(FindSegments(GradientOf(rgb), params), params);
  EXPECT_GE(
      std::ranges::count_if(
          lines, [](const EdgeLine& line) { return Distance(line.ends.from, line.ends.to) > 285; }),
      2)
      << "the top and the bottom";
}

TEST(OutlineJudge, TellsCornersFromLinesThatGoOn) {
  const JudgingParams params;
  const Quadrilateral whole = About({320, 240}, 300, 200, 0);
  const EdgeMap edges(Rectangles({whole}), params);
  const auto right = JudgeOutline(edges, whole, 2);
  EXPECT_GT(right.LeastSupport(), 0.95);
  EXPECT_LT(right.extension, 0.1);
  EXPECT_LT(*std::ranges::max_element(right.passed), 0.1);
  const Quadrilateral half = {whole[0], (whole[0] + whole[1]) * 0.5, (whole[2] + whole[3]) * 0.5,
                              whole[3]};
  const auto wrong = JudgeOutline(edges, half, 2);
  EXPECT_LT(wrong.support[1], 0.1);
  EXPECT_GT(wrong.extension, 0.2);
  EXPECT_GT(wrong.passed[1], 0.8) << "the rectangle goes on beyond its middle";
  EXPECT_LT(wrong.passed[3], 0.1);
}

TEST(OutlineJudge, RefitsSidesToTheirEdges) {
  const JudgingParams params;
  const Quadrilateral whole = About({320, 240}, 300, 200, 7);
  const EdgeMap edges(Rectangles({whole}), params);
  Quadrilateral off = whole;
  for (Point& corner : off) corner = corner + Point{3, -3};
  EXPECT_LT(CornerDistance(RefitOutline(edges, off, 6), whole), 1.5);
  EXPECT_GT(CornerDistance(off, whole), 4);
}

TEST(OutlineProposals, HoldEveryRectangleOfAPicture) {
  const ObjectSearchParams params;
  const std::vector<Quadrilateral> drawn = {About({180, 240}, 180, 260, 5),
                                            About({470, 200}, 200, 120, -20)};
  const cv::Mat picture = Rectangles(drawn);
  const ColourGradient gradient = GradientOf(picture);
  const auto proposals =
      ProposeOutlines(EdgeMap(picture, gradient, params.judging), gradient, params);
  for (const Quadrilateral& q : drawn) {
    EXPECT_TRUE(std::ranges::any_of(proposals, [&](const JudgedOutline& proposal) {
      return TurnedCornerDistance(proposal.corners, q) < 3;
    }));
  }
}

/// A card with a green rim around a pale panel, on boards of which some are brighter: one of them
/// ends above the card.
cv::Mat CardOnBoards() {
  cv::Mat rgb(600, 400, CV_8UC3, cv::Scalar(116, 88, 67));
  for (const int y : {20, 440, 520}) rgb.rowRange(y, y + 40) = cv::Scalar(148, 113, 85);
  rgb(cv::Rect(50, 90, 300, 40)) = cv::Scalar(146, 111, 83);
  rgb(cv::Rect(60, 120, 280, 400)) = cv::Scalar(124, 135, 74);
  rgb(cv::Rect(76, 134, 248, 372)) = cv::Scalar(222, 214, 196);
  for (int y = 160; y < 480; y += 24) rgb(cv::Rect(100, y, 200, 8)) = cv::Scalar(60, 60, 70);
  return rgb;
}

/// Of outlines that each frame of a still clip proposes, where one of them was followed.
Quadrilateral Outermost(const cv::Mat& rgb, const std::vector<Quadrilateral>& proposed,
                        const Quadrilateral& followed, const ObjectSearchParams& params = {}) {
  const StillClip still(rgb, proposed, followed);
  const auto group = FindOutermost(still.clip(), still.track(), params);
  EXPECT_TRUE(group);
  return group ? group->best.corners : Quadrilateral();
}

TEST(OutermostOutline, DoesNotTakeABoardOfTheTableIn) {
  ObjectSearchParams params;  // a plain rim looks less like an outline than a panel's border
  for (double* form : {&params.outermost.good_form, &params.outermost.wider_form,
                       &params.outermost.much_wider_form}) {
    *form = 0.5;
  }
  const Quadrilateral panel = Box(75.5, 133.5, 323.5, 505.5);
  const Quadrilateral with_board = Box(59.5, 89.5, 339.5, 519.5);
  const Quadrilateral card = Box(59.5, 119.5, 339.5, 519.5);
  const Quadrilateral best = Outermost(CardOnBoards(), {panel, with_board, card}, panel, params);
  EXPECT_LT(TurnedCornerDistance(best, card), 3) << best[0].y << " to " << best[2].y;
}

TEST(OutermostOutline, EndsWhereAWallShowsBetweenTheObjectAndAThingBesideIt) {
  cv::Mat rgb(600, 400, CV_8UC3, cv::Scalar(210, 208, 204));
  rgb(cv::Rect(60, 120, 180, 360)) = cv::Scalar(140, 100, 60);
  for (int y = 160; y < 440; y += 24) rgb(cv::Rect(90, y, 120, 8)) = cv::Scalar(60, 60, 70);
  rgb(cv::Rect(264, 112, 130, 376)) = cv::Scalar(30, 90, 190);
  const Quadrilateral book = Box(59.5, 119.5, 239.5, 479.5);
  const Quadrilateral with_gap = Box(59.5, 119.5, 263.5, 479.5);
  for (const Quadrilateral& followed : {book, with_gap}) {
    const Quadrilateral best = Outermost(rgb, {with_gap, book}, followed);
    EXPECT_LT(TurnedCornerDistance(best, book), 1) << followed[1].x;
  }
}

TEST(OutermostOutline, LeavesAJointOfTheTableThatIsPlainerThanTheRim) {
  // A title bar whose colour is in part that of the board it lies on, beside another board.
  cv::Mat rgb(480, 640, CV_8UC3, cv::Scalar(60, 75, 95));
  rgb.colRange(70, 144) = cv::Scalar(69, 85, 106);
  rgb(cv::Rect(200, 80, 400, 320)) = cv::Scalar(190, 150, 90);
  rgb(cv::Rect(200, 80, 30, 155)) = cv::Scalar(40, 95, 105);
  rgb(cv::Rect(200, 235, 30, 165)) = cv::Scalar(60, 79, 98);
  for (const int y : {79, 399}) rgb(cv::Rect(144, y, 56, 2)) = cv::Scalar(45, 58, 75);  // grain
  const Quadrilateral cover = Box(199.5, 79.5, 599.5, 399.5);
  const Quadrilateral to_joint = Box(143.5, 79.5, 599.5, 399.5);
  EXPECT_LT(TurnedCornerDistance(Outermost(rgb, {to_joint, cover}, to_joint), cover), 1);
}

/// A dark cover with a white gutter and a bright panel right of it; half of its left rim is as dark
/// as the felt it lies on. Below the panel, the felt has a fold.
cv::Mat CoverWithGutter() {
  cv::Mat rgb(480, 640, CV_8UC3, cv::Scalar(85, 105, 115));
  rgb(cv::Rect(120, 80, 420, 300)) = cv::Scalar(60, 70, 90);
  rgb(cv::Rect(120, 80, 20, 150)) = cv::Scalar(83, 103, 113);
  rgb(cv::Rect(400, 80, 12, 300)) = cv::Scalar(240, 240, 240);
  rgb(cv::Rect(412, 80, 128, 300)) = cv::Scalar(200, 80, 160);
  rgb(cv::Rect(400, 418, 70, 2)) = cv::Scalar(40, 50, 60);
  return rgb;
}

TEST(OutermostOutline, EndsAtNoGutterBeyondWhichTheObjectGoesOn) {
  const Quadrilateral panel = Box(399.5, 79.5, 539.5, 379.5);
  const Quadrilateral cover = Box(119.5, 79.5, 539.5, 379.5);
  for (const Quadrilateral& followed : {panel, cover}) {
    const Quadrilateral best = Outermost(CoverWithGutter(), {panel, cover}, followed);
    EXPECT_LT(TurnedCornerDistance(best, cover), 1) << followed[0].x;
  }
}

TEST(OutermostOutline, KnowsAGutterAgainAndIsUnsureThere) {
  const Quadrilateral panel = Box(399.5, 79.5, 539.5, 379.5);
  const Quadrilateral with_felt = Box(399.5, 79.5, 539.5, 418.5);
  const StillClip still(CoverWithGutter(), {panel, with_felt}, panel);
  const auto group = FindOutermost(still.clip(), still.track(), {});
  ASSERT_TRUE(group);
  EXPECT_FALSE(group->printed.empty());
  EXPECT_LT(group->best.form, 0.55);
}

TEST(OutermostOutline, LeavesAJointThatOnlyOtherGroupsKnowForOne) {
  cv::Mat rgb(480, 640, CV_8UC3, cv::Scalar(60, 75, 95));
  rgb.colRange(70, 144) = cv::Scalar(69, 85, 106);  // a board
  rgb(cv::Rect(200, 80, 400, 320)) = cv::Scalar(190, 150, 90);
  rgb(cv::Rect(280, 120, 280, 240)) = cv::Scalar(60, 60, 70);                           // a panel
  for (const int y : {79, 399}) rgb(cv::Rect(144, y, 56, 2)) = cv::Scalar(45, 58, 75);  // grain
  const Quadrilateral cover = Box(199.5, 79.5, 599.5, 399.5);
  const Quadrilateral to_joint = Box(143.5, 79.5, 599.5, 399.5);
  const Quadrilateral to_panel = Box(279.5, 79.5, 599.5, 399.5);
  ObjectSearchParams params;
  const auto group_of = [&](const Quadrilateral& only) {
    const StillClip still(rgb, {only}, only);
    return FindOutermost(still.clip(), still.track(), params).value();
  };
  const OutlineGroup inner = group_of(cover), panel = group_of(to_panel);
  const StillClip still(rgb, {to_joint}, to_joint);
  OutlineGroup group = FindOutermost(still.clip(), still.track(), params).value();
  ASSERT_LT(TurnedCornerDistance(group.best.corners, to_joint), 1);
  const std::vector<const OutlineGroup*> none, print{&panel}, both{&panel, &inner};
  LeaveOutSurroundings(still.clip(), none, params, group);
  EXPECT_LT(TurnedCornerDistance(group.best.corners, to_joint), 1);
  LeaveOutSurroundings(still.clip(), print, params, group);
  EXPECT_LT(TurnedCornerDistance(group.best.corners, to_joint), 1) << "what it adds is print, too";
  params.outermost.min_group_shift_share = 0.15;  // it is 56 of 557 px
  LeaveOutSurroundings(still.clip(), both, params, group);
  EXPECT_LT(TurnedCornerDistance(group.best.corners, to_joint), 1);
  params.outermost.min_group_shift_share = ObjectSearchParams().outermost.min_group_shift_share;
  LeaveOutSurroundings(still.clip(), both, params, group);
  EXPECT_LT(TurnedCornerDistance(group.best.corners, cover), 1);
}

/// A picture whose lower part is nearly as dark as the table, on one with a grain.
SearchedView DarkBelow(const JudgingParams& params) {
  cv::Mat rgb(640, 400, CV_8UC3, cv::Scalar(40, 50, 60));
  cv::rectangle(rgb, cv::Rect(60, 590, 300, 4), cv::Scalar(70, 80, 90), cv::FILLED);  // the grain
  rgb(cv::Rect(80, 100, 240, 300)) = cv::Scalar(200, 190, 170);
  rgb(cv::Rect(80, 400, 240, 120)) = cv::Scalar(54, 62, 70);
  return {.edges = EdgeMap(rgb, params), .grey = {}, .features = {}, .proposals = {}};
}

TEST(WeakSide, IsFoundWhereMostFramesHaveAnEdge) {
  ThreadPool pool(1);
  const ObjectSearchParams params;
  const Quadrilateral truth = {{{79.5, 99.5}, {319.5, 99.5}, {319.5, 519.5}, {79.5, 519.5}}};
  std::vector<SearchedView> views;
  std::map<std::size_t, Homography> motion;
  std::vector<std::size_t> frames;
  for (std::size_t i = 0; i < 6; ++i) {
    views.push_back(DarkBelow(params.judging));
    motion.emplace(i, *Between(truth, truth));
    frames.push_back(i);
  }
  const SearchedClip clip(std::move(views), pool);
  const OutlineViews seen{clip, motion, frames};
  Quadrilateral on_grain = truth;
  on_grain[2].y = on_grain[3].y = 560;  // a side with edges in no frame
  const auto found = SearchWeakSide(seen, on_grain, {1, 1, 0.2, 1}, params.weak_side);
  EXPECT_TRUE(std::ranges::any_of(found, [&](const Quadrilateral& outline) {
    return CornerDistance(outline, truth) < 1.5;
  })) << found.size();
  EXPECT_THAT(SearchWeakSide(seen, on_grain, {1, 1, 0.9, 1}, params.weak_side), testing::IsEmpty())
      << "no side is weak";
  EXPECT_THAT(SearchWeakSide(seen, on_grain, {1, 0.3, 0.2, 1}, params.weak_side),
              testing::IsEmpty())
      << "two are";
}

class SearchDrawnClip : public testing::Test {
 protected:
  static constexpr int kFrames = 10;

  /// A clip in which the object moves and turns; what lies behind it stays.
  static std::vector<VideoFrame> Clip(const DrawnScene& scene, double width, double height,
                                      Point from = {200, 220}, Point step = {22, 5}) {
    std::vector<VideoFrame> frames;
    for (int i = 0; i < kFrames; ++i) {
      DrawnScene here = scene;
      if (width > 0) here.edges = About(from + step * i, width, height, -6 + 2.0 * i);
      here.seed = static_cast<std::uint32_t>(i + 1);
      frames.push_back(DrawFrame(here, 7LL * i));
      frames.back().timestamp_us = 250'000LL * i;
    }
    return frames;
  }

  static void ExpectFound(const ObjectOverClip& over, double width, double height) {
    EXPECT_FALSE(over.not_judged) << over.confidence;
    ASSERT_GE(over.frames.size(), 8U);
    for (const ObjectInFrame& seen : over.frames) {
      const auto i = static_cast<double>(seen.frame) / 7;
      const Quadrilateral truth =
          About(Point{200, 220} + Point{22, 5} * i, width, height, -6 + 2.0 * i);
      EXPECT_LT(TurnedCornerDistance(seen.corners, truth), 5) << "frame " << seen.frame;
    }
  }

  ObjectOverClip Search(const std::vector<VideoFrame>& frames) {
    const auto over = SearchObject(frames, std::nullopt, pool_);
    EXPECT_THAT(over, IsOk());
    return over.ok() ? *over : ObjectOverClip();
  }

  ThreadPool pool_{2};
};

TEST_F(SearchDrawnClip, FollowsAnObjectThatMovesByItself) {
  const auto over = Search(Clip({.height = 70}, 220, 154));
  ExpectFound(over, 220, 154);
  EXPECT_FALSE(over.plain);
  EXPECT_GT(over.frames[over.best].coverage, 0.99);
}

TEST_F(SearchDrawnClip, FollowsABlankSheetByItsFourSides) {
  if (kThreadSanitized) GTEST_SKIP() << "more of the same threads";
  const auto over = Search(Clip({.height = 70, .blank = true}, 220, 154));
  ExpectFound(over, 220, 154);
  EXPECT_TRUE(over.plain);
}

TEST_F(SearchDrawnClip, TakesTheOutlineAroundAPrintedPanel) {
  if (kThreadSanitized) GTEST_SKIP() << "more of the same threads";
  ExpectFound(Search(Clip({.height = 70, .inner_frame = true}, 260, 182)), 260, 182);
}

TEST_F(SearchDrawnClip, SaysWhereThereIsNoObject) {
  for (const Table table : {Table::kPlain, Table::kGrain, Table::kBusy}) {
    const auto over = Search(Clip({.table = table}, 0, 0));
    ASSERT_TRUE(over.not_judged);
    EXPECT_EQ(over.not_judged->cause, NotJudgedCause::kNoObject);
  }
}

TEST_F(SearchDrawnClip, SaysWhenTheObjectShowsTooBriefly) {
  if (kThreadSanitized) GTEST_SKIP() << "more of the same threads";
  std::vector<VideoFrame> frames = Clip({.height = 70}, 220, 154);
  const std::vector<VideoFrame> without = Clip({}, 0, 0);
  for (std::size_t i = 5; i < frames.size(); ++i) frames[i].picture = without[i].picture;
  ObjectSearchParams params;
  params.min_confidence = 0.3;
  const auto over = SearchObject(frames, std::nullopt, pool_, params);
  ASSERT_THAT(over, IsOk());
  ASSERT_TRUE(over->not_judged);
  EXPECT_EQ(over->not_judged->cause, NotJudgedCause::kFewViews);
  EXPECT_LE(over->not_judged->timestamp_us, 1'000'000) << "where it shows";
}

TEST_F(SearchDrawnClip, IsAsSureAsASureOutlineThatItConfirms) {
  if (kThreadSanitized) GTEST_SKIP() << "more of the same threads";
  const std::vector<VideoFrame> frames = Clip({.height = 70}, 220, 154);
  ObjectSearchParams params;
  params.min_confidence = 1;
  params.choice.own_motion_confidence = 0;  // or the search is as sure by itself
  const Quadrilateral truth = About(Point{200, 220} + Point{22, 5} * 4, 220, 154, 2);
  const auto cause = [&](const std::optional<KnownOutline>& known) {
    const auto over = SearchObject(frames, known, pool_, params);
    EXPECT_THAT(over, IsOk());
    return over.ok() && over->not_judged ? std::optional(over->not_judged->cause) : std::nullopt;
  };
  ASSERT_EQ(cause(std::nullopt), NotJudgedCause::kNoObject) << "by the search alone";
  EXPECT_EQ(cause(KnownOutline{.frame = 28, .corners = truth, .confidence = 1}), std::nullopt);
  EXPECT_EQ(cause(KnownOutline{.frame = 28, .corners = truth, .confidence = 0.8}),
            NotJudgedCause::kNoObject)
      << "neither is sure";
  EXPECT_EQ(cause(KnownOutline{.frame = 28, .corners = kSquare, .confidence = 1}),
            NotJudgedCause::kNoObject)
      << "another thing";
}

TEST_F(SearchDrawnClip, GivesTheSameOnAnyNumberOfThreads) {
  const std::vector<VideoFrame> frames = Clip({.height = 70, .table = Table::kGrain}, 220, 154);
  const ObjectOverClip two = Search(frames);
  ThreadPool one(1);
  const auto alone = SearchObject(frames, std::nullopt, one);
  ASSERT_THAT(alone, IsOk());
  EXPECT_EQ(alone->confidence, two.confidence);
  ASSERT_EQ(alone->frames.size(), two.frames.size());
  for (std::size_t i = 0; i < two.frames.size(); ++i) {
    EXPECT_EQ(CornerDistance(alone->frames[i].corners, two.frames[i].corners), 0);
  }
}

TEST_F(SearchDrawnClip, RefusesToSearchNothing) {
  EXPECT_FALSE(SearchObject({}, std::nullopt, pool_).ok());
}

}  // namespace
}  // namespace glint
