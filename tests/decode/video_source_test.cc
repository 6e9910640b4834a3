// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "glint/video.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"
#include "support/test_video.h"

namespace glint {
namespace {

TEST(VideoSource, GivesEveryFrameOnceInOrder) {
  const TempFolder folder;
  WriteTestVideo(folder.path() / "a.mp4", {.frames = 30, .b_frames = 2}, FillPattern);
  auto source = OpenVideo(folder.path() / "a.mp4", {}, {});
  ASSERT_THAT(source, IsOk());
  EXPECT_EQ((*source)->info().frames, 30);
  EXPECT_EQ((*source)->info().codec, "h264");
  EXPECT_NEAR((*source)->info().duration_s, 1, 1e-9);
  EXPECT_NEAR((*source)->info().frames_per_s, 30, 1e-9);
  for (int i = 0; i < 30; ++i) {
    auto frame = (*source)->Next();
    ASSERT_THAT(frame, IsOk());
    ASSERT_TRUE(frame->has_value());
    EXPECT_EQ((*frame)->index, i);
    EXPECT_NEAR(static_cast<double>((*frame)->timestamp_us), i * 1e6 / 30, 1);
    EXPECT_EQ((*frame)->luma.size(), (Size{64, 48}));
    EXPECT_EQ((*frame)->picture->ToRgb().size(), (Size{64, 48}));
  }
  auto end = (*source)->Next();
  ASSERT_THAT(end, IsOk());
  EXPECT_FALSE(end->has_value());
  EXPECT_EQ((*source)->summary().frames, 30);
  EXPECT_EQ((*source)->summary().damaged, 0);
  EXPECT_FALSE((*source)->summary().truncated);
}

}  // namespace
}  // namespace glint
