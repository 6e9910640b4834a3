// SPDX-License-Identifier: Apache-2.0
// Optical flow of every backend.
#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

#include "base/mat.h"
#include "stages/parity.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

cv::Mat ByOpenCv(const Plane& previous, const Plane& next) {
  cv::Mat flow;
  cv::calcOpticalFlowFarneback(AsMat(previous), AsMat(next), flow, 0.5, 3, 15, 3, 5, 1.2, 0);
  return flow;
}

// The texture as the camera sees it after a small turn.
Plane Moved(const Plane& plane, double dx, double dy, double degrees) {
  const cv::Point2f centre(static_cast<float>(plane.width()) / 2,
                           static_cast<float>(plane.height()) / 2);
  cv::Mat turn = cv::getRotationMatrix2D(centre, degrees, 1);
  turn.at<double>(0, 2) += dx;
  turn.at<double>(1, 2) += dy;
  cv::Mat moved;
  cv::warpAffine(AsMat(plane), moved, turn, {plane.width(), plane.height()}, cv::INTER_LINEAR,
                 cv::BORDER_REFLECT_101);
  return AsPlane(moved);
}

double MeanLength(const cv::Mat& flow) {
  double sum = 0;
  for (int y = 0; y < flow.rows; ++y) {
    for (int x = 0; x < flow.cols; ++x) {
      const auto& vector = flow.at<cv::Vec2f>(y, x);
      sum += std::hypot(double{vector[0]}, double{vector[1]});
    }
  }
  return sum / static_cast<double>(flow.total());
}

// What share of all vectors is off by at most this many pixels.
double Within(const cv::Mat& flow, const cv::Mat& expected, double tolerance) {
  std::int64_t within = 0;
  for (int y = 0; y < flow.rows; ++y) {
    for (int x = 0; x < flow.cols; ++x) {
      within += cv::norm(flow.at<cv::Vec2f>(y, x) - expected.at<cv::Vec2f>(y, x)) <= tolerance;
    }
  }
  return static_cast<double>(within) / static_cast<double>(flow.total());
}

TEST_P(Parity, FlowOfAShiftedSquareIsItsShift) {
  const auto square = [](int dx, int dy) {
    Plane plane = Plane::Host({96, 80}, PixelType::kU8);
    cv::Mat mat = AsMat(plane);
    mat.setTo(40);
    AsMat(Texture({40, 32}, 3)).copyTo(mat(cv::Rect(28 + dx, 24 + dy, 40, 32)));
    return plane;
  };
  auto stage = backend().MakeFlow();
  ASSERT_THAT(stage, IsOk());
  const auto field = (*stage)->Field(Upload(square(0, 0)), Upload(square(3, -2)));
  ASSERT_THAT(field, IsOk());
  const Plane flow = Download(*field);
  ASSERT_EQ(flow.type(), PixelType::kF32x2);
  ASSERT_EQ(flow.size(), (Size{96, 80}));
  for (const auto& [x, y] : {std::pair{48, 40}, {38, 34}, {58, 46}}) {
    const auto* vector = flow.Row<float>(y) + std::ptrdiff_t{2} * x;
    EXPECT_NEAR(vector[0], 3, 0.1) << x << ", " << y;
    EXPECT_NEAR(vector[1], -2, 0.1) << x << ", " << y;
  }
}

TEST_P(Parity, FlowEqualsOpenCvs) {
  auto stage = backend().MakeFlow();
  ASSERT_THAT(stage, IsOk());
  std::uint32_t seed = 900;
  for (const Size size :
       {Size{16, 16}, Size{17, 33}, Size{64, 48}, Size{135, 101}, Size{320, 180}, Size{321, 61}}) {
    SCOPED_TRACE(ToString(size) + ", seed " + std::to_string(++seed));
    const Plane previous = Texture(size, seed);
    const Plane next = Moved(previous, 1.3, -0.8, 0.5);
    const auto field = (*stage)->Field(Upload(previous), Upload(next));
    ASSERT_THAT(field, IsOk());
    const Plane flow = Download(*field);
    ASSERT_EQ(flow.size(), size);
    const cv::Mat expected = ByOpenCv(previous, next);
    EXPECT_GE(Within(AsMat(flow), expected, 1e-3), 0.5);
    EXPECT_GE(Within(AsMat(flow), expected, 1e-2), 0.99);
    EXPECT_NEAR(MeanLength(AsMat(flow)), MeanLength(expected), 0.01);
  }
}

TEST_P(Parity, MeanLengthsAreThoseOfEachFrameAndTheOneBefore) {
  const Plane first = Texture({160, 90}, 1000);
  const Plane frames[] = {first, Moved(first, 2, 0, 0), Moved(first, 2, 0, 0),
                          Moved(first, 0.4, -0.3, 0.2), NoisePlane({160, 90}, 1001)};
  std::vector<Plane> uploaded;
  for (const Plane& frame : frames) uploaded.push_back(Upload(frame));
  auto stage = backend().MakeFlow();
  ASSERT_THAT(stage, IsOk());
  std::vector<double> lengths(4, -1);
  ASSERT_THAT((*stage)->MeanLengths(uploaded, lengths), IsOk());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto field = (*stage)->Field(uploaded[i], uploaded[i + 1]);
    ASSERT_THAT(field, IsOk());
    EXPECT_NEAR(lengths[i], MeanLength(AsMat(Download(*field))), 1e-4) << i;
    EXPECT_NEAR(lengths[i], MeanLength(ByOpenCv(frames[i], frames[i + 1])), 0.01) << i;
  }
  EXPECT_NEAR(lengths[0], 2, 0.1);
  EXPECT_NEAR(lengths[1], 0, 0.01);
}

TEST_P(Parity, FlowOfFlatFramesIsZero) {
  Plane black = Plane::Host({64, 48}, PixelType::kU8);
  AsMat(black).setTo(0);
  auto stage = backend().MakeFlow();
  ASSERT_THAT(stage, IsOk());
  const Plane frames[] = {Upload(black), Upload(black)};
  double length = -1;
  ASSERT_THAT((*stage)->MeanLengths(frames, {&length, 1}), IsOk());
  EXPECT_EQ(length, 0);
}

TEST_P(Parity, FlowRefusesFramesThatDoNotFit) {
  auto stage = backend().MakeFlow();
  ASSERT_THAT(stage, IsOk());
  const Plane frame = Upload(NoisePlane({32, 16}, 1));
  EXPECT_THAT((*stage)->Field(frame, Upload(NoisePlane({31, 16}, 1))),
              FailsWith(Reason::kInternal, testing::AllOf(HasSubstr("31x16"), HasSubstr("32x16"))));
  const Plane small = Upload(NoisePlane({32, 15}, 1));
  EXPECT_THAT((*stage)->Field(small, small), FailsWith(Reason::kInternal, HasSubstr("32x15")));
  const Plane frames[] = {frame, frame, frame};
  std::vector<double> lengths(3);
  EXPECT_THAT((*stage)->MeanLengths(frames, lengths),
              FailsWith(Reason::kInternal, HasSubstr("3 given, 4 needed")));
  EXPECT_THAT((*stage)->MeanLengths(std::span(frames).first(1), {}),
              FailsWith(Reason::kInternal, HasSubstr("at least two")));
}

}  // namespace
}  // namespace glint
