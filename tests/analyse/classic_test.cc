// SPDX-License-Identifier: Apache-2.0
#include "analyse/classic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "analyse/cpu_stages.h"
#include "base/mat.h"
#include "support/plane_compare.h"

namespace glint {
namespace {

using testing::HasSubstr;

/// The detector in double precision by OpenCV's calls, written from its description alone.
struct Oracle {
  cv::Mat score;  // CV_64F
  cv::Mat mask;   // CV_8U
};

cv::Mat Unit(const cv::Mat& map) {
  double top = 0;
  cv::minMaxLoc(map, nullptr, &top);
  return top > 0 ? cv::Mat(map / top) : cv::Mat::zeros(map.size(), CV_64F);
}

cv::Mat PictureScore(const cv::Mat& grey) {
  cv::Mat edges = cv::Mat::zeros(grey.size(), CV_64F);
  for (const auto& [low, high, weight] :
       {std::tuple(15, 60, 0.50), std::tuple(30, 100, 0.35), std::tuple(50, 150, 0.15)}) {
    cv::Mat canny;
    cv::Canny(grey, canny, low, high);
    canny.convertTo(canny, CV_64F);
    edges += weight * canny;
  }
  cv::Mat laplacian, gx, gy, gradient, values, mean, mean_square, deviation;
  cv::Laplacian(grey, laplacian, CV_64F);
  cv::Sobel(grey, gx, CV_64F, 1, 0);
  cv::Sobel(grey, gy, CV_64F, 0, 1);
  cv::magnitude(gx, gy, gradient);
  grey.convertTo(values, CV_64F);
  cv::blur(values, mean, {5, 5});
  cv::blur(values.mul(values), mean_square, {5, 5});
  cv::sqrt(cv::max(mean_square - mean.mul(mean), 0), deviation);
  return 0.45 * Unit(edges) + 0.25 * Unit(cv::abs(laplacian)) + 0.20 * Unit(gradient) +
         0.10 * Unit(deviation);
}

Oracle ByOpenCv(const std::vector<Plane>& pictures) {
  const cv::Size size(pictures[0].width(), pictures[0].height());
  Oracle oracle{.score = cv::Mat::zeros(size, CV_64F), .mask = {}};
  cv::Mat sum = cv::Mat::zeros(size, CV_64F);
  cv::Mat square_sum = cv::Mat::zeros(size, CV_64F);
  for (const Plane& picture : pictures) {
    oracle.score = cv::max(oracle.score, PictureScore(AsMat(picture)));
    cv::Mat values;
    AsMat(picture).convertTo(values, CV_64F);
    sum += values;
    square_sum += values.mul(values);
  }
  if (pictures.size() > 1) {
    const auto count = static_cast<double>(pictures.size());
    const cv::Mat variance = square_sum / count - sum.mul(sum) / (count * count);
    oracle.score = 0.75 * oracle.score + 0.25 * Unit(variance);
  }
  cv::Scalar mean, deviation;
  cv::meanStdDev(oracle.score, mean, deviation);
  oracle.mask = oracle.score > mean[0] + 0.3 * deviation[0];
  cv::morphologyEx(oracle.mask, oracle.mask, cv::MORPH_CLOSE, cv::Mat::ones(2, 2, CV_8U));
  return oracle;
}

/// Pictures of one surface: soft texture and strokes, with a mark that only some of them show.
std::vector<Plane> DrawPictures(Size size, int count) {
  std::vector<Plane> pictures;
  for (int i = 0; i < count; ++i) {
    cv::Mat picture;
    cv::GaussianBlur(AsMat(NoisePlane(size, 5)), picture, {0, 0}, 2.5);
    cv::rectangle(picture, {size.width / 5, size.height / 5}, {size.width / 2, size.height / 2},
                  200, 3);
    cv::putText(picture, "KRAK", {5, size.height * 3 / 4}, cv::FONT_HERSHEY_PLAIN, 3, 30, 2);
    if (i % 2 == 1) cv::line(picture, {size.width / 2, 4}, {size.width - 9, size.height - 5}, 240);
    cv::Mat noise = AsMat(NoisePlane(size, static_cast<std::uint32_t>(100 + i))) / 64;
    pictures.push_back(AsPlane(picture + noise));
  }
  return pictures;
}

Plane Flat(Size size, int value) {
  return AsPlane(cv::Mat(size.height, size.width, CV_8U, cv::Scalar(value)));
}

TEST(Classic, AgreesWithDoublePrecisionByOpenCv) {
  CpuStages cpu(2);
  struct Case {
    Size size;
    int pictures;
  };
  for (const Case& c : {Case{{320, 240}, 5}, Case{{321, 201}, 2}, Case{{200, 300}, 1}}) {
    SCOPED_TRACE(ToString(c.size));
    const std::vector<Plane> pictures = DrawPictures(c.size, c.pictures);
    const auto result = DetectClassic(pictures, cpu.stages);
    ASSERT_THAT(result, IsOk());
    const Oracle oracle = ByOpenCv(pictures);
    cv::Mat score;
    AsMat(result->score).convertTo(score, CV_64F, 1.0 / (1 << ClassicFusionStage::kScoreBits));
    EXPECT_LE(cv::norm(score, oracle.score, cv::NORM_INF), 2e-6);
    const int differing = cv::countNonZero(AsMat(result->mask) != oracle.mask);
    EXPECT_LE(differing, c.size.area() / 1000);
    EXPECT_GT(cv::countNonZero(oracle.mask), c.size.area() / 20);  // there is something to compare
    ASSERT_EQ(result->picture_masks.size(), static_cast<std::size_t>(c.pictures));
    for (int i = 0; i < c.pictures; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Oracle alone = ByOpenCv({pictures[k]});
      EXPECT_LE(cv::countNonZero(AsMat(result->picture_masks[k]) != alone.mask),
                c.size.area() / 1000);
    }
  }
}

TEST(Classic, GivesTheSameBytesForEveryNumberOfThreads) {
  const std::vector<Plane> pictures = DrawPictures({257, 190}, 3);
  CpuStages one(1);
  const auto expected = DetectClassic(pictures, one.stages);
  ASSERT_THAT(expected, IsOk());
  for (const int threads : {2, 4}) {
    CpuStages cpu(threads);
    const auto result = DetectClassic(pictures, cpu.stages);
    ASSERT_THAT(result, IsOk());
    EXPECT_TRUE(SameBytes(result->score, expected->score));
    EXPECT_TRUE(SameBytes(result->mask, expected->mask));
  }
}

TEST(Classic, MarksNothingWhereThereIsNothing) {
  CpuStages cpu(1);
  const Size size{40, 30};
  for (const auto& pictures :
       {std::vector{Flat(size, 0)}, std::vector{Flat(size, 0), Flat(size, 0)},
        std::vector{Flat(size, 255)}, std::vector{Flat(size, 90), Flat(size, 120)}}) {
    const auto result = DetectClassic(pictures, cpu.stages);
    ASSERT_THAT(result, IsOk());
    EXPECT_EQ(cv::countNonZero(AsMat(result->mask)), 0);
  }
}

TEST(Classic, LeavesThreeQuartersOfTheScoreToIdenticalPictures) {
  CpuStages cpu(1);
  const std::vector<Plane> once = DrawPictures({160, 120}, 1);
  const auto single = DetectClassic(once, cpu.stages);
  const auto repeated = DetectClassic(std::vector{once[0], once[0], once[0]}, cpu.stages);
  ASSERT_THAT(single, IsOk());
  ASSERT_THAT(repeated, IsOk());
  cv::Mat expected;
  AsMat(single->score).convertTo(expected, CV_64F, 0.75);
  cv::Mat score;
  AsMat(repeated->score).convertTo(score, CV_64F);
  EXPECT_LE(cv::norm(score, expected, cv::NORM_INF), 1.0);
}

TEST(Classic, RefusesNoPicturesAndPicturesOfTwoSizes) {
  CpuStages cpu(1);
  EXPECT_THAT(DetectClassic({}, cpu.stages), FailsWith(Reason::kInternal, HasSubstr("classic: ")));
  EXPECT_THAT(DetectClassic(std::vector{Flat({8, 8}, 1), Flat({9, 8}, 1)}, cpu.stages),
              FailsWith(Reason::kInternal, HasSubstr("9x8")));
}

}  // namespace
}  // namespace glint
