// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "scan/steps/scan_steps_test.h"

namespace glint {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class LocateObjectTest : public ScanSteps {};

TEST_F(LocateObjectTest, FindsTheCardInTheReferenceFrame) {
  auto video = CardVideo(3, 4);
  const auto located = LocateObject(scan(), stages_, SelectedOf(FramesOf(*video)));
  ASSERT_THAT(located, IsOk());
  ASSERT_TRUE(located->report.object);
  const LocatedObject& object = *located->report.object;
  EXPECT_EQ(located->golden[located->reference].index, object.reference_frame);
  const double shift = 4.0 * static_cast<double>(object.reference_frame);
  EXPECT_NEAR(object.corners[0].x, kCard.x + shift, 1.5);
  EXPECT_NEAR(object.corners[0].y, kCard.y, 1.5);
  EXPECT_NEAR(object.corners[2].x, kCard.x + kCard.width + shift, 1.5);
  EXPECT_NEAR(object.corners[2].y, kCard.y + kCard.height, 1.5);
  EXPECT_TRUE(located->features) << "registering uses them again";
}

TEST_F(LocateObjectTest, TakesTheWholeFrameWhereTheParametersBelieveNoOutline) {
  params_.location.min_support = 2;
  params_.location.moving_region.min_motion_px = 1000;
  auto video = CardVideo(3, 4);
  const auto located = LocateObject(scan(), stages_, SelectedOf(FramesOf(*video)));
  ASSERT_THAT(located, IsOk());
  EXPECT_EQ(located->report.object->method, "full frame");
}

TEST_F(LocateObjectTest, NamesCornersByTheObjectsOwnTop) {
  request_.up = PictureSide::kRight;
  auto video = CardVideo(3, 4);
  const auto located = LocateObject(scan(), stages_, SelectedOf(FramesOf(*video)));
  ASSERT_THAT(located, IsOk());
  const LocatedObject& object = *located->report.object;
  const double shift = 4.0 * static_cast<double>(object.reference_frame);
  EXPECT_NEAR(object.corners[0].x, kCard.x + kCard.width + shift, 1.5) << "TL is the picture's TR";
  EXPECT_NEAR(object.corners[0].y, kCard.y, 1.5);
  EXPECT_NEAR(object.corners[2].x, kCard.x + shift, 1.5);
  EXPECT_NEAR(object.size.width, kCard.height, 2);
  EXPECT_NEAR(object.size.height, kCard.width, 2);
}

TEST_F(LocateObjectTest, KeepsTheWayOfASheetThatTheGoldenFramesAreSureOf) {
  request_.profile = kProfilePhotometric;
  FakeVideo video(kFrame, 8, [](std::int64_t index) {
    Plane luma = Card(static_cast<int>(4 * index));
    for (int y = 0; y < luma.height(); ++y) {
      for (int x = 0; x < luma.width(); ++x) {
        std::uint8_t& grey = luma.Row<std::uint8_t>(y)[x];
        if (grey > 100) grey = 180;  // no print
      }
    }
    return luma;
  });
  const auto located = LocateObject(scan(), stages_, SelectedOf(FramesOf(video)));
  ASSERT_THAT(located, IsOk());
  ASSERT_TRUE(located->report.object) << located->report.advice.front();
  EXPECT_GE(located->report.object->confidence, params_.location.search.sure_confidence);
  EXPECT_THAT(located->motion.outlines, SizeIs(8)) << "a sheet without print is followed by it";
}

class RegisterFramesTest : public ScanSteps {
 protected:
  /// Registers frames of the card, the last one of something else.
  absl::StatusOr<Registered> Register(std::vector<VideoFrame> views = {}) {
    auto video = CardVideo(2, 4);
    std::vector<VideoFrame> frames = FramesOf(*video);
    FakeVideo other(kFrame, 3, [](std::int64_t) { return ShiftedTexture(kFrame, 0, 0, 7); });
    frames.push_back(FramesOf(other).back());
    auto located = LocateObject(scan(), stages_, SelectedOf(std::move(frames)));
    if (!located.ok()) return located.status();
    located->views = std::move(views);
    return RegisterFrames(scan(), stages_, *std::move(located));
  }
};

TEST_F(RegisterFramesTest, PutsTheReferenceFirstAndLeavesOutWhatDoesNotShowTheObject) {
  const auto registered = Register();
  ASSERT_THAT(registered, IsOk());
  const ScanReport& report = registered->report;
  ASSERT_THAT(registered->golden, SizeIs(2));
  EXPECT_EQ(registered->golden[0].frame.index, report.object->reference_frame);
  ASSERT_THAT(report.golden, SizeIs(3));
  EXPECT_TRUE(report.golden[0].registered);
  EXPECT_TRUE(report.golden[1].registered);
  EXPECT_FALSE(report.golden[2].registered);
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("frame 2 was left out: ")));
  EXPECT_FALSE(registered->views) << "classic looks at no views";
}

TEST_F(RegisterFramesTest, StacksTheViewsAndSaysHowManyItUsed) {
  request_.profile = kProfilePhotometric;
  auto video = CardVideo(5, 2);
  const auto registered = Register(FramesOf(*video));
  ASSERT_THAT(registered, IsOk());
  EXPECT_EQ(registered->report.views_chosen, 5);
  EXPECT_EQ(registered->report.views_used, 5);
  ASSERT_TRUE(registered->views);
  EXPECT_THAT(registered->views->greys, SizeIs(5));
  EXPECT_EQ(registered->views->greys[0].size(), registered->report.object->size);
}

TEST_F(RegisterFramesTest, LeavesOutWhatHasTooLittleTextureForTheParameters) {
  params_.registration.min_points = 1'000'000;
  const auto registered = Register();
  ASSERT_THAT(registered, IsOk());
  EXPECT_THAT(registered->golden, SizeIs(1)) << "the reference alone";
  EXPECT_THAT(registered->report.warnings, Contains(HasSubstr("too little texture")));
}

TEST_F(RegisterFramesTest, StacksOnlyTheReferenceWhereTheParametersAskForMorePatchesThanThereAre) {
  request_.profile = kProfilePhotometric;
  params_.tracking.fit.alignment.min_patches = 1'000'000;
  auto video = CardVideo(5, 2);
  const auto registered = Register(FramesOf(*video));
  ASSERT_THAT(registered, IsOk());
  EXPECT_EQ(registered->report.views_used, 1);
}

TEST_F(RegisterFramesTest, TakesTheReferenceAloneWhereNoViewCanBeRegistered) {
  request_.profile = kProfilePhotometric;
  const auto registered = Register();
  ASSERT_THAT(registered, IsOk());
  EXPECT_EQ(registered->report.views_used, 0);
  ASSERT_TRUE(registered->views);
  EXPECT_THAT(registered->views->greys, SizeIs(1));
}

TEST_F(RegisterFramesTest, LetsGoOfTheViewsFrames) {
  request_.profile = kProfilePhotometric;
  auto video = CardVideo(3, 2);
  std::vector<VideoFrame> views = FramesOf(*video);
  for (VideoFrame& view : views) view.luma = Plane();  // as the chooser keeps them
  const std::weak_ptr<const RawPicture> picture = views[1].picture;
  auto registered = Register(std::move(views));
  ASSERT_THAT(registered, IsOk());
  EXPECT_FALSE(picture.expired()) << "close-ups are cut out of it";
  registered->views.reset();
  EXPECT_TRUE(picture.expired());
}

}  // namespace
}  // namespace glint
