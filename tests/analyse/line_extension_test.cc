// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/line_extension.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "analyse/glossy_views.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

constexpr Size kExtensionSheet{320, 240};
constexpr double kNever = 100;    // no score is as high
constexpr double kFaintGrey = 3;  // grey values by which the lines answer

/// A line that is known along y = 120.
Lines KnownLine(int begin = 60, int end = 110) {
  const int length = end + 1 - begin;
  Lines lines{.ids = Filled(kExtensionSheet, PixelType::kS32, 0), .mask = {}, .paths = {}};
  AsMat(lines.ids)(cv::Rect(begin, 120, length, 1)).setTo(1);
  lines.paths.push_back(
      {.box = {begin, 120, length, 1}, .pixels = length, .length = static_cast<double>(length)});
  return lines;
}

Lines Extend(const GlossyViews& views, const LineExtensionParams& params = {}, int threads = 2,
             const PaperDashes& paper = {}, Lines lines = KnownLine()) {
  ThreadPool pool(threads);
  const ResidualViews residuals = views.Views();
  const LineResponseParams response_params;
  const LineResponse response(residuals, response_params, pool);
  const DashRowParams dash_rows;
  return ExtendLines(
      std::move(lines),
      {.response = response, .albedo = views.albedo, .paper = paper, .dash_rows = dash_rows},
      params, pool);
}

Lines ExtendFaint(const GlossyViews& views, const LineExtensionParams& params,
                  Lines lines = KnownLine(), cv::Rect dropped = {}) {
  ThreadPool pool(2);
  const ResidualViews residuals = views.Views();
  const LineResponseParams response_params;
  const LineResponse response(residuals, response_params, pool);
  const DashRowParams dash_rows;
  const PaperDashes paper;
  cv::Mat print(kExtensionSheet.height, kExtensionSheet.width, CV_8U, cv::Scalar(0));
  print(dropped).setTo(255);
  return ExtendFaintEnds(
      std::move(lines), print,
      {.response = response, .albedo = views.albedo, .paper = paper, .dash_rows = dash_rows},
      params, pool);
}

/// From its first pixel's x to its last one's.
std::pair<int, int> ReachOf(const Lines& lines) {
  const cv::Rect box = cv::boundingRect(AsMat(lines.ids) != 0);
  return {box.x, box.br().x - 1};
}

TEST(LineExtension, FollowsALineThatIsTooFaintToBeginWith) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {230, 120}, kFaintGrey);
  const auto [begin, end] = ReachOf(Extend(views));
  EXPECT_GE(begin, 30) << "nothing goes on at this end but chance";
  EXPECT_GE(end, 200);
  EXPECT_LE(end, 270);
}

TEST(LineExtension, SaysWhatItAdded) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {230, 120}, kFaintGrey);
  const Lines lines = Extend(views);
  cv::Mat added = AsMat(lines.ids) != 0;
  added(cv::Rect(60, 120, 51, 1)).setTo(0);
  EXPECT_GT(cv::countNonZero(added), 50);
  EXPECT_EQ(cv::countNonZero(added != AsMat(lines.extensions)), 0);
}

TEST(LineExtension, FollowsALineThatBends) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {130, 120}, kFaintGrey);
  views.Scratch({130, 120}, {190, 132}, kFaintGrey);
  EXPECT_GE(ReachOf(Extend(views)).second, 165);
}

/// A line along y = 120 that is known for its first 170 px, past print whose edge runs with it.
GlossyViews PastPrint(int end) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({10, 120}, {end, 120}, 2);
  AsMat(views.albedo)(cv::Rect(180, 120, 20, 120)).setTo(60 * kGrey);
  return views;
}

TEST(LineExtension, FollowsALongLinePastPrintThatRunsWithItForAShortWay) {
  const auto end_of = [](const GlossyViews& views, const LineExtensionParams& params) {
    return ReachOf(Extend(views, params, 2, {}, KnownLine(10, 179))).second;
  };
  LineExtensionParams far{.min_like_score = kNever};
  EXPECT_GE(end_of(PastPrint(270), far), 250);
  EXPECT_LE(end_of(PastPrint(270), far), 300) << "the farther half shows nothing there";
  EXPECT_LE(end_of(PastPrint(215), far), 200) << "nothing goes on behind the print";
  far.max_far_share = 0.4;
  EXPECT_LE(end_of(PastPrint(270), far), 190) << "its direction is not known";
}

