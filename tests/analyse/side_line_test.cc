// SPDX-License-Identifier: Apache-2.0
#include "analyse/side_line.h"

#include <gtest/gtest.h>

namespace glint {
namespace {

TEST(SideLineFit, GoesThroughEdgesByTheirWeights) {
  SideLineFit fit;
  for (const double along : {-2.0, 0.0, 3.0}) fit.Add({along, 1 + 0.5 * along}, 1);
  fit.Add({1, 40}, 0);
  const auto line = fit.Line();
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->offset, 1, 1e-12);
  EXPECT_NEAR(line->slope, 0.5, 1e-12);
  EXPECT_NEAR(line->Residual({1, 40}), 38.5, 1e-12);
}

TEST(SideLineFit, FindsNoLineThroughEdgesAtOnePlace) {
  SideLineFit fit;
  EXPECT_FALSE(fit.Line());
  fit.Add({2, 1}, 1);
  fit.Add({2, 5}, 3);
  EXPECT_FALSE(fit.Line());
}

}  // namespace
}  // namespace glint
