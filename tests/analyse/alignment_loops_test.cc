// SPDX-License-Identifier: Apache-2.0
#include "analyse/alignment_loops.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace glint {
namespace {

constexpr Size kPicture{37, 29};

/// @param next  makes a value
template <class T>
Plane Filled(PixelType type, const std::function<int()>& next) {
  Plane plane = Plane::Host(kPicture, type);
  for (int y = 0; y < kPicture.height; ++y) {
    for (int x = 0; x < kPicture.width; ++x) plane.Row<T>(y)[x] = static_cast<T>(next());
  }
  return plane;
}

/// What SumPatch says, pixel by pixel.
PatchSums SumSlowly(const PatchPlanes& planes, int x, int y) {
  PatchSums sums;
  for (int v = y; v < y + kPatchSide; ++v) {
    for (int u = x; u < x + kPatchSide; ++u) {
      const int seen = planes.view.Row<std::uint8_t>(v)[u];
      sums.value += seen;
      sums.square += seen * seen;
      sums.product += seen * planes.target.Row<std::uint8_t>(v)[u];
      sums.gradient_x += seen * planes.gradient_x.Row<std::int16_t>(v)[u];
      sums.gradient_y += seen * planes.gradient_y.Row<std::int16_t>(v)[u];
    }
  }
  return sums;
}

void ExpectSums(const PatchPlanes& planes) {
  for (const auto& [x, y] : {std::pair{0, 0}, std::pair{3, 7}, std::pair{21, 13}}) {
    const PatchSums expected = SumSlowly(planes, x, y), actual = SumPatch(planes, x, y);
    EXPECT_EQ(actual.value, expected.value);
    EXPECT_EQ(actual.square, expected.square);
    EXPECT_EQ(actual.product, expected.product);
    EXPECT_EQ(actual.gradient_x, expected.gradient_x);
    EXPECT_EQ(actual.gradient_y, expected.gradient_y);
  }
}

TEST(AlignmentLoops, SumOverAPatchWithEveryInstructionSet) {
  std::mt19937 random(1);
  const auto byte = [&] { return static_cast<int>(random() % 256); };
  const auto slope = [&] { return static_cast<int>(random() % 511) - 255; };
  const auto most = [] { return 255; };
  const Plane view = Filled<std::uint8_t>(PixelType::kU8, byte);
  const Plane target = Filled<std::uint8_t>(PixelType::kU8, byte);
  const Plane slope_x = Filled<std::int16_t>(PixelType::kS16, slope);
  const Plane slope_y = Filled<std::int16_t>(PixelType::kS16, slope);
  const Plane white = Filled<std::uint8_t>(PixelType::kU8, most);
  const Plane steepest = Filled<std::int16_t>(PixelType::kS16, most);
  for (const auto instructions : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(instructions);
    ExpectSums({view, target, slope_x, slope_y});
    ExpectSums({white, white, steepest, steepest});
  }
  hwy::SetSupportedTargetsForTest(0);
}

/// A patch's weight, by itself.
double WeightOf(const NormalEquations::Equation& along_x, const NormalEquations::Equation& along_y,
                std::size_t unknowns, const NormalEquations::Vector& fit, double reach) {
  double x = along_x.value, y = along_y.value;
  for (std::size_t k = 0; k < unknowns; ++k) {
    x -= along_x.row[k] * fit[k];
    y -= along_y.row[k] * fit[k];
  }
  const double away = std::sqrt(x * x + y * y) / reach;
  return away >= 1 ? 0 : (1 - away * away) * (1 - away * away);
}

TEST(AlignmentLoops, WeightEveryPatchByItselfWithEveryInstructionSet) {
  constexpr NormalEquations::Vector kFit = {0.3, -0.2, 0.1, 0.05, -0.4, 0.2, 0.01, -0.03};
  constexpr double kReach = 1.5;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> any(-1, 1);
  for (const std::size_t unknowns : {std::size_t{2}, std::size_t{8}}) {
    PatchEquations equations(unknowns, 30);
    for (int i = 0; i < 29; ++i) {
      NormalEquations::Equation along_x{.value = any(random)}, along_y{.value = any(random)};
      for (std::size_t k = 0; k < unknowns; ++k) {
        along_x.row[k] = any(random);
        along_y.row[k] = any(random);
      }
      equations.Add(along_x, along_y);
    }
    std::vector<double> expected;
    for (std::size_t i = 0; i < equations.patches(); ++i) {
      const auto rows = equations.rows().subspan(2 * i, 2);
      expected.insert(expected.end(), 2, WeightOf(rows[0], rows[1], unknowns, kFit, kReach));
    }
    for (const auto instructions : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(instructions);
      std::vector<double> weights(expected.size());
      TukeyWeights(equations, kFit, kReach, weights);
      EXPECT_EQ(weights, expected) << unknowns;
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace glint