/// Dashes of 8 px on one line with the known one, and others far from it, amid ink.
PaperDashes Dashes(const std::vector<double>& along, int elsewhere = 0) {
  PaperDashes paper{.dashes = {},
                    .bare = cv::Mat::zeros(kExtensionSheet.height, kExtensionSheet.width, CV_8U)};
  for (const double x : along) paper.dashes.push_back({.x = x, .y = 120, .length = 8});
  for (int i = 0; i < elsewhere; ++i) {
    paper.dashes.push_back({.x = 10.0 + i % 300, .y = 200.0 + i % 30, .length = 8});
  }
  return paper;
}

TEST(LineExtension, GoesOnToDashesOfPaperWhateverTheLightShows) {
  const GlossyViews views(kExtensionSheet);
  const Lines lines = Extend(views, {}, 2, Dashes({30, 150, 190}));
  EXPECT_EQ(ReachOf(lines), std::make_pair(26, 194));
  EXPECT_EQ(AsMat(lines.extensions).at<std::uint8_t>(120, 170), 255);
}

TEST(LineExtension, DoesNotGoOnToDashesThatLieThereByChance) {
  const GlossyViews views(kExtensionSheet);
  EXPECT_EQ(ReachOf(Extend(views, {}, 2, Dashes({150}, 300))), std::make_pair(60, 110));
  EXPECT_EQ(ReachOf(Extend(views, {}, 2, Dashes({230}))), std::make_pair(60, 110)) << "far away";
}

TEST(LineExtension, GoesNoFartherToDashesThanItIsLong) {
  const GlossyViews views(kExtensionSheet);
  EXPECT_EQ(ReachOf(Extend(views, {}, 2, Dashes({155}))).second, 159);
  EXPECT_EQ(ReachOf(Extend(views, {.max_dash_share = 0.8}, 2, Dashes({155}))).second, 110);
}

TEST(LineExtension, GoesOnOverARowOfDotsOfPaper) {
  const GlossyViews views(kExtensionSheet);
  PaperDashes paper = Dashes({});
  paper.dots = {{150, 121}, {20, 60}, {180, 121}, {205, 122}, {290, 30}};
  EXPECT_EQ(ReachOf(Extend(views, {}, 2, paper)), std::make_pair(60, 205));
  EXPECT_EQ(ReachOf(Extend(views, {.dots = {.min_dots = 4}}, 2, paper)), std::make_pair(60, 110));
}

TEST(LineExtension, MarksTheWayToDashes) {
  const GlossyViews views(kExtensionSheet);
  Lines known = KnownLine();
  known.mask = Filled(kExtensionSheet, PixelType::kU8, 0);
  const Lines lines = Extend(views, {}, 2, Dashes({150}), std::move(known));
  EXPECT_EQ(AsMat(lines.mask).at<std::uint8_t>(120, 130), 255);
  EXPECT_EQ(AsMat(lines.mask).at<std::uint8_t>(121, 130), 255);
  EXPECT_EQ(AsMat(lines.mask).at<std::uint8_t>(120, 80), 0)
      << "the line itself is drawn as wide as it is";
}

TEST(LineExtension, AddsNothingInMottle) {
  const auto reach = ReachOf(Extend(GlossyViews(kExtensionSheet)));
  EXPECT_EQ(reach, std::make_pair(60, 110));
}

TEST(LineExtension, DoesNotFollowPrint) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {230, 120}, kFaintGrey);
  AsMat(views.albedo)(cv::Rect(112, 120, 208, 120)).setTo(60 * kGrey);
  EXPECT_LE(ReachOf(Extend(views)).second, 120) << "a printed edge begins where the line ends";
}

/// Only what shows as the line does is added.
const LineExtensionParams kAlikeOnly{.min_score = kNever, .min_far_score = kNever};

TEST(LineExtension, GoesOnWithWhatShowsAsTheLineDoes) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {110, 120}, 6);
  views.Scratch({110, 120}, {230, 120}, 2.5);
  const auto [begin, end] = ReachOf(Extend(views, kAlikeOnly));
  EXPECT_GE(begin, 30);
  EXPECT_GE(end, 190);
  EXPECT_LE(end, 270);
}

TEST(LineExtension, LeavesWhatShowsInOtherViewsThanTheLine) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {110, 120}, 6);
  views.Scratch({110, 120}, {230, 120}, -6);
  EXPECT_LE(ReachOf(Extend(views, kAlikeOnly)).second, 150) << "dark where the line is bright";
}

TEST(LineExtension, LeavesWhatIsMuchFainterThanTheLine) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {110, 120}, 20);
  views.Scratch({110, 120}, {230, 120}, 0.6);
  LineExtensionParams params = kAlikeOnly;
  EXPECT_EQ(ReachOf(Extend(views, params)), std::make_pair(60, 110));
  params.min_like_share = 0;
  EXPECT_GE(ReachOf(Extend(views, params)).second, 190) << "it is sure to be there";
}

