// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/evidence/directed_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

constexpr Size kPlane{41, 23};
constexpr int kReach = 7;

struct Speckles {
  Plane energy = Plane::Host(kPlane, PixelType::kS32);
  Plane directions = Plane::Host(kPlane, PixelType::kU8);

  Speckles() {
    std::mt19937 random(3);
    for (int y = 0; y < kPlane.height; ++y) {
      for (int x = 0; x < kPlane.width; ++x) {
        energy.Row<std::int32_t>(y)[x] = static_cast<std::int32_t>(random() % 2000);
        directions.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(random() % kDirections);
      }
    }
  }

  /// What counts at a place, inside or outside.
  int At(int x, int y, int most, const DirectedEvidence::Choice& of) const {
    if (x < of.rim_x || y < of.rim_y) return 0;
    if (x >= kPlane.width - of.rim_x || y >= kPlane.height - of.rim_y) return 0;
    if ((of.directions >> directions.Row<std::uint8_t>(y)[x] & 1) == 0) return 0;
    return std::min(energy.Row<std::int32_t>(y)[x], most);
  }
};

TEST(DirectedEvidence, IsWhatCountsOfEachPixelAndNothingAroundThem) {
  const Speckles speckles;
  DirectedEvidence evidence(kPlane, kReach);
  for (const int most : {768, 65535}) {
    const EvidenceField field(speckles.energy, speckles.directions, most);
    for (const auto& choice :
         {DirectedEvidence::Choice{.directions = 0x0ff0, .rim_x = 0, .rim_y = 3},
          DirectedEvidence::Choice{.directions = 0x8001, .rim_x = 5, .rim_y = 0}}) {
      evidence.Fill(field, choice);
      const std::uint16_t* middle = evidence.At(20, 11);
      for (int y = -kReach; y < kPlane.height + kReach; ++y) {
        for (int x = -kReach; x < kPlane.width + kReach; ++x) {
          ASSERT_EQ(middle[evidence.Offset(x - 20, y - 11)], speckles.At(x, y, most, choice))
              << x << ", " << y;
        }
      }
    }
  }
}

}  // namespace
}  // namespace glint::photometric
