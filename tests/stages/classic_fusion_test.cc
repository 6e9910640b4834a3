// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

#include "stages/cpu/stages.h"
#include "stages/shared/classic_arithmetic.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kOne = 1 << ClassicFusionStage::kScoreBits;

template <class T>
Plane RowOf(PixelType type, std::initializer_list<T> values) {
  Plane plane = Plane::Host({static_cast<int>(values.size()), 1}, type);
  std::ranges::copy(values, plane.Row<T>(0));
  return plane;
}
Plane Bytes(std::initializer_list<std::uint8_t> values) { return RowOf(PixelType::kU8, values); }
Plane Integers(std::initializer_list<std::int32_t> values) {
  return RowOf(PixelType::kS32, values);
}

std::vector<int> Values(const Plane& plane) {
  const auto* row = plane.Row<std::int32_t>(0);
  return {row, row + plane.width()};
}

/// Scores in thousandths, rounded.
std::vector<int> Thousandths(const absl::StatusOr<Plane>& score) {
  EXPECT_THAT(score, IsOk());
  if (!score.ok()) return {};
  std::vector<int> values = Values(*score);
  for (int& value : values) value = static_cast<int>(std::lround(1000.0 * value / kOne));
  return values;
}

ClassicEvidence Nothing() {
  const Plane none = Bytes({0, 0, 0});
  const Plane zero = Integers({0, 0, 0});
  return {{none, none, none}, {zero, zero, zero}};
}

class ClassicFusion : public testing::Test {
 protected:
  ThreadPool pool_{1};
  std::unique_ptr<ClassicFusionStage> fusion_ = MakeCpuClassicFusion(&pool_);
};

TEST_F(ClassicFusion, WeighsEveryMapByItsOwnMaximum) {
  const std::vector<Plane> greys = {Bytes({9, 9, 9})};
  const Plane all = Bytes({255, 255, 0});
  const Plane one = Bytes({255, 0, 0});
  const Plane none = Bytes({0, 0, 0});
  const Plane zero = Integers({0, 0, 0});
  struct Case {
    const char* name;
    ClassicEvidence evidence;
    std::vector<int> thousandths;
  };
  const Case cases[] = {
      {"edges", {{all, one, one}, {zero, zero, zero}}, {450, 225, 0}},
      {"weak edges only", {{none, none, one}, {zero, zero, zero}}, {450, 0, 0}},
      {"Laplacian", {{none, none, none}, {Integers({0, 5, 20}), zero, zero}}, {0, 63, 250}},
      {"gradient length",
       {{none, none, none}, {zero, Integers({400, 100, 0}), zero}},
       {200, 100, 0}},
      {"deviation", {{none, none, none}, {zero, zero, Integers({1, 25, 100})}}, {10, 50, 100}},
      {"all of them",
       {{one, one, one}, {Integers({3, 0, 0}), Integers({4, 0, 0}), Integers({5, 0, 0})}},
       {1000, 0, 0}},
      {"nothing", Nothing(), {0, 0, 0}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Thousandths(fusion_->Score({&c.evidence, 1}, greys, {})), c.thousandths);
  }
}

TEST_F(ClassicFusion, TakesTheLargestOverPicturesAndTheirVarianceOverTime) {
  std::vector<ClassicEvidence> evidence = {Nothing(), Nothing()};
  evidence[0].detail.laplacian = Integers({10, 0, 5});
  evidence[1].detail.laplacian = Integers({0, 100, 100});
  // Best 0.25 everywhere; the variance of grey is 0, 25 and 100.
  const std::vector<Plane> greys = {Bytes({8, 0, 20}), Bytes({8, 10, 0})};
  EXPECT_THAT(Thousandths(fusion_->Score(evidence, greys, {})), ElementsAre(188, 250, 438));
}

TEST_F(ClassicFusion, SharesTheScoreAsItsParamsSay) {
  const std::vector<Plane> greys = {Bytes({9, 9, 9})};
  const Plane one = Bytes({255, 0, 0}), two = Bytes({255, 255, 0});
  const Plane zero = Integers({0, 0, 0});
  const ClassicEvidence evidence{{two, one, one}, {Integers({0, 5, 20}), zero, zero}};
  const ClassicFusionParams params{.weak_edges_percent = 20,
                                   .middle_edges_percent = 40,
                                   .strong_edges_percent = 40,
                                   .edges_share = 0.5,
                                   .laplacian_share = 0.4};
  EXPECT_THAT(Thousandths(fusion_->Score({&evidence, 1}, greys, params)),
              ElementsAre(500, 200, 400));
  EXPECT_THAT(fusion_->Score({&evidence, 1}, greys, {.temporal_share = 1.1}),
              FailsWith(Reason::kInvalidOption, HasSubstr("temporal_share")));
}

TEST_F(ClassicFusion, GivesNoVarianceToIdenticalPictures) {
  std::vector<ClassicEvidence> evidence(2, Nothing());
  evidence[0].detail.laplacian = Integers({10, 0, 5});
  const std::vector<Plane> greys = {Bytes({8, 0, 20}), Bytes({8, 0, 20})};
  EXPECT_THAT(Thousandths(fusion_->Score(evidence, greys, {})), ElementsAre(188, 0, 94));
}