TEST(LineExtension, GoesOnAlikeOnlyWhereTheLinesEndShows) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {110, 120}, 0.2);
  views.Scratch({110, 120}, {230, 120}, 4);
  LineExtensionParams params = kAlikeOnly;
  EXPECT_EQ(ReachOf(Extend(views, params)), std::make_pair(60, 110));
  params.min_like_end_score = 0;
  EXPECT_GE(ReachOf(Extend(views, params)).second, 190);
}

TEST(LineExtension, EndsWhereTheSurfaceDoes) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {230, 120}, kFaintGrey);
  AsMat(views.surface)(cv::Rect(150, 0, 170, 240)).setTo(0);
  EXPECT_LE(ReachOf(Extend(views)).second, 155);
}

TEST(LineExtension, LeavesShortLinesAlone) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {230, 120}, kFaintGrey);
  LineExtensionParams params;
  params.min_length_px = 60;
  EXPECT_EQ(ReachOf(Extend(views, params)).second, 110);
}

/// Nothing but a faint step is taken, and none by chance.
const LineExtensionParams kFaintOnly{
    .min_score = kNever, .min_far_score = kNever, .min_like_score = kNever, .min_faint_score = 2.2};

TEST(FaintEnds, GoOnByOneStep) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {230, 120}, kFaintGrey);
  const auto [begin, end] = ReachOf(ExtendFaint(views, kFaintOnly));
  EXPECT_EQ(begin, 60);
  EXPECT_GE(end, 110 + kFaintOnly.lengths_px[0]);
  EXPECT_LE(end, 110 + kFaintOnly.lengths_px[1]);
}

TEST(FaintEnds, GoOnPastPrintThatRunsWithThem) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {230, 120}, kFaintGrey);
  AsMat(views.albedo)(cv::Rect(112, 120, 208, 120)).setTo(60 * kGrey);
  EXPECT_GE(ReachOf(ExtendFaint(views, kFaintOnly)).second, 134);
}

TEST(FaintEnds, AreFollowedFartherWhereMoreShows) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {230, 120}, kFaintGrey);
  EXPECT_GE(ReachOf(ExtendFaint(views, {.min_faint_score = 2.2})).second, 200);
}

TEST(FaintEnds, AskMoreOfATurn) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({110, 120}, {170, 129}, kFaintGrey);
  LineExtensionParams params = kFaintOnly;
  const auto lowest = [&] {
    return cv::boundingRect(AsMat(ExtendFaint(views, params).ids) != 0).br().y - 1;
  };
  EXPECT_GE(lowest(), 124);
  params.faint_turn_score = 2;
  EXPECT_LE(lowest(), 122) << "straight ahead, beside its end";
}

TEST(FaintEnds, AreThoseOfLongLines) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {230, 120}, kFaintGrey);
  EXPECT_EQ(ReachOf(ExtendFaint(views, kFaintOnly, KnownLine(76, 110))).second, 110);
}

TEST(FaintEnds, DoNotFollowWhatWasDropped) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {230, 120}, kFaintGrey);
  const cv::Rect dropped(114, 120, 60, 1);
  EXPECT_EQ(ReachOf(ExtendFaint(views, kFaintOnly, KnownLine(), dropped)).second, 110);
}

TEST(FaintEnds, KnowHowLongALineIsWithWhatWasAdded) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {230, 120}, kFaintGrey);
  Lines lines = KnownLine(76, 110);
  AsMat(lines.ids)(cv::Rect(60, 120, 16, 1)).setTo(1);
  EXPECT_GE(ReachOf(ExtendFaint(views, kFaintOnly, std::move(lines))).second, 134);
}

TEST(FaintEnds, KeepWhatWasAddedBefore) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {230, 120}, kFaintGrey);
  Lines lines = KnownLine();
  lines.extensions = Filled(kExtensionSheet, PixelType::kU8, 0);
  AsMat(lines.extensions).at<std::uint8_t>(120, 108) = 255;
  const Lines extended = ExtendFaint(views, kFaintOnly, std::move(lines));
  EXPECT_EQ(AsMat(extended.extensions).at<std::uint8_t>(120, 108), 255);
  EXPECT_GT(cv::countNonZero(AsMat(extended.extensions)), 20);
}

TEST(LineExtension, IsTheSameOnAnyNumberOfThreads) {
  GlossyViews views(kExtensionSheet);
  views.Scratch({60, 120}, {230, 120}, kFaintGrey);
  const Lines two = Extend(views, {}, 2), one = Extend(views, {}, 1);
  EXPECT_EQ(cv::countNonZero(AsMat(two.ids) != AsMat(one.ids)), 0);
}

}  // namespace
}  // namespace glint::photometric
