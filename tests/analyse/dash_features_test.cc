// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_features.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string_view>
#include <vector>

namespace glint::photometric {
namespace {

// Where what these tests look at lies among the features.
constexpr std::size_t kLostShare = 11, kToRim = 14, kInwards = 15, kBeside = 16, kBeyond = 24;
constexpr std::size_t kTexture = 28, kPrintNear = 29, kCounts = 33;

/// Dashes on a sheet of mottled ink, as they were measured.
class FeaturesOfDashes : public testing::Test {
 protected:
  void Mottle() {
    cv::RNG random(7);
    random.fill(whiteness_, cv::RNG::UNIFORM, 0, 256);
    cv::GaussianBlur(whiteness_, whiteness_, {}, 1.5);
  }

  void Add(double x, double y, double turn_deg = 0, double length = 14) {
    const double turn = turn_deg * std::numbers::pi / 180;
    dashes_.push_back({.dash = {.x = x,
                                .y = y,
                                .cosine = std::cos(turn),
                                .sine = std::sin(turn),
                                .length = length,
                                .contrast = 60,
                                .ink = {60, 140, 70},
                                .gain = {88, 46, 76}},
                       .width = 2.5,
                       .pixels = 30,
                       .alone = 0.8,
                       .least_gain = 40,
                       .most_gain = 80,
                       .sides_differ = 6,
                       .sharpness = 0.9});
  }

  void AddSome() {
    Add(150.2, 120.3, 25);
    Add(170.4, 128.1, 31);
    Add(180.3, 90.2, 110);
    Add(12.1, 140.4, 10);
    Add(220.2, 252.1, 80, 4.5);
  }

  std::vector<DashFeatures> Describe() const {
    return DescribeDashes(dashes_, whiteness_, {236, 232, 222});
  }

  void ExpectTheSame(const std::vector<DashFeatures>& expected, std::string_view how) const {
    const std::vector<DashFeatures> all = Describe();
    ASSERT_EQ(all.size(), expected.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t k = 0; k < kDashFeatures; ++k) {
        EXPECT_NEAR(all[i][k], expected[i][k], 1e-4) << how << ": dash " << i << ", feature " << k;
      }
    }
  }

  std::vector<MeasuredDash> dashes_;
  cv::Mat whiteness_{260, 300, CV_8U, cv::Scalar(60)};
};

TEST_F(FeaturesOfDashes, AreTheSameInAMirror) {
  Mottle();
  AddSome();
  const auto plain = Describe();
  cv::flip(whiteness_, whiteness_, 1);
  for (MeasuredDash& measured : dashes_) {
    measured.dash.x = whiteness_.cols - 1 - measured.dash.x;
    measured.dash.cosine = -measured.dash.cosine;
  }
  ExpectTheSame(plain, "mirrored");
}

TEST_F(FeaturesOfDashes, AreTheSameUpsideDown) {
  Mottle();
  AddSome();
  const auto plain = Describe();
  cv::flip(whiteness_, whiteness_, -1);
  for (MeasuredDash& measured : dashes_) {
    measured.dash.x = whiteness_.cols - 1 - measured.dash.x;
    measured.dash.y = whiteness_.rows - 1 - measured.dash.y;
  }
  ExpectTheSame(plain, "turned");
}

TEST_F(FeaturesOfDashes, AreTheSameWhateverTheDirectionIsCalled) {
  Mottle();
  AddSome();
  const auto plain = Describe();
  for (MeasuredDash& measured : dashes_) {
    measured.dash.cosine = -measured.dash.cosine;
    measured.dash.sine = -measured.dash.sine;
  }
  ExpectTheSame(plain, "reversed");
}

TEST_F(FeaturesOfDashes, BeginWithWhatWasMeasured) {
  Add(150, 130);
  const DashFeatures features = Describe().front();
  // Half of the way from its ink to paper, (176, 92, 152), is gone.
  const std::array<double, 14> expected = {60,
                                           14,
                                           2.5,
                                           30,
                                           0.8,
                                           40,
                                           80,
                                           6,
                                           6 / 80.0,
                                           0.9,
                                           1,
                                           0.5,
                                           std::hypot(176, 92, 152),
                                           (148 + 186 + 146) / 690.0};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(features[i], expected[i], 1e-4) << "feature " << i;
  }
}

