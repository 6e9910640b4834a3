// SPDX-License-Identifier: Apache-2.0
#include "analyse/alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>

#include "analyse/quadrilateral.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

constexpr Size kPicture{320, 240};
constexpr Point kMiddle{160, 120};
constexpr Homography kUnmoved = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/// Smooth texture in both directions, drawn by formula at any place.
double Texture(Point p) {
  return 128 + 50 * std::sin(p.x / 5) * std::cos(p.y / 7) + 40 * std::sin(p.x / 11 + p.y / 6);
}

/// A picture that shows at each pixel the texture at `place(pixel)`.
Plane Show(const std::function<Point(Point)>& place) {
  Plane picture = Plane::Host(kPicture, PixelType::kU8);
  for (int y = 0; y < kPicture.height; ++y) {
    for (int x = 0; x < kPicture.width; ++x) {
      const double grey = Texture(place({static_cast<double>(x), static_cast<double>(y)}));
      picture.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(std::lround(grey));
    }
  }
  return picture;
}

Plane Unmoved() {
  return Show([](Point p) { return p; });
}

/// The texture, moved by `by`.
Plane Moved(Point by) {
  return Show([by](Point p) { return p - by; });
}

/// 0.4 % larger about the middle: 0.8 px farther out in the corners.
Plane Zoomed() {
  return Show([](Point p) { return kMiddle + (p - kMiddle) * (1 / 1.004); });
}

std::optional<Alignment> AlignTo(const AlignmentTarget& target, const Plane& view,
                                 AlignmentMotion motion, Size frame = kPicture, int threads = 2) {
  ThreadPool pool(threads);
  return target.Align(view, kUnmoved, frame, motion, pool);
}

TEST(Alignment, FindsNoMovementInTheTargetItself) {
  const AlignmentTarget target(Unmoved());
  const auto found = AlignTo(target, Unmoved(), AlignmentMotion::kHomography);
  ASSERT_TRUE(found);
  for (const Point p : {Point{0, 0}, Point{319, 0}, Point{319, 239}, Point{0, 239}})
    EXPECT_LT(Distance(Map(found->correction, p), p), 1e-6);
  EXPECT_NEAR(found->residual_px, 0, 1e-6);
  EXPECT_EQ(found->agreeing, 1);
  EXPECT_GT(found->patches, 2000);
}

TEST(Alignment, CarriesTargetPixelsToWhereThePictureShowsThem) {
  const AlignmentTarget target(Unmoved());
  for (const Point by : {Point{0.25, 0}, Point{0, -0.25}, Point{0.3, 0.4}}) {
    for (const auto motion :
         {AlignmentMotion::kTranslation, AlignmentMotion::kAffine, AlignmentMotion::kHomography}) {
      const auto found = AlignTo(target, Moved(by), motion);
      ASSERT_TRUE(found);
      EXPECT_LT(Distance(Map(found->correction, kMiddle), kMiddle + by), 0.03);
      EXPECT_LT(Distance(Map(found->correction, Point{10, 10}), Point{10, 10} + by), 0.05);
      EXPECT_LT(found->residual_px, 0.05);
    }
  }
}

TEST(Alignment, LeavesAsResidualWhatTheKindOfMotionCannotExplain) {
  const AlignmentTarget target(Unmoved());
  const auto shift = AlignTo(target, Zoomed(), AlignmentMotion::kTranslation);
  const auto affine = AlignTo(target, Zoomed(), AlignmentMotion::kAffine);
  ASSERT_TRUE(shift);
  ASSERT_TRUE(affine);
  EXPECT_EQ(shift->correction[0], 1);
  EXPECT_GT(shift->residual_px, 0.2);
  EXPECT_NEAR(affine->correction[0], 1.004, 5e-4);
  EXPECT_NEAR(affine->correction[4], 1.004, 5e-4);
  EXPECT_LT(affine->residual_px, 0.05);
}

TEST(Alignment, IsThatOfMostPatchesWhereAPartMovesByItself) {
  const AlignmentTarget target(Unmoved());
  const Plane view = Show([](Point p) {
    return p.x < 80 ? p - Point{-1.5, 0} : p - Point{0.25, 0};
  });
  const auto found = AlignTo(target, view, AlignmentMotion::kTranslation);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->correction[2], 0.25, 0.1);  // the mean is -0.2
  EXPECT_NEAR(found->correction[5], 0, 0.05);
}

TEST(Alignment, CountsThePatchesThatLieInTheFrame) {
  const AlignmentTarget target(Unmoved());
  const auto whole = AlignTo(target, Unmoved(), AlignmentMotion::kAffine);
  const auto half = AlignTo(target, Unmoved(), AlignmentMotion::kAffine, {160, 240});
  ASSERT_TRUE(whole);
  ASSERT_TRUE(half);
  EXPECT_EQ(target.patches(), 61U * 45);  // every 5 px from 2 on
  EXPECT_EQ(whole->patches, 60 * 44);     // the last ones end at the very border
  EXPECT_EQ(half->patches, 28 * 44);
  EXPECT_FALSE(AlignTo(target, Unmoved(), AlignmentMotion::kAffine, {18, 18}));
}

TEST(Alignment, IsNothingWithFewerRecognisedPatchesThanAsked) {
  const AlignmentTarget target(Unmoved(), {.max_patches = 100, .min_patches = 200});
  EXPECT_LT(target.patches(), 200U);
  EXPECT_GT(target.patches(), 50U);
  EXPECT_FALSE(AlignTo(target, Unmoved(), AlignmentMotion::kTranslation));
  Plane inverted = Unmoved();
  for (int y = 0; y < kPicture.height; ++y) {
    for (int x = 0; x < kPicture.width; ++x)
      inverted.Row<std::uint8_t>(y)[x] = 255 - inverted.Row<std::uint8_t>(y)[x];
  }
  EXPECT_FALSE(AlignTo(AlignmentTarget(Unmoved()), inverted, AlignmentMotion::kTranslation));
}

TEST(Alignment, TakesNoPatchWithoutTexture) {
  Plane picture = Unmoved();
  for (int y = 0; y < kPicture.height; ++y) {
    for (int x = 160; x < kPicture.width; ++x) picture.Row<std::uint8_t>(y)[x] = 90;
  }
  const std::size_t textured = AlignmentTarget(picture).patches();
  EXPECT_GT(textured, AlignmentTarget(Unmoved()).patches() * 45 / 100);
  EXPECT_LT(textured, AlignmentTarget(Unmoved()).patches() * 55 / 100);
}

TEST(Alignment, IsTheSameForAnyNumberOfThreads) {
  const AlignmentTarget target(Unmoved());
  const auto one = AlignTo(target, Zoomed(), AlignmentMotion::kHomography, kPicture, 1);
  const auto three = AlignTo(target, Zoomed(), AlignmentMotion::kHomography, kPicture, 3);
  ASSERT_TRUE(one);
  ASSERT_TRUE(three);
  EXPECT_EQ(one->correction, three->correction);
  EXPECT_EQ(one->residual_px, three->residual_px);
}

TEST(AlignmentParams, RefuseFewerPatchesThanAHomographyNeeds) {
  EXPECT_THAT(CheckParams(AlignmentParams{}), IsOk());
  EXPECT_THAT(CheckParams(AlignmentParams{.min_patches = 3}),
              FailsWith(Reason::kInvalidOption, testing::HasSubstr("min_patches")));
}

}  // namespace
}  // namespace glint
