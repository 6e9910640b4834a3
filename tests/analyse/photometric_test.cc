// SPDX-License-Identifier: Apache-2.0
// The small global steps of `photometric`, on hand-made input.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "analyse/photometric/evidence/energy_normalisation.h"
#include "analyse/photometric/evidence/noise_fit.h"
#include "analyse/photometric/lines/line_paths.h"
#include "analyse/photometric_drawing.h"
#include "base/thread_pool.h"
#include "support/status_matchers.h"

namespace glint::photometric {
namespace {

std::vector<NoiseCell> CellsOf(const std::function<double(double g2, double c2)>& variance) {
  std::vector<NoiseCell> cells;
  for (const double g : {0.0, 2.0, 5.0, 12.0, 30.0}) {
    for (const double c : {0.0, 3.0, 10.0, 25.0}) {
      cells.push_back({.variance = variance(g * g, c * c),
                       .gradient_square = g * g,
                       .curvature_square = c * c,
                       .pixels = 200 + static_cast<std::int64_t>(10 * g)});
    }
  }
  return cells;
}

/// Of terms of any size.
constexpr NoiseParams kAnyFit{.max_gradient_variance = 1, .max_curvature_variance = 1};

TEST(NoiseFit, RecoversTheModelThatMadeTheCells) {
  const NoiseModel model = FitNoise(
      CellsOf([](double g, double c) { return 0.7 + 0.003 * g + 0.002 * c; }), kAnyFit, {});
  EXPECT_NEAR(model.base, 0.7, 1e-4);
  EXPECT_NEAR(model.gradient, 0.003, 1e-6);
  EXPECT_NEAR(model.curvature, 0.002, 1e-6);
}

TEST(NoiseFit, LeavesOutATermThatWouldBeNegative) {
  const NoiseModel model = FitNoise(
      CellsOf([](double g, double c) { return 2.0 + 0.003 * g - 0.001 * c; }), kAnyFit, {});
  EXPECT_GT(model.base, 1.0);
  EXPECT_GT(model.gradient, 0.001);
  EXPECT_EQ(model.curvature, 0);
}

TEST(NoiseFit, TakesNoMoreForNoiseOfContoursThanTheyHave) {
  const auto cells = CellsOf([](double g, double c) { return 0.7 + 0.05 * g + 0.02 * c; });
  const NoiseModel model = FitNoise(cells, {}, {});
  EXPECT_FLOAT_EQ(model.gradient, 0.0025F) << "the rest may be damage";
  EXPECT_EQ(model.curvature, 0);
}

TEST(NoiseFit, NeverSaysThatThereIsNoNoise) {
  EXPECT_GT(FitNoise({}, {}, {}).base, 0.5);
  EXPECT_GE(FitNoise(CellsOf([](double g, double) { return 0.01 + 0.5 * g; }), {}, {}).base,
            0.0625F);
}

TEST(NoiseFit, TakesTheMedianOfEachKindOfArtworkSoThatDamageDoesNotCount) {
  const Size size{60, 20};
  const Albedo albedo{.grey = Filled(size, PixelType::kS16, 0),
                      .gradient = Filled(size, PixelType::kS32, 128 * 128 * 100),  // 10 per px
                      .curvature = Filled(size, PixelType::kS32, 0),
                      .count = Filled(size, PixelType::kU8, 9)};
  Plane magnitude = Filled(size, PixelType::kS16, 86);      // twice 0.6745 grey
  AsMat(magnitude)(cv::Rect(0, 0, 20, 20)).setTo(3000);     // a third is damaged
  AsMat(albedo.gradient)(cv::Rect(50, 0, 5, 20)).setTo(0);  // too few of a kind
  AsMat(albedo.count)(cv::Rect(55, 0, 5, 20)).setTo(4);     // too few views
  const auto cells = NoiseCells(albedo, magnitude, {}, 5);
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_NEAR(cells[0].variance, 4, 0.05);
  EXPECT_NEAR(cells[0].gradient_square, 100, 1e-9);
  EXPECT_EQ(cells[0].curvature_square, 0);
  EXPECT_EQ(cells[0].pixels, 50 * 20);
}

struct Segment {
  cv::Point from, to;
  double energy;  ///< in medians
};

struct PathCase {
  std::string name;
  std::vector<Segment> segments;
  bool gap = false;  ///< in the outline, where the first segment begins
  int found = 0;
};

TEST(LinePaths, AreLinesWhenTheirEnergyAndLengthAreSignificantTogether) {
  const auto across = [](int x, int y, int length, double energy) {
    return Segment{{x, y}, {x + length - 1, y}, energy};
  };
  const std::vector<PathCase> cases = {
      {.name = "long and strong", .segments = {across(50, 50, 40, 5)}, .found = 1},
      {.name = "short and very strong", .segments = {across(50, 50, 12, 8)}, .found = 1},
      {.name = "too short", .segments = {across(50, 50, 9, 30)}, .found = 0},
      {.name = "4 * 20^(1/4) = 8.5", .segments = {across(50, 50, 20, 4)}, .found = 0},
      {.name = "4 * 40^(1/4) = 10.1", .segments = {across(50, 50, 40, 4)}, .found = 1},
      {.name = "without a peak", .segments = {across(50, 50, 90, 3.2)}, .found = 0},
      {.name = "along the rim, 12.6", .segments = {across(50, 8, 40, 5)}, .found = 0},
      {.name = "along the rim, 15.1", .segments = {across(50, 8, 40, 6)}, .found = 1},
      {.name = "away from a gap, 8.5", .segments = {across(50, 100, 20, 4)}, .found = 0},
      {.name = "at a gap, 8.5", .segments = {across(50, 100, 20, 4)}, .gap = true, .found = 1},
      {.name = "from the rim inwards, 8.5", .segments = {across(2, 50, 20, 4)}, .found = 1},
      {.name = "near the rim, 8.5", .segments = {across(6, 50, 20, 4)}, .found = 0},
      {.name = "from the rim along it, 8.5", .segments = {across(50, 2, 20, 4)}, .found = 0},
      {.name = "joined over 2 px",
       .segments = {across(50, 50, 20, 4), across(72, 50, 20, 4)},
       .found = 1},
      {.name = "apart by 3 px",
       .segments = {across(50, 50, 20, 4), across(73, 50, 20, 4)},
       .found = 0},
      {.name = "two lines", .segments = {across(50, 50, 40, 5), across(50, 70, 40, 5)}, .found = 2},
  };
  const Size size{200, 150};
  constexpr int kMedian = 1000;
  for (const PathCase& test : cases) {
    SCOPED_TRACE(test.name);
    const Plane ridges = Filled(size, PixelType::kU8, 0);
    const Plane energy = Filled(size, PixelType::kS32, kMedian);
    const Plane gaps = Filled(size, PixelType::kU8, 0);
    for (const Segment& segment : test.segments) {
      cv::Mat(AsMat(ridges))(cv::Rect(segment.from, segment.to + cv::Point(1, 1))).setTo(255);
      cv::Mat(AsMat(energy))(cv::Rect(segment.from, segment.to + cv::Point(1, 1)))
          .setTo(segment.energy * kMedian);
    }
    if (test.gap) cv::Mat(AsMat(gaps))(cv::Rect(test.segments[0].from, cv::Size(2, 2))).setTo(255);
    const auto lines = FindLinePaths({.ridges = ridges,
                                      .energy = energy,
                                      .level = kMedian,
                                      .surface = Filled(size, PixelType::kU8, 255),
                                      .gaps = gaps},
                                     {});
    ASSERT_THAT(lines, IsOk());
    EXPECT_EQ(static_cast<int>(lines->paths.size()), test.found);
    EXPECT_EQ(CountMarked(lines->mask) > 0, test.found > 0);
  }
}

/// Level ridges on a surface that is looked at as a whole.
class DrawnPaths : public testing::Test {
 protected:
  void Draw(cv::Rect box, double levels) const {
    cv::Mat(AsMat(input_.ridges))(box).setTo(255);
    cv::Mat(AsMat(input_.energy))(box).setTo(levels * input_.level);
  }

