// SPDX-License-Identifier: Apache-2.0
// Farnebäck's flow on the CPU: every instruction set against the scalar specification, byte for
// byte, and the specification against OpenCV.
#include "stages/cpu/farneback/farneback.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

#include "base/mat.h"
#include "base/thread_pool.h"
#include "glint/video.h"
#include "stages/cpu/farneback/reference.h"
#include "stages/cpu/farneback/targets.h"
#include "stages/cpu/stages.h"
#include "stages/shared/farneback/parameters.h"
#include "stages/shared/flow_length.h"
#include "support/plane_compare.h"
#include "support/sanitized.h"
#include "support/shared_data.h"
#include "support/status_matchers.h"

namespace glint::farneback {
namespace {

struct Pair {
  std::string name;
  Plane previous;
  Plane next;
};

// Noise with blobs of a few pixels, as a turning and approaching camera sees it at time `t`.
Plane Paper(Size size, double t) {
  cv::Mat paper(size.height / 2 + 40, size.width / 2 + 40, CV_8U);
  cv::RNG(7).fill(paper, cv::RNG::UNIFORM, 0, 256);
  cv::GaussianBlur(paper, paper, {}, 1.2);
  cv::normalize(paper, paper, 0, 255, cv::NORM_MINMAX);
  const cv::Mat view = (cv::Mat_<double>(2, 3) << 2 + 0.02 * t, 0.03 * t, -20 - 1.3 * t,  //
                        -0.03 * t, 2 + 0.02 * t, -20 + 0.7 * t);
  cv::Mat frame;
  cv::warpAffine(paper, frame, view, {size.width, size.height}, cv::INTER_LINEAR,
                 cv::BORDER_REFLECT);
  return AsPlane(frame);
}

Plane Square(Size size, int x, int y) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  cv::Mat mat = AsMat(plane);
  mat.setTo(30);
  mat(cv::Rect(x, y, size.width / 2, size.height / 2)).setTo(220);
  return plane;
}

std::vector<Pair> Pairs(Size size) {
  const Plane flat = AsPlane(cv::Mat(size.height, size.width, CV_8U, cv::Scalar(255)));
  const Plane noise = NoisePlane(size, 1);
  return {{"paper", Paper(size, 0), Paper(size, 1)},
          {"far", Paper(size, 0), Paper(size, 9)},
          {"square", Square(size, 2, 3), Square(size, 5, 1)},
          {"noise", noise, NoisePlane(size, 2)},
          {"static", noise, noise},
          {"flat", flat, flat},
          {"appearing", flat, noise}};
}

std::int64_t SumOfLengths(const Plane& field) {
  std::int64_t sum = 0;
  for (int y = 0; y < field.height(); ++y) {
    const auto* row = field.Row<float>(y);
    for (int x = 0; x < field.width(); ++x, row += 2) sum += QuantisedLength(row[0], row[1]);
  }
  return sum;
}

double MeanLength(const Plane& field) {
  return MeanOfQuantisedLengths(SumOfLengths(field), field.size().area());
}

Plane ByOpenCv(const Plane& previous, const Plane& next) {
  cv::Mat flow;
  cv::calcOpticalFlowFarneback(AsMat(previous), AsMat(next), flow, 0.5, 3, 15, 3, 5, 1.2, 0);
  return AsPlane(flow);
}

// The mean length without rounding to units.
double ExactMeanLength(const Plane& field) {
  double sum = 0;
  for (int y = 0; y < field.height(); ++y) {
    const auto* row = field.Row<float>(y);
    for (int x = 0; x < field.width(); ++x, row += 2) sum += std::hypot(double{row[0]}, row[1]);
  }
  return sum / static_cast<double>(field.size().area());
}

// Pairs of neighbouring frames, spread over a video.
std::vector<Plane> Sample(const std::filesystem::path& file, int frames) {
  auto source = OpenVideo(file, {}, {});
  EXPECT_THAT(source, IsOk());
  std::vector<Plane> out;
  const std::int64_t pairs = frames / 2;
  const std::int64_t spread = (*source)->info().frames / pairs;
  for (std::int64_t i = 0; static_cast<int>(out.size()) < frames; ++i) {
    const auto frame = (*source)->Next();
    if (!frame.ok() || !frame->has_value()) break;
    if (i % spread == spread / 2 || i % spread == spread / 2 + 1) out.push_back((*frame)->luma);
  }
  EXPECT_EQ(out.size() % 2, 0U);
  return out;
}

class FarnebackTarget : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { UseTarget(GetParam()); }
  void TearDown() override { UseTarget(0); }
};

