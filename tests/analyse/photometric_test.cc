// SPDX-License-Identifier: Apache-2.0
// The analysis steps of `photometric`, on hand-made input.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <opencv2/imgproc.hpp>

#include "analyse/cpu_stages.h"
#include "analyse/photometric/detect.h"
#include "analyse/photometric/masks.h"
#include "analyse/photometric/median_colour.h"
#include "analyse/photometric/noise_fit.h"
#include "analyse/photometric/outline.h"
#include "base/mat.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint::photometric {
namespace {

using testing::HasSubstr;

Plane Filled(Size size, PixelType type, int value) {
  Plane plane = Plane::Host(size, type);
  AsMat(plane).setTo(cv::Scalar::all(value));
  return plane;
}

int CountMarked(const Plane& mask) { return cv::countNonZero(AsMat(mask)); }

/// Marked pixels of both masks.
int CountBoth(const Plane& mask, const cv::Mat& where) {
  return cv::countNonZero(AsMat(mask) & where);
}

// ---------------------------------------------------------------- noise

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

TEST(NoiseFit, RecoversTheModelThatMadeTheCells) {
  const NoiseModel model =
      FitNoise(CellsOf([](double g, double c) { return 0.7 + 0.003 * g + 0.002 * c; }));
  EXPECT_NEAR(model.base, 0.7, 1e-4);
  EXPECT_NEAR(model.gradient, 0.003, 1e-6);
  EXPECT_NEAR(model.curvature, 0.002, 1e-6);
}

TEST(NoiseFit, LeavesOutATermThatWouldBeNegative) {
  const NoiseModel model =
      FitNoise(CellsOf([](double g, double c) { return 2.0 + 0.003 * g - 0.001 * c; }));
  EXPECT_GT(model.base, 1.0);
  EXPECT_GT(model.gradient, 0.001);
  EXPECT_EQ(model.curvature, 0);
}

TEST(NoiseFit, NeverSaysThatThereIsNoNoise) {
  EXPECT_GT(FitNoise({}).base, 0.5);
  EXPECT_GE(FitNoise(CellsOf([](double g, double) { return 0.01 + 0.5 * g; })).base, 0.0625F);
}

TEST(NoiseFit, TakesTheMedianOfEachKindOfArtworkSoThatDamageDoesNotCount) {
  const Size size{60, 20};
  const Artwork artwork{.grey = Filled(size, PixelType::kS16, 0),
                        .gradient = Filled(size, PixelType::kS32, 128 * 128 * 100),  // 10 per px
                        .curvature = Filled(size, PixelType::kS32, 0),
                        .count = Filled(size, PixelType::kU8, 9)};
  Plane magnitude = Filled(size, PixelType::kS16, 86);       // twice 0.6745 grey
  AsMat(magnitude)(cv::Rect(0, 0, 20, 20)).setTo(3000);      // a third is damaged
  AsMat(artwork.gradient)(cv::Rect(50, 0, 5, 20)).setTo(0);  // too few of a kind
  AsMat(artwork.count)(cv::Rect(55, 0, 5, 20)).setTo(4);     // too few views
  const auto cells = NoiseCells(artwork, magnitude);
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_NEAR(cells[0].variance, 4, 0.05);
  EXPECT_NEAR(cells[0].gradient_square, 100, 1e-9);
  EXPECT_EQ(cells[0].curvature_square, 0);
  EXPECT_EQ(cells[0].pixels, 50 * 20);
}

// ---------------------------------------------------------------- paths

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
    const auto lines =
        FindLinePaths(ridges, energy, kMedian, Filled(size, PixelType::kU8, 255), gaps, {});
    ASSERT_THAT(lines, IsOk());
    EXPECT_EQ(static_cast<int>(lines->paths.size()), test.found);
    EXPECT_EQ(CountMarked(lines->mask) > 0, test.found > 0);
  }
}

