// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "glint/error.h"
#include "scan/steps/scan_steps_test.h"

namespace glint {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class MeasureVideoTest : public ScanSteps {};

TEST_F(MeasureVideoTest, MeasuresEveryFrameAndMotionWhereItDecides) {
  const auto measured = MeasureVideo(scan(), stages_, OpenedOf(CardVideo(12, 0.1)));
  ASSERT_THAT(measured, IsOk());
  EXPECT_THAT(measured->report.frames, SizeIs(12));
  EXPECT_EQ(measured->report.decoding.frames, 12);
  EXPECT_EQ(measured->report.motion_mode, "needed");
  EXPECT_FALSE(measured->views) << "classic looks at no views";
}

TEST_F(MeasureVideoTest, MeasuresAllMotionWhereThatIsAskedFor) {
  request_.motion = MotionMode::kAll;
  const auto measured = MeasureVideo(scan(), stages_, OpenedOf(CardVideo(6, 0.1)));
  ASSERT_THAT(measured, IsOk());
  EXPECT_EQ(measured->report.motion_mode, "all");
  for (const FrameMeasure& frame : measured->report.frames) {
    EXPECT_EQ(frame.motion256.has_value(), frame.index > 0) << frame.index;
  }
}

TEST_F(MeasureVideoTest, LetsGoOfTheVideo) {
  const auto drawn = std::make_shared<Plane>(Card(0));
  auto video = std::make_unique<FakeVideo>(kFrame, 4, [drawn](std::int64_t) { return *drawn; });
  ASSERT_EQ(drawn.use_count(), 2);
  const auto measured = MeasureVideo(scan(), stages_, OpenedOf(std::move(video)));
  ASSERT_THAT(measured, IsOk());
  EXPECT_EQ(drawn.use_count(), 1);
}

TEST_F(MeasureVideoTest, FailsAsTheVideoDoes) {
  auto video = CardVideo(8, 0);
  video->FailAt(5, Error(Reason::kCorruptVideo, "frame 5 is damaged"));
  EXPECT_THAT(MeasureVideo(scan(), stages_, OpenedOf(std::move(video))),
              FailsWith(Reason::kCorruptVideo, HasSubstr("frame 5")));
}

class SelectFramesTest : public ScanSteps {
 protected:
  absl::StatusOr<Selected> Select(std::int64_t frames, double px_per_frame) {
    auto measured = MeasureVideo(scan(), stages_, OpenedOf(CardVideo(frames, px_per_frame)));
    if (!measured.ok()) return measured.status();
    return SelectFrames(scan(), *std::move(measured));
  }
};

TEST_F(SelectFramesTest, GivesGoldenFramesApartSharpestFirst) {
  request_.golden_frames = 3;
  request_.golden_gap = 8;
  const auto selected = Select(30, 0.1);
  ASSERT_THAT(selected, IsOk());
  EXPECT_EQ(selected->report.outcome, ScanOutcome::kScanned);
  const auto& golden = selected->report.golden;
  ASSERT_THAT(golden, SizeIs(3));
  ASSERT_THAT(selected->golden, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(selected->golden[i].index, golden[i].measure.index);
    EXPECT_FALSE(selected->golden[i].luma.empty());
    if (i > 0) {
      EXPECT_LE(golden[i].measure.sharpness16, golden[i - 1].measure.sharpness16);
      EXPECT_GE(std::abs(golden[i].measure.index - golden[0].measure.index), 8);
    }
  }
  EXPECT_THAT(selected->views, IsEmpty());
  EXPECT_THAT(selected->report.stages, Not(IsEmpty()));
}

TEST_F(SelectFramesTest, GivesViewsInTheirOrderToDetectorsThatLookAtThem) {
  request_.profile = kProfilePhotometric;
  const auto selected = Select(30, 0.1);
  ASSERT_THAT(selected, IsOk());
  ASSERT_GT(selected->views.size(), 10);
  EXPECT_TRUE(std::ranges::is_sorted(selected->views, {}, &VideoFrame::index));
}

TEST_F(SelectFramesTest, GivesNoMoreViewsThanTheParametersAllow) {
  request_.profile = kProfilePhotometric;
  params_.selection.max_views = 3;
  const auto selected = Select(30, 0.1);
  ASSERT_THAT(selected, IsOk());
  EXPECT_THAT(selected->views, SizeIs(3));
}

TEST_F(SelectFramesTest, SaysWhatToDoWhereNoFrameIsSteady) {
  const auto selected = Select(20, 6);
  ASSERT_THAT(selected, IsOk());
  EXPECT_THAT(selected->golden, IsEmpty());
  EXPECT_EQ(selected->report.outcome, ScanOutcome::kNoUsableFrames);
  EXPECT_THAT(selected->report.advice, Contains(HasSubstr("moved too much")));
}

}  // namespace
}  // namespace glint