  /// The ridge pixels of lines.
  cv::Mat Marked(const PathParams& params) const {
    const auto lines = FindLinePaths(input_, params);
    EXPECT_THAT(lines, IsOk());
    return cv::Mat(AsMat(lines->ids) > 0);
  }

  static constexpr Size kSize{200, 150};
  static constexpr int kMedian = 1000;
  const PathInput input_{.ridges = Filled(kSize, PixelType::kU8, 0),
                         .energy = Filled(kSize, PixelType::kS32, kMedian),
                         .level = kMedian,
                         .surface = Filled(kSize, PixelType::kU8, 255),
                         .gaps = Filled(kSize, PixelType::kU8, 0),
                         .directions = Filled(kSize, PixelType::kU8, 0)};
};

TEST_F(DrawnPaths, AWeakPathJoinsAKeptOneInLineWithItButNotItsFlank) {
  Draw({30, 50, 40, 1}, 6);   // kept: 15.1
  Draw({75, 51, 15, 1}, 2);   // goes on: 3.9
  Draw({100, 51, 15, 1}, 2);  // goes on from that
  Draw({40, 57, 15, 1}, 2);   // its flank
  Draw({75, 90, 15, 1}, 2);   // far from it
  Draw({125, 51, 15, 1}, 1);  // too weak: 2.0
  for (const auto& [rounds, right] : {std::pair{0, 69}, {1, 89}, {2, 114}, {10, 114}}) {
    SCOPED_TRACE(rounds);
    EXPECT_EQ(cv::boundingRect(Marked({.follow_rounds = rounds})),
              cv::Rect(30, 50, right - 29, rounds == 0 ? 1 : 2));
  }
  // What runs another way does not go on.
  cv::Mat(AsMat(input_.directions)).colRange(75, kSize.width).setTo(8);
  const auto lines = FindLinePaths(input_, {.follow_rounds = 2});
  ASSERT_THAT(lines, IsOk());
  EXPECT_EQ(lines->paths.size(), 1U);
}

TEST_F(DrawnPaths, AStrongLineKeepsNoHairsButWhatGoesOnFromIt) {
  Draw({30, 50, 40, 1}, 6);  // a crack
  Draw({73, 50, 40, 1}, 5);  // and its other part, across a gap
  Draw({45, 53, 1, 8}, 3);   // a hair: 5.0
  Draw({80, 45, 6, 1}, 3);   // a flank: 4.7
  Draw({118, 50, 8, 1}, 3);  // goes on: 5.0
  Draw({30, 90, 9, 1}, 6);   // three pieces that are strong enough together, and not without
  Draw({41, 90, 9, 1}, 4);   // the faint one between them
  Draw({52, 90, 9, 1}, 6);
  const PathParams all{.min_score = 12, .link_px = 3};
  EXPECT_EQ(cv::countNonZero(Marked(all)), 40 + 40 + 8 + 6 + 8 + 3 * 9);
  PathParams pieces = all;
  pieces.min_piece_score = 7.5;
  pieces.trimmed_link_px = 2;
  EXPECT_EQ(cv::countNonZero(Marked(pieces)), 40 + 40);
  pieces.follow_rounds = 2;
  pieces.min_follower_score = 4.9;
  const cv::Mat followed = Marked(pieces);
  EXPECT_EQ(cv::boundingRect(followed), cv::Rect(30, 50, 96, 1));
  EXPECT_EQ(cv::countNonZero(followed), 40 + 40 + 8);
}

TEST(LinePaths, ALittleLessIsEnoughAwayFromStrongerLinesRimAndGaps) {
  const Size size{300, 200};
  constexpr int kMedian = 1000;
  const Plane ridges = Filled(size, PixelType::kU8, 0);
  const Plane energy = Filled(size, PixelType::kS32, kMedian);
  const Plane gaps = Filled(size, PixelType::kU8, 0);
  const Plane certain = Filled(size, PixelType::kS32, 0);
  const auto draw = [&](cv::Rect box, double levels) {
    cv::Mat(AsMat(ridges))(box).setTo(255);
    cv::Mat(AsMat(energy))(box).setTo(levels * kMedian);
  };
  draw({40, 40, 40, 1}, 8);     // a line
  draw({40, 80, 40, 1}, 3.4);   // 8.55 of 9, and less than 0.6 of what lies 40 px away
  draw({200, 40, 40, 1}, 3.4);  // the same far from it
  draw({200, 80, 40, 1}, 3.2);  // 8.05
  draw({200, 120, 40, 1}, 3.4);
  draw({200, 160, 40, 1}, 3.4);
  cv::Mat(AsMat(gaps))(cv::Rect(210, 124, 20, 6)).setTo(255);
  const PathInput input{.ridges = ridges,
                        .energy = energy,
                        .level = kMedian,
                        .surface = Filled(size, PixelType::kU8, 255),
                        .gaps = gaps};
  const auto boxes = [&](const PathInput& from, double share) {
    const auto lines =
        FindLinePaths(from, {.min_peak_levels = 0, .min_touch_score = 9, .lone_share = share});
    std::vector<Rectangle> found;
    for (const LinePath& path : lines.value().paths) found.push_back(path.box);
    return found;
  };
  const Rectangle strong{40, 40, 40, 1}, lone{200, 40, 40, 1}, below{200, 160, 40, 1};
  EXPECT_THAT(boxes(input, 1), testing::ElementsAre(strong));
  EXPECT_THAT(boxes(input, 0.94), testing::ElementsAre(strong, lone, below));
  // Of what is certain in part, the certain part alone is taken.
  PathInput known = input;
  known.certain = certain;
  cv::Mat(AsMat(certain))(cv::Rect(205, 160, 20, 1)).setTo(300);
  EXPECT_THAT(boxes(known, 0.94), testing::ElementsAre(strong, lone, Rectangle{205, 160, 20, 1}));
}

/// One ridge on a print of one grey, 100.
class PathsOnPrint : public testing::Test {
 protected:
  static constexpr int kMedian = 1000;

