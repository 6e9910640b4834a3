// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/veiled_print.h"

#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/core.hpp>

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
class VeiledPrint : public testing::Test {
 protected:
  VeiledPrint() {
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

  std::size_t Kept(const VeiledPrintParams& params = {}) {
    ThreadPool pool(2);
    const VeiledViews views{.greys = greys_, .valid = valid_, .albedo = albedo_};
    Lines lines = lines_;
    lines.ids = AsPlane(AsMat(lines_.ids).clone());
    const auto kept = LeaveOutVeiledPrint(std::move(lines), directions_, views, params, pool);
    EXPECT_THAT(kept, IsOk());
    if (!kept.ok()) return 0;
    EXPECT_EQ(cv::countNonZero(AsMat(kept->ids)), 100 * static_cast<int>(kept->paths.size()));
    return kept->paths.size();
  }

  Plane albedo_ = Plane::Host(kVeiled, PixelType::kS16);
  Plane directions_ = Plane::Host(kVeiled, PixelType::kU8);
  std::vector<Plane> greys_, valid_;
  Lines lines_;
};

TEST_F(VeiledPrint, IsNoLine) {
  Film(30, 0.06, [](int) { return 0; });
  EXPECT_EQ(Kept(), 0U);
}

TEST_F(VeiledPrint, LeavesACreaseThatAnswersToWhereTheLightComesFrom) {
  Film(30, 0.06, [](int view) { return view % 5 == 0 ? 14 : view % 3 == 0 ? -9 : 0; });
  EXPECT_EQ(Kept(), 1U);
}

TEST_F(VeiledPrint, IsDarkAndALineOfLostInkIsNot) {
  Film(30, 0.16, [](int) { return 0; });
  EXPECT_EQ(Kept(), 1U);
}

TEST_F(VeiledPrint, AsksForEnoughViews) {
  Film(9, 0.06, [](int) { return 0; });
  EXPECT_EQ(Kept(), 1U);
  EXPECT_EQ(Kept({.min_views = 9}), 0U);
}

TEST_F(VeiledPrint, LeavesOutWhatNobodyCouldSee) {
  for (int i = 0; i < 30; ++i) {
    greys_.push_back(Plane::Host(kVeiled, PixelType::kU8));
    AsMat(greys_.back()).setTo(120);
    valid_.push_back(Plane::Host(kVeiled, PixelType::kU8));
    AsMat(valid_.back()).setTo(255);
    if (i % 10 == 0) AsMat(greys_.back()).col(kStrokeX).setTo(121);
  }
  EXPECT_EQ(Kept(), 0U);
  EXPECT_EQ(Kept({.min_change_grey = 0.05}), 1U);
}

TEST_F(VeiledPrint, FadesWithTheStrokesAroundIt) {
  FilmFading([](int) { return 0; });
  EXPECT_EQ(Kept(), 0U);
  VeiledPrintParams without;
  without.detail.min_gradient_grey2 = 1000;
  EXPECT_EQ(Kept(without), 1U) << "the light says nothing of it";
}

TEST_F(VeiledPrint, LeavesACreaseThatDoesNotFadeWithTheStrokesAroundIt) {
  FilmFading([](int view) { return view % 7 == 0 ? 16 : view % 4 == 0 ? -12 : 0; });
  EXPECT_EQ(Kept(), 1U);
}

TEST_F(VeiledPrint, IsNotToldByPrintThatIsNotThere) {
  FilmFading([](int) { return 0; });
  for (const Plane& grey : greys_) AsMat(grey).colRange(0, 40).setTo(120);
  AsMat(albedo_).colRange(0, 40).setTo(120 * kSixtyFourths);
  EXPECT_EQ(Kept(), 1U);
}

TEST_F(VeiledPrint, NumbersTheOthersAnew) {
  Film(30, 0.06, [](int) { return 0; });
  cv::RNG light(3);
  for (const Plane& grey : greys_) {  // a scratch beside the stroke
    AsMat(grey).col(80).rowRange(10, 110).setTo(light.uniform(60, 250));
  }
  AsMat(lines_.ids).col(80).rowRange(10, 110).setTo(2);
  lines_.paths.push_back({.pixels = 100, .length = 99});
  ThreadPool pool(2);
  const auto kept = LeaveOutVeiledPrint(lines_, directions_, {greys_, valid_, albedo_}, {}, pool);
  ASSERT_THAT(kept, IsOk());
  ASSERT_EQ(kept->paths.size(), 1U);
  EXPECT_EQ(kept->paths[0].length, 99);
  EXPECT_EQ(kept->ids.Row<std::int32_t>(50)[80], 1);
  EXPECT_EQ(kept->ids.Row<std::int32_t>(50)[kStrokeX], 0);
}

}  // namespace
}  // namespace glint::photometric
