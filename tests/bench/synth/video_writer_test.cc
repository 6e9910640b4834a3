// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/video_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "glint/video.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::_;
using testing::HasSubstr;

Plane Flat(Size size, int value) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y)
    std::fill_n(plane.Row<std::uint8_t>(y), size.width, static_cast<std::uint8_t>(value));
  return plane;
}

Yuv420Picture FlatPicture(Size size, int y) {
  const Size half{size.width / 2, size.height / 2};
  return {Flat(size, y), Flat(half, 128), Flat(half, 128)};
}

TEST(VideoWriter, WhatItWritesIsReadBack) {
  const TempFolder folder;
  const auto file = folder.path() / "a.mp4";
  auto writer = VideoWriter::Open(file, {.size = {96, 64}, .rotation = 90, .frames_per_s = 25});
  ASSERT_THAT(writer, IsOk());
  for (int i = 0; i < 10; ++i)
    ASSERT_THAT((*writer)->Write(FlatPicture({96, 64}, 16 + 20 * i)), IsOk());
  ASSERT_THAT((*writer)->Finish(), IsOk());

  auto source = OpenVideo(file, {}, {});
  ASSERT_THAT(source, IsOk());
  EXPECT_EQ((*source)->info().rotation, 90);
  EXPECT_EQ((*source)->info().size, (Size{64, 96}));
  EXPECT_FALSE((*source)->info().full_range);
  for (int i = 0; i < 10; ++i) {
    const auto frame = (*source)->Next();
    ASSERT_THAT(frame, IsOk());
    ASSERT_TRUE(frame->has_value());
    EXPECT_EQ((*frame)->timestamp_us, i * 40'000);
    const int grey = 20 * i * 255 / 219;
    EXPECT_NEAR((*frame)->luma.Row<std::uint8_t>(50)[30], grey, 3) << i;
  }
  const auto end = (*source)->Next();
  ASSERT_THAT(end, IsOk());
  EXPECT_FALSE(end->has_value());
}

TEST(VideoWriter, SaysWhereItCannotWrite) {
  const TempFolder folder;
  EXPECT_THAT(VideoWriter::Open(folder.path() / "none" / "a.mp4", {.size = {96, 64}}),
              FailsWith(Reason::kOutputUnwritable, HasSubstr("a.mp4")));
}

TEST(VideoWriter, AFullDiskIsToldApart) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  auto writer = VideoWriter::Open("/dev/full", {.size = {96, 64}});
  absl::Status status = writer.status();
  for (int i = 0; status.ok() && i < 10; ++i)
    status = (*writer)->Write(FlatPicture({96, 64}, 16 + 20 * i));
  if (status.ok()) status = (*writer)->Finish();
  EXPECT_THAT(status, FailsWith(Reason::kDiskFull, HasSubstr("/dev/full")));
}

TEST(VideoWriter, RefusesPicturesOfAnotherSize) {
  const TempFolder folder;
  auto writer = VideoWriter::Open(folder.path() / "a.mp4", {.size = {96, 64}});
  ASSERT_THAT(writer, IsOk());
  EXPECT_THAT((*writer)->Write(FlatPicture({64, 96}, 50)), FailsWith(Reason::kInternal, _));
}

}  // namespace
}  // namespace glint