TEST_F(FeaturesOfDashes, TellThePlace) {
  Add(12, 140, 60);
  Add(287, 140, 60);
  Add(200, 251, 60);
  Add(150, 130, 60);
  const auto all = Describe();
  EXPECT_NEAR(all[0][kToRim], 12, 1e-4);
  EXPECT_NEAR(all[0][kInwards], 0.5, 1e-4) << "it runs along the side";
  EXPECT_NEAR(all[1][kToRim], 12, 1e-4);
  EXPECT_NEAR(all[1][kInwards], 0.5, 1e-4);
  EXPECT_NEAR(all[2][kToRim], 8, 1e-4);
  EXPECT_NEAR(all[2][kInwards], std::sqrt(0.75), 1e-4) << "it comes from the bottom";
  EXPECT_NEAR(all[3][kToRim], 100, 1e-4) << "further is no nearer";
}

TEST_F(FeaturesOfDashes, CountThoseAround) {
  Add(100, 100, 10);
  Add(120, 100, 20);
  Add(100, 150, 90);
  Add(100, 170, 10);
  const auto all = Describe();
  EXPECT_EQ(all[0][kCounts], 2) << "within 30 px";
  EXPECT_EQ(all[0][kCounts + 1], 3) << "within 60 px";
  EXPECT_EQ(all[0][kCounts + 2], 2) << "alike";
  EXPECT_EQ(all[3][kCounts], 2);
  EXPECT_EQ(all[3][kCounts + 1], 2);
  EXPECT_EQ(all[3][kCounts + 2], 1);
}

TEST_F(FeaturesOfDashes, TellASharpDashFromASoftOne) {
  whiteness_(cv::Rect(92, 99, 17, 3)).setTo(230);
  Add(100, 100, 0, 17);
  const auto sharp = Describe();
  EXPECT_NEAR(sharp[0][kBeside], 1, 1e-4) << "1 px across";
  EXPECT_NEAR(sharp[0][kBeside + 2], 0, 1e-4) << "2 px across";
  cv::GaussianBlur(whiteness_, whiteness_, {}, 2);
  const auto soft = Describe();
  EXPECT_GT(soft[0][kBeside + 2], 0.4);
  EXPECT_LT(soft[0][kBeside + 6], soft[0][kBeside + 2]) << "4 px across";
}

TEST_F(FeaturesOfDashes, TellTheWhiterSideFirst) {
  whiteness_(cv::Rect(92, 100, 17, 3)).setTo(230);
  Add(100, 100, 0, 17);
  const auto all = Describe();
  EXPECT_NEAR(all[0][kBeside], 1, 1e-4);
  EXPECT_NEAR(all[0][kBeside + 1], 0, 1e-4);
}

TEST_F(FeaturesOfDashes, TellWhatGoesOnBeyondAnEnd) {
  whiteness_(cv::Rect(92, 99, 60, 3)).setTo(230);
  Add(100, 100, 0, 17);
  const auto all = Describe();
  EXPECT_NEAR(all[0][kBeyond], 1, 1e-4);
  EXPECT_NEAR(all[0][kBeyond + 1], 0, 1e-4);
  EXPECT_NEAR(all[0][kBeyond + 2], 1, 1e-4);
  EXPECT_NEAR(all[0][kBeyond + 3], 0, 1e-4);
}

TEST_F(FeaturesOfDashes, TellBusyPrint) {
  Add(150.2, 120.3, 25);
  const auto even = Describe();
  Mottle();
  const auto busy = Describe();
  for (const std::size_t k : {kTexture, kPrintNear, kPrintNear + 1, kPrintNear + 2}) {
    EXPECT_NEAR(even[0][k], 0, 1e-4) << k;
    EXPECT_GT(busy[0][k], 0.5) << k;
  }
}

TEST_F(FeaturesOfDashes, TellHowMuchOfTheInkIsGone) {
  Add(100, 100);
  Add(100, 150);
  dashes_[1].dash.gain = 0.5 * dashes_[0].dash.gain;
  const auto all = Describe();
  EXPECT_NEAR(all[0][kLostShare], 0.5, 0.01);
  EXPECT_NEAR(all[1][kLostShare], 0.25, 0.005);
}

}  // namespace
}  // namespace glint::photometric
