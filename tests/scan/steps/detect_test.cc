// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "analyse/item_types.h"
#include "analyse/view_stack.h"
#include "glint/error.h"
#include "scan/steps/scan_steps_test.h"

namespace glint {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

constexpr Homography kIdentity{1, 0, 0, 0, 1, 0, 0, 0, 1};
constexpr Size kSurface{128, 96};

/// A smooth surface with a scratch from (20, 48) to (108, 48), which shines in every other frame.
Plane Scratched(std::int64_t index) {
  Plane luma = Plane::Host(kSurface, PixelType::kU8);
  for (int y = 0; y < kSurface.height; ++y) {
    for (int x = 0; x < kSurface.width; ++x) {
      const bool scratch = (y == 48 || y == 49) && x >= 20 && x < 108 && index % 2 == 0;
      luma.Row<std::uint8_t>(y)[x] =
          static_cast<std::uint8_t>((scratch ? 190 : 120) + (x * 3 + y * 5 + index * 11) % 7);
    }
  }
  return luma;
}

class DetectDamageTest : public ScanSteps {
 protected:
  void SetUp() override {
    ScanSteps::SetUp();
    request_.item_type = "surface";
  }

  /// The surface fills its frames.
  absl::StatusOr<Registered> Surface(int frames) {
    FakeVideo video(kSurface, frames, Scratched);
    Registered registered;
    for (VideoFrame& frame : FramesOf(video)) registered.golden.push_back({frame, kIdentity});
    registered.report.object = LocatedObject{.size = kSurface, .method = "full frame"};
    if (!scan().UsesViews()) return registered;
    ViewStackBuilder builder(kSurface, registered.golden.size(), stages_, pool_);
    for (std::size_t i = 0; i < registered.golden.size(); ++i) {
      const absl::Status added = builder.Add(i, registered.golden[i].frame, kIdentity);
      if (!added.ok()) return added;
    }
    auto stack = builder.Finish();
    if (!stack.ok()) return stack.status();
    registered.views = *std::move(stack);
    return registered;
  }
};

bool Marks(const Plane& mask, int x, int y) {
  for (int dy = -2; dy <= 3; ++dy) {
    if (mask.Row<std::uint8_t>(y + dy)[x] != 0) return true;
  }
  return false;
}

TEST_F(DetectDamageTest, FindsAScratchInGoldenFrames) {
  auto surface = Surface(3);
  ASSERT_THAT(surface, IsOk());
  const auto detected = DetectDamage(scan(), stages_, *std::move(surface), std::nullopt);
  ASSERT_THAT(detected, IsOk());
  EXPECT_TRUE(Marks(detected->pictures.mask, 64, 48));
  EXPECT_THAT(detected->report.regions, Not(IsEmpty()));
  EXPECT_TRUE(detected->report.damaged_percent);
  ASSERT_TRUE(detected->reference);
  EXPECT_EQ(detected->reference->frame.index, 0);
  EXPECT_TRUE(detected->pictures.median.empty()) << "only views have one";
}

TEST_F(DetectDamageTest, MarksNothingInGoldenFramesThatTheParametersAskTooMuchOf) {
  params_.classic.threshold_deviations = 1000;
  auto surface = Surface(3);
  ASSERT_THAT(surface, IsOk());
  const auto detected = DetectDamage(scan(), stages_, *std::move(surface), std::nullopt);
  ASSERT_THAT(detected, IsOk());
  EXPECT_THAT(detected->report.regions, IsEmpty());
}

TEST_F(DetectDamageTest, FindsAScratchThatShinesInSomeViews) {
  request_.profile = kProfilePhotometric;
  auto surface = Surface(24);
  ASSERT_THAT(surface, IsOk());
  const auto detected = DetectDamage(scan(), stages_, *std::move(surface), std::nullopt);
  ASSERT_THAT(detected, IsOk());
  EXPECT_TRUE(Marks(detected->pictures.mask, 64, 48));
  EXPECT_FALSE(Marks(detected->pictures.mask, 64, 20));
  EXPECT_EQ(detected->pictures.median.size(), kSurface);
  EXPECT_THAT(detected->pictures.layers, Contains(Pair("lines", testing::_)));
  EXPECT_THAT(detected->report.named_regions, Not(IsEmpty()));
}

TEST_F(DetectDamageTest, FindsNoLineWhereTheParametersAskForMoreThanThereIs) {
  request_.profile = kProfilePhotometric;
  params_.photometric.lines.weak_energy = 1000;
  params_.photometric.lines.long_lines.min_crest = 100;
  params_.photometric.lines.rim_ticks.min_score = 100;
  params_.photometric.lines.rim_ticks.min_streak_score = 100;
  params_.photometric.lines.segments.min_score = 100;
  auto surface = Surface(24);
  ASSERT_THAT(surface, IsOk());
  const auto detected = DetectDamage(scan(), stages_, *std::move(surface), std::nullopt);
  ASSERT_THAT(detected, IsOk());
  EXPECT_FALSE(Marks(detected->pictures.mask, 64, 48));
}

TEST_F(DetectDamageTest, AdvisesOnTheLightByTheParameters) {
  request_.profile = kProfilePhotometric;
  for (const double least : {0.0, 1.0}) {
    params_.advice.min_light_change = least;
    auto surface = Surface(6);
    ASSERT_THAT(surface, IsOk());
    const auto detected = DetectDamage(scan(), stages_, *std::move(surface), std::nullopt);
    ASSERT_THAT(detected, IsOk());
    EXPECT_EQ(detected->report.advice.empty(), least == 0.0);
  }
}

TEST_F(DetectDamageTest, LetsGoOfTheViews) {
  request_.profile = kProfilePhotometric;
  auto surface = Surface(6);
  ASSERT_THAT(surface, IsOk());
  const std::weak_ptr<const RawPicture> reference = surface->golden[0].frame.picture;
  const std::weak_ptr<const RawPicture> view = surface->golden[1].frame.picture;
  const auto detected = DetectDamage(scan(), stages_, *std::move(surface), std::nullopt);
  ASSERT_THAT(detected, IsOk());
  EXPECT_FALSE(reference.expired());
  EXPECT_TRUE(view.expired());
}

TEST_F(DetectDamageTest, RefusesAGoodCopyOfSomethingElse) {
  request_.profile = kProfilePhotometric;
  auto surface = Surface(6);
  ASSERT_THAT(surface, IsOk());
  Plane other = Plane::Host(kSurface, PixelType::kU8x3);
  for (int y = 0; y < kSurface.height; ++y) {
    for (int x = 0; x < 3 * kSurface.width; ++x) {
      other.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(x / 7 * 31 + y / 9 * 57);
    }
  }
  ReferenceFile good_copy;
  good_copy.copy.picture = other;
  EXPECT_THAT(DetectDamage(scan(), stages_, *std::move(surface), std::move(good_copy)),
              FailsWith(Reason::kInvalidOption, HasSubstr("does not show the object")));
}

}  // namespace
}  // namespace glint
