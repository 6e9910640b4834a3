// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_model.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/lost_ink/paper_dashes.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

const cv::Scalar kGreenInk(60, 140, 70), kSheetPaper(236, 232, 222);

/// A sheet of one ink with a margin of paper below it, seen by a camera with some noise.
class EvidenceOfDashes : public testing::Test {
 protected:
  EvidenceOfDashes() { Clear(); }

  /// Draws five strokes of paper along one line.
  /// @param share  of the ink that is gone
  void Draw(double length, int width, double blur_px, double share) {
    cv::Mat strokes(sheet_.size(), CV_8U, cv::Scalar(0));
    const auto at = [](double along) {
      constexpr double kTurn = 25 * std::numbers::pi / 180;
      return cv::Point(static_cast<int>(std::lround(16 * (80 + along * std::cos(kTurn)))),
                       static_cast<int>(std::lround(16 * (60 + along * std::sin(kTurn)))));
    };
    for (int i = 0; i < 5; ++i) {
      cv::line(strokes, at(30 * i), at(30 * i + length), cv::Scalar(255), width, cv::LINE_AA, 4);
    }
    cv::GaussianBlur(strokes, strokes, {}, blur_px);
    cv::normalize(strokes, strokes, 255 * share, 0, cv::NORM_INF);
    for (int y = 0; y < sheet_.rows; ++y) {
      for (int x = 0; x < sheet_.cols; ++x) {
        const double gone = strokes.at<std::uint8_t>(y, x) / 255.0;
        auto& pixel = sheet_.at<cv::Vec3b>(y, x);
        for (int c = 0; c < 3; ++c) {
          pixel[c] = cv::saturate_cast<std::uint8_t>(pixel[c] + gone * (kSheetPaper[c] - pixel[c]));
        }
      }
    }
  }

  void DrawCrisp(double share = 0.8) { Draw(8, 1, 0.7, share); }

  std::vector<PaperDash> Find(int threads = 2) const {
    cv::Mat noise(sheet_.size(), CV_8UC3);
    cv::RNG(11).fill(noise, cv::RNG::UNIFORM, 0, 5);
    const cv::Mat seen = sheet_ + noise;
    ThreadPool pool(threads);
    const cv::Mat surface(sheet_.size(), CV_8U, cv::Scalar(255));
    return FindPaperDashes(seen, surface, {.candidates = {.min_evidence = -100}}, pool).candidates;
  }

  void Clear() {
    sheet_.setTo(kGreenInk);
    sheet_(cv::Rect(0, 230, sheet_.cols, 30)).setTo(kSheetPaper);
  }

  cv::Mat sheet_ = cv::Mat(260, 300, CV_8UC3);
};

// Other trees say something else here, and so do most other ways to measure what they were taught
// with: then bench/lost_ink/train.py has been run, or has to be.
TEST_F(EvidenceOfDashes, IsWhatTheTreesWereTaught) {
  DrawCrisp();
  const auto found = Find();
  ASSERT_EQ(found.size(), 5U);
  constexpr std::array kTaught = {10.0161, 9.7044, 10.0145, 10.0358, 9.6911};
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].evidence, kTaught[i], 1e-4) << i;
  }
}

TEST_F(EvidenceOfDashes, IsPositiveWhereInkIsGone) {
  DrawCrisp();
  const auto found = Find();
  ASSERT_EQ(found.size(), 5U);
  for (const PaperDash& dash : found) EXPECT_GT(dash.evidence, 0) << dash.x;
}

TEST_F(EvidenceOfDashes, IsLessForTheStrokesOfABrush) {
  DrawCrisp(0.48);
  const auto crisp = Find();
  Clear();
  Draw(12, 4, 2, 1);
  const auto soft = Find();
  ASSERT_EQ(crisp.size(), 5U);
  ASSERT_EQ(soft.size(), 5U);
  for (std::size_t i = 0; i < soft.size(); ++i) {
    EXPECT_NEAR(soft[i].contrast, crisp[i].contrast, 10);
    EXPECT_LT(soft[i].evidence, crisp[i].evidence - 2) << i;
  }
}

TEST_F(EvidenceOfDashes, IsTheSameOnAnyNumberOfThreads) {
  DrawCrisp();
  const auto alone = Find(1);
  EXPECT_EQ(alone.size(), 5U);
  EXPECT_EQ(alone, Find(4));
}

}  // namespace
}  // namespace glint::photometric
