// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_row_evidence.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <vector>

namespace glint::photometric {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kArea = 1e6;

/// Dashes along y = 500.
class RowEvidence : public testing::Test {
 protected:
  void Add(double x, double y = 500, double turn_deg = 0, double evidence = 2) {
    dashes_.push_back({.x = x,
                       .y = y,
                       .cosine = std::cos(turn_deg * kPi / 180),
                       .sine = std::sin(turn_deg * kPi / 180),
                       .length = 8,
                       .evidence = evidence});
  }

  DashRowEvidence::Part Best() const {
    std::vector<std::size_t> row(dashes_.size());
    std::iota(row.begin(), row.end(), std::size_t{0});
    return BestOf(row);
  }

  DashRowEvidence::Part BestOf(const std::vector<std::size_t>& row) const {
    return DashRowEvidence(dashes_, kArea, params_)
        .BestPart({.x = 0, .y = 500, .cosine = 1, .sine = 0}, row);
  }

  std::vector<PaperDash> dashes_;
  DashRowEvidenceParams params_;
};

TEST_F(RowEvidence, IsTheSumOfWhatSpeaksForIt) {
  Add(100);
  Add(120, 501);
  const double turn = std::hypot(3.5, 45.0 / 8) * kPi / 180;
  const double along = -std::log(turn * std::sqrt(2 * kPi));
  const double offset = -(1 / 0.8) * (1 / 0.8) / 2 - std::log(0.8 * std::sqrt(2 * kPi));
  const double gap = -12.0 / 15 - std::log(15.0);
  const double by_chance = 2.0 / kArea / kPi;
  EXPECT_NEAR(Best().evidence,
              2 * 2 + 2 * along + std::log(kPi) + offset + gap - std::log(by_chance) - 3.5, 1e-9);
}

TEST_F(RowEvidence, IsLessTheWorseADashFits) {
  Add(100);
  Add(120);
  const double straight = Best().evidence;
  for (const auto& [x, y, turn] :
       {std::array{120.0, 501.5, 0.0}, {120.0, 500.0, 15.0}, {150.0, 500.0, 0.0}}) {
    dashes_.pop_back();
    Add(x, y, turn);
    EXPECT_LT(Best().evidence, straight - 0.5) << x << " " << y << " " << turn;
  }
}

TEST_F(RowEvidence, IsLessWhereADashIsHardlyPaper) {
  Add(100);
  Add(120);
  const double plain = Best().evidence;
  dashes_[1].evidence = -1;
  EXPECT_NEAR(Best().evidence, plain - 3, 1e-9);
}

TEST_F(RowEvidence, OfOneDashHasLimits) {
  Add(100, 500, 0, 9);
  Add(120, 500, 0, 9);
  const double most = Best().evidence;
  params_.max_dash_evidence = 5;
  EXPECT_NEAR(Best().evidence, most + 2, 1e-9);
}

TEST_F(RowEvidence, OfOneDashHasALowerLimit) {
  Add(100);
  Add(120, 500, 0, -1e9);
  const double least = Best().evidence;
  params_.min_dash_evidence = -10;
  EXPECT_NEAR(Best().evidence, least - 1, 1e-9);
}

TEST_F(RowEvidence, LeavesOutWhatSpeaksAgainst) {
  Add(60, 502, 0, -9);
  Add(100);
  Add(115);
  Add(130);
  Add(170, 502, 0, -9);
  const auto part = Best();
  EXPECT_EQ(part.first, 1U);
  EXPECT_EQ(part.last, 3U);
}

TEST_F(RowEvidence, IsLessAmongManyDashes) {
  Add(100);
  Add(120);
  Add(140);
  const double alone = BestOf({0, 1, 2}).evidence;
  for (int i = 0; i < 12; ++i) Add(80 + 8 * i, 540, 90);
  const double among = BestOf({0, 1, 2}).evidence;
  EXPECT_LT(among, alone - 1);
  for (std::size_t i = 3; i < dashes_.size(); ++i) {
    dashes_[i].cosine = 1;
    dashes_[i].sine = 0;
  }
  EXPECT_LT(BestOf({0, 1, 2}).evidence, among - 1) << "hatching";
}

TEST_F(RowEvidence, IsTheSameFromEitherEnd) {
  for (const double x : {100, 120, 150}) Add(x, 500 + x / 100, x / 20);
  for (int i = 0; i < 6; ++i) Add(80 + 8 * i, 530, 90);
  const StraightLine back{.x = 0, .y = 500, .cosine = -1, .sine = 0};
  const DashRowEvidence evidence(dashes_, kArea, params_);
  const std::vector<std::size_t> row = {2, 1, 0};
  EXPECT_NEAR(evidence.BestPart(back, row).evidence, BestOf({0, 1, 2}).evidence, 1e-9);
}

TEST_F(RowEvidence, PrefersThreeThatAreSurerThanTwo) {
  Add(100);
  Add(120);
  Add(140, 502, 12, -9);
  params_.pair_cost = 0;
  ASSERT_EQ(Best().last, 1U);
  params_.pair_cost = 20;
  EXPECT_EQ(Best().last, 2U);
}

}  // namespace
}  // namespace glint::photometric