// Sizes with 0..3 coarser levels, with and without whole vectors, halves that round up and down,
// and two tiles: for two threads, and because a row is long.
constexpr Size kSizes[] = {{16, 16},  {17, 19},  {31, 33},   {63, 65},  {64, 64},  {71, 128},
                           {130, 97}, {163, 71}, {257, 134}, {320, 90}, {2075, 64}};

TEST_P(FarnebackTarget, GivesTheBytesOfTheSpecification) {
  ThreadPool pool(2);
  for (const Size size : kSizes) {
    Farneback farneback(size, pool);
    std::vector<Pair> pairs = Pairs(size);
    pairs.resize(FewerIfSanitized(pairs.size(), std::size_t{2}));  // two ways to move touch all
    for (const Pair& pair : pairs) {
      SCOPED_TRACE(ToString(size) + " " + pair.name);
      const Plane expected = ReferenceField(pair.previous, pair.next);
      ASSERT_TRUE(SameBytes(farneback.Field(pair.previous, pair.next), expected));
      farneback.Start(pair.previous);
      ASSERT_EQ(farneback.MeanLengthTo(pair.next), MeanLength(expected));
      ASSERT_EQ(farneback.MeanLength(pair.previous, pair.next), MeanLength(expected));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FarnebackTarget, testing::ValuesIn(RunnableTargets()),
                         [](const auto& target) { return hwy::TargetName(target.param); });

TEST(Farneback, KeepsTheExpansionOfEachFrameForTheNextPair) {
  const Size size{97, 70};
  std::vector<Plane> frames;
  frames.reserve(5);
  for (int i = 0; i < 5; ++i) frames.push_back(Paper(size, i * i));
  ThreadPool pool(1);
  Farneback farneback(size, pool);
  farneback.Start(frames[0]);
  for (std::size_t i = 1; i < frames.size(); ++i) {
    EXPECT_EQ(farneback.MeanLengthTo(frames[i]),
              MeanLength(ReferenceField(frames[i - 1], frames[i])))
        << i;
  }
}

TEST(Farneback, KnowsWhichFramesItHasExpanded) {
  const Size size{97, 70};
  std::vector<Plane> frames;
  frames.reserve(4);
  for (int i = 0; i < 4; ++i) frames.push_back(Paper(size, i * i));
  ThreadPool pool(1);
  Farneback farneback(size, pool);
  // One frame against several, as in registering; pairs that share a frame, and that share none.
  for (const auto& [from, to] : {std::pair{0, 1}, {0, 2}, {0, 2}, {2, 3}, {3, 2}, {0, 1}, {2, 0}}) {
    SCOPED_TRACE(fmt::format("{} to {}", from, to));
    const Plane expected = ReferenceField(frames[from], frames[to]);
    EXPECT_TRUE(SameBytes(farneback.Field(frames[from], frames[to]), expected));
    farneback.Start(frames[from]);
    EXPECT_EQ(farneback.MeanLengthTo(frames[to]), MeanLength(expected));
    EXPECT_EQ(farneback.MeanLength(frames[from], frames[to]), MeanLength(expected));
  }
}

TEST(Farneback, GivesTheSameForAnyNumberOfThreads) {
  const Size size{523, 67};  // up to four tiles, of odd widths
  std::vector<Plane> frames;
  frames.reserve(4);
  for (int i = 0; i < 4; ++i) frames.push_back(Paper(size, 2 * i));
  const Plane expected = ReferenceField(frames[0], frames[1]);
  std::vector<double> lengths;
  lengths.reserve(frames.size());
  for (std::size_t i = 1; i < frames.size(); ++i)
    lengths.push_back(MeanLength(ReferenceField(frames[i - 1], frames[i])));
  for (const int threads : {1, 2, 3, 9}) {
    SCOPED_TRACE(threads);
    ThreadPool pool(threads);
    const auto stage = MakeCpuFlow(&pool);
    std::vector<double> measured(lengths.size());
    ASSERT_THAT(stage->MeanLengths(frames, measured), IsOk());
    EXPECT_EQ(measured, lengths);
    const auto field = stage->Field(frames[0], frames[1]);
    ASSERT_THAT(field, IsOk());
    EXPECT_TRUE(SameBytes(*field, expected));
  }
}

TEST(CpuFlow, TakesFramesOfAnotherSizeNext) {
  ThreadPool pool(2);
  const auto stage = MakeCpuFlow(&pool);
  for (const Size size : {Size{300, 64}, Size{40, 200}, Size{300, 64}}) {
    const auto field = stage->Field(Paper(size, 0), Paper(size, 1));
    ASSERT_THAT(field, IsOk());
    EXPECT_TRUE(SameBytes(*field, ReferenceField(Paper(size, 0), Paper(size, 1))));
  }
}

TEST(Farneback, ReadsFramesWhoseRowsLieApart) {
  const Plane wide = Paper({150, 80}, 0);
  const Plane next = Paper({150, 80}, 1);
  const cv::Rect part(13, 9, 101, 61);
  const auto cut = [&](const Plane& plane) { return AsPlane(AsMat(plane)(part)); };
  const auto copy = [&](const Plane& plane) { return AsPlane(AsMat(plane)(part).clone()); };
  ThreadPool pool(1);
  Farneback farneback({101, 61}, pool);
  EXPECT_TRUE(
      SameBytes(farneback.Field(cut(wide), cut(next)), farneback.Field(copy(wide), copy(next))));
}

TEST(Farneback, MovesASquareByItsShift) {
  // Inside the window's reach of two of its sides, where they determine the shift.
  const Plane field = ReferenceField(Square({96, 80}, 20, 20), Square({96, 80}, 23, 18));
  constexpr std::ptrdiff_t kColumn = 22;
  const auto* vector = field.Row<float>(22) + 2 * kColumn;
  EXPECT_NEAR(vector[0], 3, 0.1);
  EXPECT_NEAR(vector[1], -2, 0.1);
}

TEST(Farneback, FindsNextToNoMotionInAStaticPair) {
  // The method takes the last column and row for outside, even where nothing moves.
  const Plane frame = Paper({160, 120}, 0);
  const Plane field = ReferenceField(frame, frame);
  EXPECT_LT(MeanLength(field), 1e-3);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 80; ++x) {
      ASSERT_LT(std::abs(field.Row<float>(y)[x]), 1e-4) << x / 2 << ", " << y;
    }
  }
}

