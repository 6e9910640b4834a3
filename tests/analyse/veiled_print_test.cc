// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/veiled_print.h"

#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "base/mat.h"
#include "support/status_matchers.h"

namespace glint::photometric {
namespace {

constexpr Size kVeiled{100, 120};
constexpr int kSixtyFourths = 64;
constexpr std::uint8_t kDownwards = 8;
constexpr int kStrokeX = 50;

/// What a camera makes of light on paper.
double Grey(double light) { return 255 * std::pow(std::clamp(light, 0.0, 1.0), 1 / 2.2); }

/// Paper with one vertical line on it, in views with more and more of a lamp's reflection.
class VeiledPrintTest : public testing::Test {
 protected:
  VeiledPrintTest() {
    AsMat(albedo_).setTo(90 * kSixtyFourths);
    AsMat(directions_).setTo(kDownwards);
    lines_.ids = Plane::Host(kVeiled, PixelType::kS32);
    AsMat(lines_.ids).setTo(0);
    AsMat(lines_.ids).col(kStrokeX).rowRange(10, 110).setTo(1);
    lines_.paths = {{.pixels = 100, .length = 100}};
  }

  /// @param ink  reflectance of the line; the paper's is 0.1
  /// @param own  what the line shows besides in a view, grey
  template <class Own>
  void Film(int views, double ink, const Own& own) {
    cv::RNG noise(7);
    for (int i = 0; i < views; ++i) {
      const double veil = 0.3 * i / views;
      cv::Mat grey(kVeiled.height, kVeiled.width, CV_8U);
      for (int y = 0; y < grey.rows; ++y) {
        for (int x = 0; x < grey.cols; ++x) {
          const bool line = std::abs(x - kStrokeX) <= 1;
          const double value = Grey((line ? ink : 0.1) + veil * (1 + 0.002 * y)) +
                               (line ? own(i) : 0) + noise.gaussian(1);
          grey.at<std::uint8_t>(y, x) = cv::saturate_cast<std::uint8_t>(value);
        }
      }
      greys_.push_back(AsPlane(grey));
      valid_.push_back(Plane::Host(kVeiled, PixelType::kU8));
      AsMat(valid_.back()).setTo(255);
    }
    AsMat(albedo_)
        .colRange(kStrokeX - 1, kStrokeX + 2)
        .setTo((90 + Grey(ink) - Grey(0.1)) * kSixtyFourths);
  }

  /// The line and three strokes far from it, under one light; a codec takes their contrast away and
  /// gives it back, as behind key frames.
  /// @param own  as of Film
  template <class Own>
  void FilmFading(const Own& own) {
    cv::RNG noise(7);
    const auto is_stroke = [](int x) { return x == 10 || x == 20 || x == 30; };
    for (int i = 0; i < 30; ++i) {
      const double kept = std::min(0.2 + 0.2 * (i % 10), 1.0);
      cv::Mat grey(kVeiled.height, kVeiled.width, CV_8U);
      for (int y = 0; y < grey.rows; ++y) {
        for (int x = 0; x < grey.cols; ++x) {
          const bool line = std::abs(x - kStrokeX) <= 1;
          const double value = 120 - (line || is_stroke(x) ? 15 * kept : 0) + (line ? own(i) : 0);
          grey.at<std::uint8_t>(y, x) = cv::saturate_cast<std::uint8_t>(value + noise.gaussian(1));
        }
      }
      greys_.push_back(AsPlane(grey));
      valid_.push_back(Plane::Host(kVeiled, PixelType::kU8));
      AsMat(valid_.back()).setTo(255);
    }
    AsMat(albedo_).setTo(120 * kSixtyFourths);
    for (int x = 0; x < kVeiled.width; ++x) {
      if (is_stroke(x) || std::abs(x - kStrokeX) <= 1) {
        AsMat(albedo_).col(x).setTo(105 * kSixtyFourths);
      }
    }
  }

  VeiledPrint Find(const VeiledPrintParams& params = {}) {
    ThreadPool pool(2);
    const VeiledViews views{.greys = greys_, .valid = valid_, .albedo = albedo_};
    auto found = FindVeiledPrint(lines_, directions_, views, params, pool);
    EXPECT_THAT(found, IsOk());
    if (!found.ok()) return {.lines = std::vector<bool>(lines_.paths.size())};
    EXPECT_EQ(found->lines.size(), lines_.paths.size());
    return *std::move(found);
  }

  bool IsPrint(const VeiledPrintParams& params = {}) {
    const VeiledPrint found = Find(params);
    EXPECT_TRUE(found.parts.empty());
    return found.lines[0];
  }