TEST(LinePaths, SayWhereTheyAreAndHowStrong) {
  const Size size{100, 80};
  const Plane ridges = Filled(size, PixelType::kU8, 0);
  const Plane energy = Filled(size, PixelType::kS32, 100);
  for (int i = 0; i < 40; ++i) {
    ridges.Row<std::uint8_t>(20 + i)[30 + i] = 255;
    energy.Row<std::int32_t>(20 + i)[30 + i] = i == 7 ? 1600 : 600;
  }
  const auto lines = FindLinePaths(ridges, energy, 100, Filled(size, PixelType::kU8, 255),
                                   Filled(size, PixelType::kU8, 0), {});
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

TEST(MedianSeen, LeavesOutWhatIsSeenInTooFewViews) {
  const Plane values = Filled({5, 1}, PixelType::kS32, 0);
  const Plane count = Filled({5, 1}, PixelType::kU8, 5);
  for (int x = 0; x < 5; ++x) values.Row<std::int32_t>(0)[x] = 10 * (x + 1);
  EXPECT_EQ(MedianSeen(values, count), 30);
  count.Row<std::uint8_t>(0)[0] = 4;
  count.Row<std::uint8_t>(0)[1] = 4;
  EXPECT_EQ(MedianSeen(values, count), 40);
  EXPECT_EQ(MedianSeen(values, Filled({5, 1}, PixelType::kU8, 0)), 1);
}

// ---------------------------------------------------------------- outline

constexpr Size kObject{400, 500};
const cv::Scalar kDesk(90, 70, 50), kPaper(225, 220, 205);

/// A sheet of paper with ink on it, on a desk, and where something of it is missing.
struct Sheet {
  cv::Mat picture;
  cv::Mat missing = cv::Mat(kObject.height, kObject.width, CV_8U, cv::Scalar(0));

  Sheet()
      : picture(kObject.height + 2 * kSurroundings, kObject.width + 2 * kSurroundings, CV_8UC3,
                kDesk) {
    picture(cv::Rect(kSurroundings, kSurroundings, kObject.width, kObject.height)).setTo(kPaper);
    cv::circle(picture, {250, 300}, 60, cv::Scalar(30, 60, 120), cv::FILLED);
    cv::rectangle(picture, cv::Rect(100, 100, 150, 60), kDesk, cv::FILLED);  // ink like the desk
  }

  /// Shows the desk inside a polygon, in object pixels.
  Sheet& Cut(std::vector<cv::Point> polygon) {
    cv::fillPoly(missing, std::vector{polygon}, cv::Scalar(255));
    const cv::Rect object(kSurroundings, kSurroundings, kObject.width, kObject.height);
    picture(object).setTo(kDesk, missing);
    return *this;
  }

  /// With the camera's noise.
  Plane Filmed() const {
    cv::Mat noise(picture.size(), CV_8UC3), filmed;
    cv::RNG(5).fill(noise, cv::RNG::UNIFORM, 0, 7);
    cv::GaussianBlur(picture, filmed, {}, 0.7);
    filmed += noise - cv::Scalar::all(0);
    return AsPlane(filmed);
  }
};

struct OutlineCase {
  std::string name;
  Sheet sheet;
  bool damage = false;
};

TEST(FindOutline, TellsWhatIsMissingFromTheObjectsOwnShape) {
  const int w = kObject.width, h = kObject.height;
  const auto corner = [](int x, int y, int dx, int dy, int size) {
    return std::vector<cv::Point>{{x, y}, {x + dx * size, y}, {x, y + dy * size}};
  };
  Sheet cut_corners;
  cut_corners.Cut(corner(0, 0, 1, 1, 22)).Cut(corner(w - 1, 0, -1, 1, 22));
  cut_corners.Cut(corner(w - 1, h - 1, -1, -1, 22)).Cut(corner(0, h - 1, 1, -1, 22));
  const std::vector<OutlineCase> cases = {
      {.name = "whole", .sheet = {}},
      {.name = "lost corner", .sheet = Sheet().Cut(corner(0, 0, 1, 1, 45)), .damage = true},
      {.name = "tear",
       .sheet = Sheet().Cut({{w - 1, 240}, {w - 1, 254}, {w - 50, 247}}),
       .damage = true},
      {.name = "four equal corners", .sheet = cut_corners},
      {.name = "quadrilateral 3 px too wide",
       .sheet = Sheet().Cut({{w - 3, 0}, {w - 1, 0}, {w - 1, h - 1}, {w - 3, h - 1}})},
      {.name = "slanted side", .sheet = Sheet().Cut({{0, 0}, {5, 0}, {0, h - 1}})},
  };
  for (const OutlineCase& test : cases) {
    SCOPED_TRACE(test.name);
    const auto outline = FindOutline(test.sheet.Filmed());
    ASSERT_THAT(outline, IsOk());
    if (!test.damage) {
      EXPECT_EQ(CountMarked(outline->damage), 0);
      continue;
    }
    const int missing = cv::countNonZero(test.sheet.missing);
    EXPECT_GE(CountBoth(outline->damage, test.sheet.missing), 0.9 * missing);
    cv::Mat near;
    cv::dilate(test.sheet.missing, near, cv::Mat::ones(9, 9, CV_8U));
    EXPECT_EQ(CountBoth(outline->damage, near), CountMarked(outline->damage));
    EXPECT_LE(CountBoth(outline->body, test.sheet.missing), 0.4 * missing);  // a tear's thin tip
  }
}

TEST(FindOutline, KnowsTheObjectsOwnCorners) {
  Sheet sheet;
  const int w = kObject.width, h = kObject.height;
  for (const cv::Point at : {cv::Point(0, 0), {w - 1, 0}, {0, h - 1}, {w - 1, h - 1}}) {
    const int dx = at.x == 0 ? 25 : -25, dy = at.y == 0 ? 25 : -25;
    sheet.Cut({at, {at.x + dx, at.y}, {at.x, at.y + dy}});
  }
  const auto outline = FindOutline(sheet.Filmed());
  ASSERT_THAT(outline, IsOk());
  const int missing = cv::countNonZero(sheet.missing);
  EXPECT_GE(CountBoth(outline->shape, sheet.missing), 0.95 * missing);
  EXPECT_LE(CountMarked(outline->shape), 1.6 * missing);
}

TEST(FindOutline, RefusesAPictureWithoutRoomForAnObject) {
  EXPECT_THAT(FindOutline(Filled({63, 200}, PixelType::kU8x3, 0)),
              FailsWith(Reason::kInvalidOption, HasSubstr("colour")));
  EXPECT_THAT(FindOutline(Filled({200, 200}, PixelType::kU8, 0)),
              FailsWith(Reason::kInvalidOption, HasSubstr("colour")));
}

TEST(FindWornCorners, MarksPaleCornersOfAUniformRimOnly) {
  const cv::Rect object(kSurroundings, kSurroundings, kObject.width, kObject.height);
  const Plane shape = Filled(kObject, PixelType::kU8, 0);
  Sheet sheet;
  sheet.picture(object).setTo(cv::Scalar(40, 60, 110));
  const auto none = FindWornCorners(sheet.Filmed(), shape);
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ(CountMarked(*none), 0);

  const cv::Rect worn(kObject.width - 14, kObject.height - 14, 14, 14);
  sheet.picture(object)(worn).setTo(kPaper);
  const auto found = FindWornCorners(sheet.Filmed(), shape);
  ASSERT_THAT(found, IsOk());
  cv::Mat where(kObject.height, kObject.width, CV_8U, cv::Scalar(0));
  where(worn + cv::Point(-2, -2)).setTo(255);
  where(worn).setTo(255);
  EXPECT_GE(CountBoth(*found, where), 50);
  EXPECT_EQ(CountBoth(*found, where), CountMarked(*found));

  for (int i = 0; i < 60; ++i) {  // artwork up to the edge
    cv::circle(sheet.picture, {object.x + (i * 53) % object.width, object.y + (i * 71) % 500}, 25,
               cv::Scalar((i * 40) % 250, (i * 90) % 250, (i * 25) % 250), cv::FILLED);
  }
  for (int x = 0; x < kObject.width; x += 16) {
    for (int y = 0; y < kObject.height; y += 16) {
      if (x > 48 && y > 48 && x < kObject.width - 64 && y < kObject.height - 64) continue;
      sheet
          .picture(object)(cv::Rect(x, y, 16, 16) &
                           cv::Rect({0, 0}, cv::Size(kObject.width, kObject.height)))
          .setTo(cv::Scalar((x * 7) % 250, (y * 11) % 250, (x + y) % 250));
    }
  }
  const auto unclear = FindWornCorners(sheet.Filmed(), shape);
  ASSERT_THAT(unclear, IsOk());
  EXPECT_EQ(CountMarked(*unclear), 0);
}

TEST(MedianColour, IsTakenPerChannelAndPixel) {
  const Size size{301, 3};
  ThreadPool pool(2);
  std::vector<Plane> pictures;
  for (int i = 0; i < 6; ++i) pictures.push_back(Filled(size, PixelType::kU8x3, 10 * i));
  auto* changed = pictures[0].Row<std::uint8_t>(2) + 3 * 300;
  changed[1] = 255;  // 10 20 30 40 50 255
  const auto even = MedianColour(pictures, pool);
  ASSERT_THAT(even, IsOk());
  EXPECT_EQ(even->Row<std::uint8_t>(0)[0], 25);
  EXPECT_EQ(even->Row<std::uint8_t>(2)[3 * 300], 25);
  EXPECT_EQ(even->Row<std::uint8_t>(2)[3 * 300 + 1], 35);
  const auto odd = MedianColour(std::span(pictures).first(5), pool);
  ASSERT_THAT(odd, IsOk());
  EXPECT_EQ(odd->Row<std::uint8_t>(1)[7], 20);
  EXPECT_THAT(MedianColour({}, pool), FailsWith(Reason::kInvalidOption, HasSubstr("0 pictures")));
}

// ---------------------------------------------------------------- the whole detector

constexpr Size kCard{220, 260};

/// Views of a printed card under a moving light; lines of ink everywhere, and one that glints.
ViewStack FilmedCard(bool scratched, cv::Mat* truth) {
  cv::Mat ink(kCard.height, kCard.width, CV_8U, cv::Scalar(190));
  for (int i = 0; i < 9; ++i) {
    cv::line(ink, {15, 20 + 25 * i}, {200, 28 + 25 * i}, cv::Scalar(60), 2);
    cv::circle(ink, {30 + 20 * i, 130}, 14, cv::Scalar(90 + 10 * i), cv::FILLED);
  }
  cv::Mat scratch(ink.size(), CV_8U, cv::Scalar(0));
  cv::line(scratch, {60, 60}, {150, 200}, cv::Scalar(255), 2);
  if (truth != nullptr) *truth = scratch;
  ViewStack stack;
  cv::RNG random(11);
  for (int i = 0; i < 48; ++i) {
    cv::Mat view, noise(ink.size(), CV_32F);
    ink.convertTo(view, CV_32F, 0.7 + 0.006 * i, 0.3 * (i % 12));
    if (scratched && i % 12 >= 4 && i % 12 < 9) view.setTo(view.at<float>(0, 0) + 14, scratch);
    random.fill(noise, cv::RNG::NORMAL, 0, 1.2);
    cv::GaussianBlur(view, view, {}, 0.8);
    view += noise;
    cv::Mat grey;
    view.convertTo(grey, CV_8U);
    stack.greys.push_back(AsPlane(grey));
    stack.valid.push_back(Filled(kCard, PixelType::kU8, 255));
  }
  cv::Mat colour(kCard.height + 2 * kSurroundings, kCard.width + 2 * kSurroundings, CV_8UC3, kDesk);
  cv::Mat printed;
  cv::cvtColor(ink, printed, cv::COLOR_GRAY2RGB);
  printed.copyTo(colour(cv::Rect(kSurroundings, kSurroundings, kCard.width, kCard.height)));
  stack.colour = AsPlane(colour);
  return stack;
}

absl::StatusOr<PhotometricResult> Detect(const ViewStack& views, int threads) {
  CpuStages cpu(threads);
  return DetectPhotometric(views, {}, cpu.stages, cpu.pool, {});
}

TEST(DetectPhotometric, FindsAScratchThatGlintsAmongLinesOfInk) {
  cv::Mat truth;
  const ViewStack views = FilmedCard(true, &truth);
  const auto result = Detect(views, 2);
  ASSERT_THAT(result, IsOk());
  cv::Mat near_truth, near_mask;
  cv::dilate(truth, near_truth, Disc(5));  // the filters reach beyond a line's ends
  cv::dilate(AsMat(result->lines), near_mask, Disc(3));
  EXPECT_GE(cv::countNonZero(truth & near_mask), 0.95 * cv::countNonZero(truth));
  EXPECT_GE(CountBoth(result->lines, near_truth), 0.95 * CountMarked(result->lines));
  EXPECT_EQ(CountMarked(result->outline), 0);
  EXPECT_EQ(CountMarked(result->known), CountMarked(result->surface));
  ASSERT_EQ(result->found.size(), 1U);
  const PhotometricLine& line = result->found[0];
  EXPECT_EQ(line.seen, 48);
  EXPECT_GE(line.shown, 20);  // in 20 views it is brighter; the median lies between
  EXPECT_GE(line.best_view % 12, 4);
  EXPECT_LT(line.best_view % 12, 9);
  EXPECT_GT(line.path.length, 150);
}

TEST(DetectPhotometric, MarksNothingOnACleanCard) {
  const auto result = Detect(FilmedCard(false, nullptr), 2);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(CountMarked(result->lines), 0);
  EXPECT_EQ(CountMarked(result->outline), 0);
  EXPECT_TRUE(result->found.empty());
  EXPECT_NEAR(std::sqrt(result->noise.base), 0.5, 0.25);  // of 1.2, smoothed, with its median taken
}

TEST(DetectPhotometric, GivesTheSameBytesForAnyNumberOfThreads) {
  const ViewStack views = FilmedCard(true, nullptr);
  const auto one = Detect(views, 1);
  ASSERT_THAT(one, IsOk());
  for (const int threads : {2, 5}) {
    const auto several = Detect(views, threads);
    ASSERT_THAT(several, IsOk());
    EXPECT_TRUE(SameBytes(several->lines, one->lines));
    EXPECT_TRUE(SameBytes(several->outline, one->outline));
    EXPECT_TRUE(SameBytes(several->energy, one->energy));
    EXPECT_TRUE(SameBytes(several->line_ids, one->line_ids));
    EXPECT_EQ(several->found[0].shown, one->found[0].shown);
    EXPECT_EQ(several->found[0].best_view, one->found[0].best_view);
  }
}

TEST(DetectPhotometric, KnowsWhereTooFewViewsSeeTheObject) {
  ViewStack views = FilmedCard(true, nullptr);
  for (std::size_t i = 4; i < views.valid.size(); ++i) {
    Plane valid = Filled(kCard, PixelType::kU8, 255);
    AsMat(valid)(cv::Rect(0, 0, kCard.width, 100)).setTo(0);
    views.valid[i] = valid;
  }
  const auto result = Detect(views, 1);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(cv::countNonZero(AsMat(result->known)(cv::Rect(0, 0, kCard.width, 100))), 0);
  EXPECT_EQ(result->known.Row<std::uint8_t>(150)[100], 255);
}

TEST(DetectPhotometric, StopsWhenCancelledAndRefusesWhatDoesNotFit) {
  ViewStack views = FilmedCard(false, nullptr);
  CpuStages cpu(1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(DetectPhotometric(views, {}, cpu.stages, cpu.pool, CancelToken(stop.get_token())),
              FailsWith(Reason::kCancelled, testing::_));
  views.colour = {};
  EXPECT_THAT(DetectPhotometric(views, {}, cpu.stages, cpu.pool, {}),
              FailsWith(Reason::kInvalidOption, HasSubstr("colour")));
  EXPECT_THAT(DetectPhotometric(views, {.outline = false}, cpu.stages, cpu.pool, {}), IsOk());
  EXPECT_THAT(DetectPhotometric({}, {.outline = false}, cpu.stages, cpu.pool, {}),
              FailsWith(Reason::kInvalidOption, HasSubstr("no view")));
}

}  // namespace
}  // namespace glint::photometric
