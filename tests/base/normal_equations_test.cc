// SPDX-License-Identifier: Apache-2.0
#include "base/normal_equations.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>
#include <vector>

namespace glint {
namespace {

using Vector = NormalEquations::Vector;

/// Samples of value = 3 - 2 x + 0.5 y.
NormalEquations LevelSamples() {
  NormalEquations equations(3);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 5; ++x) {
      const double at_x = x, at_y = y;
      equations.Add({1, at_x, at_y}, 3 - 2 * at_x + 0.5 * at_y, 1 + x + y);
    }
  }
  return equations;
}

void ExpectPlane(const std::optional<Vector>& found) {
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR((*found)[0], 3, 1e-9);
  EXPECT_NEAR((*found)[1], -2, 1e-9);
  EXPECT_NEAR((*found)[2], 0.5, 1e-9);
  for (std::size_t i = 3; i < found->size(); ++i) EXPECT_EQ((*found)[i], 0);
}

TEST(NormalEquationsTest, BothSolversFindWhatAllEquationsAgreeOn) {
  ExpectPlane(LevelSamples().Solve());
  ExpectPlane(LevelSamples().SolveByElimination());
}

TEST(NormalEquationsTest, ContradictingEquationsMeetAtTheirWeightedMean) {
  NormalEquations equations(1);
  equations.Add({1}, 10, 3);
  equations.Add({1}, 20, 1);
  EXPECT_DOUBLE_EQ(equations.Solve().value_or(Vector{})[0], 12.5);
  EXPECT_DOUBLE_EQ(equations.SolveByElimination().value_or(Vector{})[0], 12.5);
}

TEST(NormalEquationsTest, UnknownsThatNoEquationTellsApartAreNotFound) {
  NormalEquations equations(2);
  equations.Add({1, 1}, 2, 1);
  equations.Add({2, 2}, 4, 1);
  EXPECT_FALSE(equations.Solve().has_value());
  EXPECT_FALSE(equations.SolveByElimination().has_value());
}

TEST(NormalEquationsTest, EntriesBeyondTheUnknownsDoNotCount) {
  NormalEquations equations(1);
  equations.Add({2, 100, 100}, 8, 1);
  EXPECT_DOUBLE_EQ(equations.Solve().value_or(Vector{})[0], 4);
}

TEST(NormalEquationsTest, EliminationDoesWithAPivotThatIsZero) {
  NormalEquations equations(2);  // a symmetric matrix whose first entry vanishes beside the other
  equations.Add({0, 1}, 5, 1);
  equations.Add({1, 0}, 7, 1e-3);
  const Vector found = equations.SolveByElimination().value_or(Vector{});
  EXPECT_DOUBLE_EQ(found[0], 7);
  EXPECT_DOUBLE_EQ(found[1], 5);
}

TEST(NormalEquationsTest, ManyAtOnceAreTheSameBitsAsOneByOneWithEveryInstructionSet) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-3, 3);
  std::vector<NormalEquations::Equation> many(101);
  std::vector<double> weights;
  for (NormalEquations::Equation& equation : many) {
    for (double& value : equation.row) value = any(random);
    equation.value = any(random);
    weights.push_back(weights.size() % 5 == 3 ? 0 : any(random) + 4);
  }
  for (const std::size_t unknowns : {std::size_t{2}, std::size_t{6}, std::size_t{8}}) {
    NormalEquations expected(unknowns);
    for (std::size_t i = 0; i < many.size(); ++i) {
      if (weights[i] != 0) expected.Add(many[i].row, many[i].value, weights[i]);
    }
    for (const auto target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      NormalEquations at_once(unknowns);
      at_once.AddAll(many, weights);
      EXPECT_EQ(at_once.matrix(), expected.matrix()) << unknowns << ", target " << target;
      EXPECT_EQ(at_once.right(), expected.right()) << unknowns << ", target " << target;
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace glint