  void Ridge(cv::Rect line, double medians) {
    cv::Mat(AsMat(ridges_))(line).setTo(255);
    cv::Mat(AsMat(energy_))(line).setTo(medians * kMedian);
  }
  void Paint(cv::Rect where, int grey) { cv::Mat(AsMat(albedo_))(where).setTo(grey * kGrey); }
  /// @param certain  of what is needed
  void Certain(cv::Rect where, double certain) {
    cv::Mat(AsMat(certain_))(where).setTo(256 * certain);
  }
  std::size_t Count() const { return FindLinePaths(input_, {}).value().paths.size(); }

  Size size_{200, 100};
  Plane ridges_ = Filled(size_, PixelType::kU8, 0);
  Plane energy_ = Filled(size_, PixelType::kS32, kMedian);
  Plane albedo_ = Filled(size_, PixelType::kS16, 100 * kGrey);
  Plane certain_ = Filled(size_, PixelType::kS32, 0);
  PrintContours print_{.albedo = albedo_,
                       .contrast = DirectionMask(size_),
                       .contours = DirectionMask(size_),
                       .strokes = DirectionMask(size_),
                       .streaks = DirectionMask(size_)};
  PathInput input_{.ridges = ridges_,
                   .energy = energy_,
                   .level = kMedian,
                   .surface = Filled(size_, PixelType::kU8, 255),
                   .gaps = Filled(size_, PixelType::kU8, 0),
                   .directions = Filled(size_, PixelType::kU8, 0),
                   .print = &print_,
                   .certain = certain_};
};

TEST_F(PathsOnPrint, AreAskedForMoreOnAnEdgeOrAStroke) {
  const cv::Rect line(60, 50, 60, 1);
  Ridge(line, 4);
  struct Print {
    int top, height, grey;
    int instead;  // in parts of it: what changes along the line is no edge or stroke
  };
  for (const Print& drawn : {Print{51, 49, 120, 60}, Print{50, 1, 80, 100}}) {
    Paint({0, 0, 200, 100}, 100);
    EXPECT_EQ(Count(), 1U);
    Paint({0, drawn.top, 200, drawn.height}, drawn.grey);
    EXPECT_EQ(Count(), 0U);
    Certain(line, 1.5);  // is not enough, either
    EXPECT_EQ(Count(), 0U);
    Certain(line, 1.7);
    EXPECT_EQ(Count(), 1U);
    Certain({0, 0, 200, 100}, 0);
    for (int x = 0; x < size_.width; x += 20) {
      Paint({x, drawn.top, 10, drawn.height}, drawn.instead);
    }
    EXPECT_EQ(Count(), 1U);
  }
}

TEST_F(PathsOnPrint, AreAskedAgainOfWhatIsLeftOfThem) {
  const cv::Rect part(60, 50, 60, 1);
  Ridge({60, 50, 120, 1}, 2.5);
  Certain(part, 1.3);
  EXPECT_EQ(Count(), 1U) << "what is certain of it";
  Paint(part, 80);  // a stroke, of which the whole path has half
  EXPECT_EQ(Count(), 0U);
  Certain(part, 1.7);
  EXPECT_EQ(Count(), 1U);
}

TEST(LinePaths, SayWhereTheyAreAndHowStrong) {
  const Size size{100, 80};
  const Plane ridges = Filled(size, PixelType::kU8, 0);
  const Plane energy = Filled(size, PixelType::kS32, 100);
  for (int i = 0; i < 40; ++i) {
    ridges.Row<std::uint8_t>(20 + i)[30 + i] = 255;
    energy.Row<std::int32_t>(20 + i)[30 + i] = i == 7 ? 1600 : 600;
  }
  const auto lines = FindLinePaths({.ridges = ridges,
                                    .energy = energy,
                                    .level = 100,
                                    .surface = Filled(size, PixelType::kU8, 255),
                                    .gaps = Filled(size, PixelType::kU8, 0)},
                                   {});
  ASSERT_THAT(lines, IsOk());
  ASSERT_EQ(lines->paths.size(), 1U);
  const LinePath& path = lines->paths[0];
  EXPECT_EQ(path.box, (Rectangle{30, 20, 40, 40}));
  EXPECT_EQ(path.pixels, 40);
  EXPECT_NEAR(path.length, 40 * std::sqrt(2.0), 1e-9);
  EXPECT_DOUBLE_EQ(path.peak, 16);
  EXPECT_DOUBLE_EQ(path.mean, 6.25);
  EXPECT_NEAR(path.score, 6.25 * std::pow(path.length, 0.25), 1e-9);
  EXPECT_EQ(lines->ids.Row<std::int32_t>(27)[37], 1);
  EXPECT_EQ(lines->ids.Row<std::int32_t>(27)[38], 0);
  EXPECT_EQ(lines->mask.Row<std::uint8_t>(27)[39], 255);  // drawn 2 px wider
  EXPECT_EQ(lines->mask.Row<std::uint8_t>(27)[42], 0);
}

/// An albedo of two halves: plain on the left, busy on the right.
Albedo HalfBusy(Size size) {
  Albedo albedo{.grey = Filled(size, PixelType::kS16, 0),
                .gradient = Filled(size, PixelType::kS32, 0),
                .curvature = Filled(size, PixelType::kS32, 0),
                .count = Filled(size, PixelType::kU8, 9)};
  AsMat(albedo.gradient)(cv::Rect(size.width / 2, 0, size.width / 2, size.height))
      .setTo(128 * 128 * 400);  // 20 grey per pixel
  return albedo;
}

Plane InUnits(const Plane& response, const Albedo& albedo) {
  ThreadPool pool(2);
  return NormaliseEnergy(std::array{response}, albedo, {}, pool)[0];
}

TEST(EnergyNormalisation, EachKindOfArtworkIsMeasuredByItself) {
  const Size size{200, 100};
  const Albedo albedo = HalfBusy(size);
  const Plane energy = Filled(size, PixelType::kS32, 500);
  const cv::Rect busy(100, 0, 100, 100);
  AsMat(energy)(busy).setTo(900);
  AsMat(energy)(cv::Rect(20, 50, 40, 1)).setTo(1500);   // three times the median there
  AsMat(energy)(cv::Rect(140, 50, 40, 1)).setTo(1800);  // twice
  const Plane units = InUnits(energy, albedo);
  EXPECT_EQ(units.Row<std::int32_t>(20)[30], kEnergyUnit);
  EXPECT_EQ(units.Row<std::int32_t>(20)[170], kEnergyUnit);
  EXPECT_EQ(units.Row<std::int32_t>(50)[40], 3 * kEnergyUnit);
  EXPECT_EQ(units.Row<std::int32_t>(50)[160], 2 * kEnergyUnit);
}

TEST(EnergyNormalisation, ABinOfTooFewPixelsFollowsItsNeighbours) {
  const Size size{400, 300};
  Albedo albedo = HalfBusy(size);
  AsMat(albedo.gradient).setTo(0);
  AsMat(albedo.gradient)(cv::Rect(30, 50, 60, 1)).setTo(128 * 128 * 400);  // a crease in the ink
  const Plane energy = Filled(size, PixelType::kS32, 500);
  AsMat(energy)(cv::Rect(30, 48, 60, 5)).setTo(2500);
  const Plane units = InUnits(energy, albedo);
  EXPECT_EQ(units.Row<std::int32_t>(50)[60], 5 * kEnergyUnit);
}

TEST(EnergyNormalisation, WhatIsNotSeenHasNoneAndNothingIsKnownOfNothing) {
  const Size size{64, 64};
  const Plane energy = Filled(size, PixelType::kS32, 0);
  AsMat(energy)(cv::Rect(0, 0, 64, 40)).setTo(300);
  const Plane units = InUnits(energy, HalfBusy(size));
  EXPECT_EQ(units.Row<std::int32_t>(60)[5], 0);
  EXPECT_EQ(units.Row<std::int32_t>(5)[5], kEnergyUnit);
  const Plane none = InUnits(Filled(size, PixelType::kS32, 0), HalfBusy(size));
  EXPECT_EQ(cv::countNonZero(AsMat(none)), 0);
}

}  // namespace
}  // namespace glint::photometric
