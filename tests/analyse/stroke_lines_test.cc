// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/stroke_lines.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <utility>
#include <vector>

#include "base/mat.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

constexpr int kStrokeInk = 150, kStrokeWhite = 220, kStrokeOutline = 60, kStrokeUnit = 64;

/// An albedo of one ink with what is drawn on it, and a line along its slanting middle.
class StrokeLines : public testing::Test {
 protected:
  void Draw(cv::Point from, cv::Point to, int width, int grey) {
    cv::line(drawn_, from, to, cv::Scalar(grey), width);
  }

  bool IsStroke() const {
    ThreadPool pool(2);
    return AreStrokes({Pixels()}, Albedo(), {}, pool)[0];
  }

  std::vector<cv::Point> Pixels() const {
    cv::LineIterator way(drawn_, from_, to_);
    std::vector<cv::Point> pixels;
    for (int i = 0; i < way.count; ++i, ++way) pixels.push_back(way.pos());
    return pixels;
  }

  Plane Albedo() const {
    cv::Mat seen;
    cv::GaussianBlur(drawn_, seen, {}, 0.8);
    Plane albedo = Plane::Host({seen.cols, seen.rows}, PixelType::kS16);
    seen.convertTo(AsMat(albedo), CV_16S, kStrokeUnit);
    return albedo;
  }

  const cv::Point from_{40, 30}, to_{160, 70};

  cv::Mat drawn_{100, 200, CV_8U, cv::Scalar(kStrokeInk)};
};

TEST_F(StrokeLines, AreOutlinedOnBothSides) {
  Draw(from_, to_, 8, kStrokeOutline);
  Draw(from_, to_, 4, kStrokeWhite);
  EXPECT_TRUE(IsStroke());
}

TEST_F(StrokeLines, AreNotOutlinedOnOneSide) {
  Draw(from_ + cv::Point(0, 4), to_ + cv::Point(0, 4), 3, kStrokeOutline);
  Draw(from_, to_, 4, kStrokeWhite);
  EXPECT_FALSE(IsStroke());
}

TEST_F(StrokeLines, AreNotPaperAmidInk) {
  Draw(from_, to_, 4, kStrokeWhite);
  EXPECT_FALSE(IsStroke()) << "what is beside it is all one, and no outline";
  drawn_.setTo(kStrokeOutline);
  Draw(from_, to_, 4, kStrokeWhite);
  EXPECT_FALSE(IsStroke());
}

TEST_F(StrokeLines, AreNotCreasesWithShadows) {
  Draw(from_, to_, 8, kStrokeInk - 12);
  Draw(from_, to_, 4, kStrokeInk + 8);
  EXPECT_FALSE(IsStroke());
}

TEST_F(StrokeLines, AreOutlinedAlongMuchOfTheirLength) {
  const cv::Point fifth = from_ + (to_ - from_) / 5;
  Draw(from_, fifth, 8, kStrokeOutline);
  Draw(from_, to_, 4, kStrokeWhite);
  EXPECT_FALSE(IsStroke()) << "a crease may cross an outlined panel";
}

TEST_F(StrokeLines, AreNotShort) {
  Draw(from_, to_, 8, kStrokeOutline);
  Draw(from_, to_, 4, kStrokeWhite);
  std::vector<cv::Point> pixels = Pixels();
  pixels.resize(StrokeLineParams().min_places - 1);
  ThreadPool pool(1);
  EXPECT_FALSE(AreStrokes({pixels}, Albedo(), {}, pool)[0]);
  EXPECT_TRUE(AreStrokes({pixels}, Albedo(), {.min_places = 10}, pool)[0]);
}

TEST_F(StrokeLines, MayLieAtTheRim) {
  ThreadPool pool(1);
  const std::vector<std::vector<cv::Point>> lines = {{{0, 0}}, {}, {{199, 99}, {198, 99}}};
  EXPECT_EQ(AreStrokes(lines, Albedo(), {.min_places = 1}, pool), std::vector<bool>(3, false));
  EXPECT_FALSE(AreStrokes({{}}, Albedo(), {}, pool)[0]);
}

TEST_F(StrokeLines, AreTakenFromTheLinesAndFromWhatIsDrawn) {
  Draw(from_, to_, 8, kStrokeOutline);
  Draw(from_, to_, 4, kStrokeWhite);
  Lines lines{.ids = Plane::Host({200, 100}, PixelType::kS32),
              .mask = Plane::Host({200, 100}, PixelType::kU8),
              .paths = {}};
  AsMat(lines.ids).setTo(0);
  AsMat(lines.mask).setTo(0);
  for (const cv::Point at : Pixels()) AsMat(lines.ids).at<int>(at) = 1;
  AsMat(lines.ids)(cv::Rect(20, 90, 100, 1)).setTo(2);
  AsMat(lines.mask).setTo(255, AsMat(lines.ids) != 0);
  lines.paths.resize(2);
  ThreadPool pool(2);
  const Lines kept = DropStrokes(std::move(lines), Albedo(), {}, pool);
  EXPECT_EQ(kept.paths.size(), 1U);
  EXPECT_EQ(cv::countNonZero(AsMat(kept.ids) == 1), 100);
  EXPECT_EQ(cv::countNonZero(AsMat(kept.mask)), 100);
}

}  // namespace
}  // namespace glint::photometric
