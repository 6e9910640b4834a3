// SPDX-License-Identifier: Apache-2.0
// What no stage of any backend accepts.
#include "stages/parity.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Each stage on one plane.
std::vector<std::pair<std::string, absl::Status>> EveryStageOn(Backend& backend,
                                                               const Plane& plane) {
  LumaStatistics sums;
  const CannyThresholds thresholds;
  const Homography identity{1, 0, 0, 0, 1, 0, 0, 0, 1};
  return {
      {"statistics", (*backend.MakeLumaStatistics())->Run({&plane, 1}, {&sums, 1})},
      {"flow", (*backend.MakeFlow())->Field(plane, plane).status()},
      {"edges", (*backend.MakeEdges())->Run(plane, {&thresholds, 1}).status()},
      {"morphology", (*backend.MakeMorphology())->Run(plane, MorphologyOp::kErode, {}, 1).status()},
      {"components", (*backend.MakeConnectedComponents())->Run(plane, Plane()).status()},
      {"warp",
       (*backend.MakeWarp())->Run(plane, identity, {4, 4}, Interpolation::kLinear, 0).status()},
      {"detail", (*backend.MakeDetail())->Run(plane).status()},
  };
}

TEST_P(Parity, EveryStageRefusesAnEmptyPlane) {
  for (const auto& [stage, status] : EveryStageOn(backend(), Plane())) {
    EXPECT_THAT(status, FailsWith(Reason::kInternal, HasSubstr("an empty plane"))) << stage;
  }
}

TEST_P(Parity, EveryStageRefusesAnotherTypeAndSaysBoth) {
  const Plane floats = Upload(Plane::Host({32, 32}, PixelType::kF32));
  for (const auto& [stage, status] : EveryStageOn(backend(), floats)) {
    EXPECT_THAT(status,
                FailsWith(Reason::kInternal, AllOf(HasSubstr("32x32 f32"), HasSubstr(" u8"))))
        << stage;
  }
}

TEST_P(Parity, EveryStageRefusesAPlaneOfAnotherDevice) {
  const Plane here = NoisePlane({32, 32}, 1);
  const Plane elsewhere(nullptr, here.data(), here.size(), here.type(), here.stride(),
                        Device{.cuda = backend().device().cuda + 1});
  for (const auto& [stage, status] : EveryStageOn(backend(), elsewhere)) {
    EXPECT_THAT(status, FailsWith(Reason::kInternal, HasSubstr("32x32 u8 on "))) << stage;
  }
}

TEST_P(Parity, PlanesTravelToTheDeviceAndBackUnchanged) {
  const Plane colour = ColourNoise({33, 17}, 5);
  EXPECT_EQ(Upload(colour).device(), backend().device());
  EXPECT_TRUE(Download(Upload(colour)).device().is_host());
  EXPECT_TRUE(SameBytes(Download(Upload(colour)), colour));
}

TEST_P(Parity, StatisticsNeedAPlaceForEachResult) {
  const Plane plane = Upload(NoisePlane({4, 4}, 1));
  std::vector<LumaStatistics> sums(2);
  EXPECT_THAT((*backend().MakeLumaStatistics())->Run({&plane, 1}, sums),
              FailsWith(Reason::kInternal, HasSubstr("2 given, 1 needed")));
}

}  // namespace
}  // namespace glint