TEST(Farneback, EqualsOpenCvOnRealVideos) {
  GLINT_NEEDS_SHARED_DATA();
  std::vector<double> errors;  // relative, of the mean length
  ThreadPool pool(2);
  for (const char* clip : {"scans/s4_page_720p_600f.mp4", "scans/s2_cover_1080p.mp4"}) {
    const std::vector<Plane> frames = Sample(*SharedData() / clip, FewerIfSanitized(24, 4));
    for (std::size_t i = 1; i < frames.size(); i += 2) {
      SCOPED_TRACE(fmt::format("{}, sampled pair {}", clip, i / 2));
      Farneback farneback(frames[i].size(), pool);
      farneback.Start(frames[i - 1]);
      const double ours = farneback.MeanLengthTo(frames[i]);
      const double theirs = ExactMeanLength(ByOpenCv(frames[i - 1], frames[i]));
      EXPECT_NEAR(ours, theirs, 0.01);
      for (const double limit : {0.5, 1.0, 2.0, 3.0}) EXPECT_EQ(ours <= limit, theirs <= limit);
      errors.push_back(std::abs(ours / theirs - 1));
    }
  }
  std::sort(errors.begin(), errors.end());
  RecordProperty("median", fmt::format("{:.1e}", errors[errors.size() / 2]));
  EXPECT_LE(errors[errors.size() / 2], 1e-6);
  EXPECT_LE(errors.back(), 1e-3);
}