TEST_F(ClassicFusion, MarksAboveMeanPlusDeviations) {
  // Mean 2, standard deviation sqrt(2): thresholds 2 and 2.42 and 3.41.
  const Plane score = Integers({0, 1, 2, 3, 4});
  const auto marked = [&](double deviations) {
    const auto mask = fusion_->Mask(score, deviations);
    EXPECT_THAT(mask, IsOk());
    const auto* row = mask->Row<std::uint8_t>(0);
    return std::vector<int>(row, row + 5);
  };
  EXPECT_THAT(marked(0), ElementsAre(0, 0, 0, 255, 255));
  EXPECT_THAT(marked(0.3), ElementsAre(0, 0, 0, 255, 255));
  EXPECT_THAT(marked(1), ElementsAre(0, 0, 0, 0, 255));
  EXPECT_THAT(marked(1e9), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(marked(-1e9), ElementsAre(255, 255, 255, 255, 255));
}

TEST_F(ClassicFusion, MarksNothingOnAFlatScore) {
  for (const int value : {0, 1, kOne}) {
    const auto mask = fusion_->Mask(Integers({value, value, value}), 0.3);
    ASSERT_THAT(mask, IsOk());
    EXPECT_TRUE(SameBytes(*mask, Bytes({0, 0, 0}))) << value;
  }
}

TEST(ClassicThreshold, IsExactWhereSixtyFourBitsWouldOverflow) {
  // Half of 2^26 pixels score 1, half 0: mean and standard deviation are one half.
  const std::int64_t pixels = std::int64_t{1} << 26;
  const classic::ScoreSums sums{.pixels = pixels,
                                .sum = pixels / 2 * kOne,
                                .square_sum = classic::Int128{pixels / 2} * kOne * kOne};
  EXPECT_EQ(classic::MaskThreshold(sums, 0), kOne / 2);
  EXPECT_EQ(classic::MaskThreshold(sums, 0.5), kOne * 3 / 4);
}

TEST(ClassicTemporalVariance, IsExactForAsManyPicturesAsAreAllowed) {
  // 127 pictures of 0 and 128 of 255: 255 * 128 * 255^2 - (128 * 255)^2.
  EXPECT_EQ(classic::TemporalVariance(255, 128 * 255, 128 * 255 * 255), 127 * 128 * 65025);
}

TEST_F(ClassicFusion, GivesTheSameBytesForEveryNumberOfThreads) {
  const Size size{157, 203};
  std::vector<ClassicEvidence> evidence(3);
  std::vector<Plane> greys;
  std::uint32_t seed = 1;
  const auto integers = [&](int scale) {
    const Plane noise = NoisePlane(size, seed++);
    Plane plane = Plane::Host(size, PixelType::kS32);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x)
        plane.Row<std::int32_t>(y)[x] = scale * noise.Row<std::uint8_t>(y)[x];
    }
    return plane;
  };
  for (ClassicEvidence& picture : evidence) {
    for (Plane& edges : picture.edges) edges = NoisePlane(size, seed++);
    picture.detail = {integers(4), integers(8000), integers(40'000)};
    greys.push_back(NoisePlane(size, seed++));
  }
  const auto expected = fusion_->Score(evidence, greys, {});
  ASSERT_THAT(expected, IsOk());
  const auto expected_mask = fusion_->Mask(*expected, 0.3);
  for (const int threads : {2, 5}) {
    ThreadPool pool(threads);
    const auto fusion = MakeCpuClassicFusion(&pool);
    const auto score = fusion->Score(evidence, greys, {});
    ASSERT_THAT(score, IsOk());
    EXPECT_TRUE(SameBytes(*score, *expected));
    EXPECT_TRUE(SameBytes(*fusion->Mask(*score, 0.3), *expected_mask));
  }
}

TEST_F(ClassicFusion, RefusesWhatDoesNotBelongTogether) {
  const std::vector<Plane> greys = {Bytes({1, 2, 3})};
  const std::vector<ClassicEvidence> evidence = {Nothing()};
  EXPECT_THAT(fusion_->Score({}, {}, {}), FailsWith(Reason::kInternal, HasSubstr("0 picture")));
  EXPECT_THAT(fusion_->Score(evidence, {}, {}),
              FailsWith(Reason::kInternal, HasSubstr("evidence of 1")));
  const std::vector<Plane> wider = {Bytes({1, 2, 3, 4})};
  EXPECT_THAT(fusion_->Score(evidence, wider, {}),
              FailsWith(Reason::kInternal, HasSubstr("fusion: edges")));
  std::vector<ClassicEvidence> swapped = evidence;
  swapped[0].detail.variance = Bytes({1, 2, 3});
  EXPECT_THAT(fusion_->Score(swapped, greys, {}),
              FailsWith(Reason::kInternal, HasSubstr("fusion: detail")));
  EXPECT_THAT(fusion_->Mask(greys[0], 0.3),
              FailsWith(Reason::kInternal, HasSubstr("fusion: score")));
}

}  // namespace
}  // namespace glint
