// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/edge_pixels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <opencv2/core.hpp>

namespace glint {
namespace {

/// Lengths 0..99 of noise, and thresholds of 60 and 80.
struct Drawing {
  ColourGradient gradient;
  cv::Mat threshold;

  explicit Drawing(cv::Size size)
      : gradient{cv::Mat(size, CV_32F), cv::Mat(size, CV_32FC2)}, threshold(size, CV_32F) {
    cv::RNG random(7);
    random.fill(gradient.length, cv::RNG::UNIFORM, 0, 100);
    random.fill(gradient.normal, cv::RNG::UNIFORM, -1, 1);
    for (int x = 0; x < size.width; ++x) threshold.col(x).setTo(x % 2 == 0 ? 60 : 80);
  }
  bool IsEdge(int x, int y) const {
    return x >= 0 && y >= 0 && x < threshold.cols && y < threshold.rows &&
           gradient.length.at<float>(y, x) > threshold.at<float>(y, x);
  }
};

TEST(EdgePixels, KeepWhatCanBeAnEdgeAndNothingElse) {
  for (const cv::Size size : {cv::Size(1, 1), {15, 3}, {16, 4}, {17, 5}, {100, 60}}) {
    const Drawing drawing(size);
    const EdgePixels pixels(drawing.gradient, drawing.threshold, 60);
    ASSERT_EQ(pixels.size(), (Size{size.width, size.height}));
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        const float length = drawing.gradient.length.at<float>(y, x);
        const EdgePixels::Pixel* pixel = pixels.At(x, y);
        if (length <= 60 && length >= 59) continue;  // may be kept
        ASSERT_EQ(pixel != nullptr, length > 60) << x << ", " << y;
        if (pixel == nullptr) continue;
        EXPECT_EQ(pixel->length, length);
        EXPECT_EQ(pixel->normal, drawing.gradient.normal.at<cv::Vec2f>(y, x));
        EXPECT_EQ(pixel->threshold, drawing.threshold.at<float>(y, x));
      }
    }
  }
}

TEST(EdgePixels, KnowWhatLiesBesideAnEdge) {
  const Drawing drawing({50, 20});
  const EdgePixels pixels(drawing.gradient, drawing.threshold, 60);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 50; ++x) {
      bool near = false;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) near |= drawing.IsEdge(x + dx, y + dy);
      }
      EXPECT_EQ(pixels.IsNear(x, y), near) << x << ", " << y;
    }
  }
}

}  // namespace
}  // namespace glint
