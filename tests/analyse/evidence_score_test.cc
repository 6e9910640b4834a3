// SPDX-License-Identifier: Apache-2.0
#include "analyse/evidence_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "glint/stages.h"

namespace glint {
namespace {

using testing::ElementsAre;

constexpr std::int32_t kOne = 1 << ClassicFusionStage::kScoreBits;

template <class T>
Plane RowOf(PixelType type, std::initializer_list<T> values) {
  Plane plane = Plane::Host({static_cast<int>(values.size()), 1}, type);
  std::ranges::copy(values, plane.Row<T>(0));
  return plane;
}

Plane Scores(std::initializer_list<std::int32_t> values) { return RowOf(PixelType::kS32, values); }

std::vector<std::int32_t> ValuesOf(const Plane& plane) {
  const auto* row = plane.Row<std::int32_t>(0);
  return {row, row + plane.width()};
}

TEST(EvidenceScore, IsInProportionUpToTheStrongest) {
  const Plane score =
      ScoreOfEvidence(Scores({-300, 0, 256, 8 * 256, 16 * 256, 2'000'000'000}), 256);
  EXPECT_THAT(ValuesOf(score), ElementsAre(0, 0, kOne / 16, kOne / 2, kOne, kOne));
}

TEST(EvidenceScore, IsThatOfTheStrongestFamily) {
  Plane score = Scores({1, 9, 5});
  AddScore(Scores({7, 2, 5}), score);
  EXPECT_THAT(ValuesOf(score), ElementsAre(7, 9, 5));
}

TEST(EvidenceScore, IsOneWhereSomethingIsGone) {
  Plane score = Scores({3, 4, kOne});
  AddCertain(RowOf<std::uint8_t>(PixelType::kU8, {255, 0, 0}), score);
  EXPECT_THAT(ValuesOf(score), ElementsAre(kOne, 4, kOne));
}

}  // namespace
}  // namespace glint
