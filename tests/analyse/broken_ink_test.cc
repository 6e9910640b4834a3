// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/broken_ink.h"

#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "analyse/photometric/evidence/energy_normalisation.h"
#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric_drawing.h"
#include "base/mat.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

constexpr int kAlbedoUnit = 64;
constexpr Size kInkedSheet{300, 260};
constexpr double kPaperGrey = 220;
// Along a line: 1 is what a pixel has on average, but not all of them lie in the line's direction.
constexpr double kPrintEvidence = 0.8;

/// A dark sheet, on which lines of paper are drawn, and evidence as print has it.
class BrokenInk : public testing::Test {
 protected:
  BrokenInk() {
    AsMat(albedo_).setTo(90 * kAlbedoUnit);
    AsMat(energy_).setTo(kPrintEvidence * kEnergyUnit);
    AsMat(directions_).setTo(0);
  }

  /// Draws dashes along a row from x = `begin` to `end`, one every `period` px.
  void Dash(int y, int begin, int end, int dash, int period, double grey = kPaperGrey) {
    for (int x = begin; x < end; x += period) {
      cv::rectangle(AsMat(albedo_), cv::Rect(x, y, std::min(dash, end - x), 2), grey * kAlbedoUnit,
                    cv::FILLED);
    }
  }

  /// Gives the surroundings of a row so much evidence.
  void Answer(int y, int begin, int end, double evidence) {
    AsMat(energy_)(cv::Rect(begin, y - 1, end - begin, 4)).setTo(evidence * kEnergyUnit);
  }

  Lines Find(const BrokenInkParams& params = {}) {
    cv::GaussianBlur(AsMat(albedo_), AsMat(albedo_), {}, 0.8);
    return Join({.ids = Filled(kInkedSheet, PixelType::kS32, 0), .mask = {}, .paths = {}}, 2,
                params);
  }

  /// Finds lines and adds them to those that are known.
  Lines Join(Lines known, int threads, const BrokenInkParams& params = {}) {
    ThreadPool pool(threads);
    const auto found = FindBrokenInk({.albedo = albedo_,
                                      .energy = energy_,
                                      .directions = directions_,
                                      .surface = Filled(kInkedSheet, PixelType::kU8, 255)},
                                     params, pool);
    return AddFoundLines(std::move(known), found, energy_, {});
  }

  Plane albedo_ = Plane::Host(kInkedSheet, PixelType::kS16);
  Plane energy_ = Plane::Host(kInkedSheet, PixelType::kS32);
  Plane directions_ = Plane::Host(kInkedSheet, PixelType::kU8);
};

TEST_F(BrokenInk, IsATickThatStartsAtTheRimAndAnswersToTheLight) {
  Dash(100, 0, 30, 30, 30);
  Answer(100, 0, 30, 2);
  const Lines lines = Find();
  ASSERT_EQ(lines.paths.size(), 1U);
  EXPECT_NEAR(lines.paths[0].length, 28, 4);
  EXPECT_GE(lines.paths[0].score, lines.paths[0].needed);
  EXPECT_EQ(AsMat(lines.mask).at<std::uint8_t>(101, 15), 255);
  EXPECT_EQ(AsMat(lines.mask).at<std::uint8_t>(120, 15), 0);
}

TEST_F(BrokenInk, IsNoTickThatAnswersAsPrintDoes) {
  Dash(100, 0, 30, 30, 30);
  EXPECT_TRUE(Find().paths.empty());
}

TEST_F(BrokenInk, IsNoTickThatGoesOnFarIntoTheSheet) {
  Dash(100, 0, 200, 200, 200);
  Answer(100, 0, 200, 2);
  EXPECT_TRUE(Find().paths.empty());
}

TEST_F(BrokenInk, IsNoTickAmongParallels) {
  for (const int y : {93, 100, 107}) {
    Dash(y, 0, 30, 30, 30);
    Answer(y, 0, 30, 2);
  }
  EXPECT_TRUE(Find().paths.empty());
}

TEST_F(BrokenInk, IsNoRowOfDashesWithinTheSheet) {
  Dash(130, 80, 200, 8, 18);
  Answer(130, 80, 200, 2);
  EXPECT_TRUE(Find().paths.empty());
}

TEST_F(BrokenInk, IsNoLineThatIsKnown) {
  Dash(100, 0, 30, 30, 30);
  Answer(100, 0, 30, 2);
  Lines known{.ids = Filled(kInkedSheet, PixelType::kS32, 0), .mask = {}, .paths = {LinePath{}}};
  AsMat(known.ids)(cv::Rect(0, 101, 30, 1)).setTo(1);
  const Lines lines = Join(known, 2);
  EXPECT_EQ(lines.paths.size(), 1U);
}

TEST_F(BrokenInk, IsTheSameOnAnyNumberOfThreads) {
  Dash(60, 0, 30, 30, 30);
  Answer(60, 0, 30, 2);
  const Lines two = Find();
  const Lines alone =
      Join({.ids = Filled(kInkedSheet, PixelType::kS32, 0), .mask = {}, .paths = {}}, 1);
  ASSERT_EQ(two.paths.size(), 1U);
  EXPECT_EQ(cv::countNonZero(AsMat(two.ids) != AsMat(alone.ids)), 0);
}

}  // namespace
}  // namespace glint::photometric
