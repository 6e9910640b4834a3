// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/evidence/surround_normalisation.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>

#include "analyse/photometric/evidence/energy_normalisation.h"
#include "base/mat.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

class SurroundNormalisation : public ::testing::Test {
 protected:
  static Plane Filled(std::int32_t value) {
    Plane plane = Plane::Host({160, 120}, PixelType::kS32);
    AsMat(plane).setTo(value);
    return plane;
  }
  std::int32_t At(const Plane& evidence, int x, int y) {
    return NormaliseBySurroundings(evidence, {}, pool_).Row<std::int32_t>(y)[x];
  }

  ThreadPool pool_{3};
};

TEST_F(SurroundNormalisation, EvenEvidenceIsOneUnitEverywhere) {
  const Plane even = NormaliseBySurroundings(Filled(700), {}, pool_);
  EXPECT_EQ(cv::countNonZero(AsMat(even) != kEnergyUnit), 0);
}

TEST_F(SurroundNormalisation, ALineCountsByWhatItStandsOutOf) {
  Plane calm = Filled(500), mottled = Filled(500);
  AsMat(mottled).colRange(0, 80).setTo(1500);
  for (Plane* plane : {&calm, &mottled}) AsMat(*plane).row(60).setTo(3000);
  EXPECT_NEAR(At(calm, 20, 60), 6 * kEnergyUnit, 40);
  EXPECT_NEAR(At(mottled, 20, 60), 2 * kEnergyUnit, 20);
}

TEST_F(SurroundNormalisation, AStrongLineHardlyRaisesWhatItIsComparedWith) {
  Plane line = Filled(500);
  AsMat(line).row(60).setTo(50000);
  EXPECT_GT(At(line, 80, 60), 90 * kEnergyUnit);
}

TEST_F(SurroundNormalisation, CalmPlacesAreNotRaisedToTheLevelOfTheScan) {
  Plane calm = Filled(1000);
  AsMat(calm)(cv::Rect(0, 0, 70, 120)).setTo(100);
  EXPECT_LT(At(calm, 5, 60), kEnergyUnit / 6);
}

TEST_F(SurroundNormalisation, WhatIsNotKnownNeitherCountsNorGetsEvidence) {
  Plane half = Filled(500);
  AsMat(half).colRange(0, 80).setTo(0);
  EXPECT_EQ(At(half, 10, 60), 0);
  EXPECT_EQ(At(half, 81, 60), kEnergyUnit);
}

TEST_F(SurroundNormalisation, ThreadsDoNotMatter) {
  Plane noise = Filled(0);
  cv::RNG numbers(7);
  numbers.fill(AsMat(noise), cv::RNG::UNIFORM, 1, 9000);
  ThreadPool one(1);
  const Plane a = NormaliseBySurroundings(noise, {}, pool_);
  const Plane b = NormaliseBySurroundings(noise, {}, one);
  EXPECT_EQ(cv::countNonZero(AsMat(a) != AsMat(b)), 0);
}

}  // namespace
}  // namespace glint::photometric