  Plane albedo_ = Plane::Host(kVeiled, PixelType::kS16);
  Plane directions_ = Plane::Host(kVeiled, PixelType::kU8);
  std::vector<Plane> greys_, valid_;
  Lines lines_;
};

TEST_F(VeiledPrintTest, IsNoLine) {
  Film(30, 0.06, [](int) { return 0; });
  EXPECT_TRUE(IsPrint());
}

TEST_F(VeiledPrintTest, LeavesACreaseThatAnswersToWhereTheLightComesFrom) {
  Film(30, 0.06, [](int view) { return view % 5 == 0 ? 14 : view % 3 == 0 ? -9 : 0; });
  EXPECT_FALSE(IsPrint());
}

TEST_F(VeiledPrintTest, IsDarkAndALineOfLostInkIsNot) {
  Film(30, 0.16, [](int) { return 0; });
  EXPECT_FALSE(IsPrint());
}

TEST_F(VeiledPrintTest, AsksForEnoughViews) {
  Film(9, 0.06, [](int) { return 0; });
  EXPECT_FALSE(IsPrint());
  EXPECT_TRUE(IsPrint({.min_views = 9}));
}

TEST_F(VeiledPrintTest, LeavesOutWhatNobodyCouldSee) {
  for (int i = 0; i < 30; ++i) {
    greys_.push_back(Plane::Host(kVeiled, PixelType::kU8));
    AsMat(greys_.back()).setTo(120);
    valid_.push_back(Plane::Host(kVeiled, PixelType::kU8));
    AsMat(valid_.back()).setTo(255);
    if (i % 10 == 0) AsMat(greys_.back()).col(kStrokeX).setTo(121);
  }
  EXPECT_TRUE(IsPrint());
  EXPECT_FALSE(IsPrint({.min_change_grey = 0.05}));
}

TEST_F(VeiledPrintTest, FadesWithTheStrokesAroundIt) {
  FilmFading([](int) { return 0; });
  EXPECT_TRUE(IsPrint());
  VeiledPrintParams without;
  without.detail.min_gradient_grey2 = 1000;
  EXPECT_FALSE(IsPrint(without)) << "the light says nothing of it";
}

TEST_F(VeiledPrintTest, LeavesACreaseThatDoesNotFadeWithTheStrokesAroundIt) {
  FilmFading([](int view) { return view % 7 == 0 ? 16 : view % 4 == 0 ? -12 : 0; });
  EXPECT_FALSE(IsPrint());
}

TEST_F(VeiledPrintTest, IsNotToldByPrintThatIsNotThere) {
  FilmFading([](int) { return 0; });
  for (const Plane& grey : greys_) AsMat(grey).colRange(0, 40).setTo(120);
  AsMat(albedo_).colRange(0, 40).setTo(120 * kSixtyFourths);
  EXPECT_FALSE(IsPrint());
}

TEST_F(VeiledPrintTest, IsToldOfEachLine) {
  Film(30, 0.06, [](int) { return 0; });
  cv::RNG light(3);
  for (const Plane& grey : greys_) {  // a scratch beside the stroke
    AsMat(grey).col(80).rowRange(10, 110).setTo(light.uniform(60, 250));
  }
  AsMat(lines_.ids).col(80).rowRange(10, 110).setTo(2);
  lines_.paths.push_back({.pixels = 100, .length = 99});
  const VeiledPrint found = Find();
  EXPECT_EQ(found.lines, (std::vector<bool>{true, false}));
  EXPECT_TRUE(found.parts.empty());
}

TEST_F(VeiledPrintTest, IsALongPartOfALineThatGoesOnAsACrease) {
  Film(30, 0.06, [](int) { return 0; });
  cv::RNG light(3);
  for (const Plane& grey : greys_) {  // the crease: down to a multiple of the squares
    AsMat(grey).colRange(kStrokeX - 1, kStrokeX + 2).rowRange(0, 48).setTo(light.uniform(60, 250));
  }
  VeiledPrint found = Find();
  EXPECT_EQ(found.lines, std::vector<bool>{false});
  ASSERT_FALSE(found.parts.empty());
  const cv::Mat parts = AsMat(found.parts);
  EXPECT_EQ(cv::countNonZero(parts), 62);
  EXPECT_EQ(cv::countNonZero(parts.col(kStrokeX).rowRange(48, 110)), 62);

  found = Find({.min_part_pixels = 63});
  EXPECT_TRUE(found.parts.empty()) << "a crease crosses a stroke here and there";
}

}  // namespace
}  // namespace glint::photometric