TEST(Farneback, EqualsOpenCvWhereThereIsTexture) {
  for (const Size size : {Size{16, 16}, Size{37, 95}, Size{320, 180}, Size{317, 243}}) {
    for (const double t : {0.2, 1.0, 3.0}) {
      SCOPED_TRACE(ToString(size) + fmt::format(" at {}", t));
      const Plane previous = Paper(size, 0);
      const Plane next = Paper(size, t);
      const Plane ours = ReferenceField(previous, next);
      const Plane theirs = ByOpenCv(previous, next);
      EXPECT_NEAR(MeanLength(ours) / MeanLength(theirs), 1, 1e-6);
      EXPECT_LT(cv::norm(AsMat(ours), AsMat(theirs), cv::NORM_L1) / (2.0 * size.area()), 1e-5);
    }
  }
}

TEST(Kernels, FitAQuadraticExactly) {
  // 2 + 3 x + 5 x^2 sampled around 0: the smoothed value aside, its slope and curvature.
  const PolynomialKernels& kernels = Kernels();
  double slope = 0;
  double curvature = kernels.curvature[0] * 2.0;
  for (int k = 1; k <= kPolyRadius; ++k) {
    const double left = 2.0 - 3 * k + 5 * k * k;
    const double right = 2.0 + 3 * k + 5 * k * k;
    slope += kernels.slope[k] * (right - left);
    curvature += kernels.curvature[k] * (right + left);
  }
  EXPECT_NEAR(slope, 3.0 / 2, 1e-6);
  EXPECT_NEAR(curvature, 5.0 / 2, 1e-6);
}

TEST(Geometry, HalvesFramesAsLongAsTheirSidesStayLong) {
  const auto sizes = [](Size size) {
    std::vector<Size> levels;
    for (const LevelGeometry& level : Geometry(size).levels) levels.push_back(level.size);
    return levels;
  };
  EXPECT_EQ(sizes({16, 16}), (std::vector<Size>{{16, 16}}));
  EXPECT_EQ(sizes({63, 500}), (std::vector<Size>{{63, 500}}));
  EXPECT_EQ(sizes({127, 131}), (std::vector<Size>{{127, 131}, {64, 66}}));
  EXPECT_EQ(sizes({854, 480}), (std::vector<Size>{{854, 480}, {427, 240}, {214, 120}, {107, 60}}));
}

TEST(QuantisedLength, RoundsAndEndsAtTheLongest) {
  constexpr std::int64_t kLongest = std::int64_t{1} << 30;
  EXPECT_EQ(QuantisedLength(3, -4), 5 * 65536);
  EXPECT_EQ(QuantisedLength(0, 1.5F / 65536), 2);
  EXPECT_EQ(QuantisedLength(0, 0), 0);
  EXPECT_EQ(QuantisedLength(1e30F, 1), kLongest);
  EXPECT_EQ(QuantisedLength(std::numeric_limits<float>::quiet_NaN(), 0), kLongest);
}

/// Resident memory of this process.
std::int64_t ResidentMegabytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  file >> pages >> pages;
  return pages * 4096 >> 20;
}

TEST(Farneback, TakesMemoryByItsPixelsAndNotByTheSquareOfTheirWidth) {
  constexpr Size kStrip{65'500, 16};
  ThreadPool pool(2);
  const std::int64_t before = ResidentMegabytes();
  Farneback flow(kStrip, pool);
  EXPECT_EQ(flow.Field(Square(kStrip, 10, 2), Square(kStrip, 12, 3)).size(), kStrip);
  EXPECT_LT(ResidentMegabytes() - before, 400) << "a strip of 1 MP";
}

}  // namespace
}  // namespace glint::farneback
