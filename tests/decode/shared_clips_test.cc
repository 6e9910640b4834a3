// SPDX-License-Identifier: Apache-2.0
// The real clips, sound and broken, that lie beside the repository.
#include <gtest/gtest.h>

#include "decode/decode_all.h"
#include "support/shared_data.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

struct Clip {
  const char* name;
  const char* codec;
  Size size;
  int rotation;
  std::int64_t announced;  // packets that an edit list does not cut
  std::int64_t frames;     // that decode soundly
  bool truncated;
};

TEST(SharedClips, GiveEveryFrame) {
  GLINT_NEEDS_SHARED_DATA();
  for (const Clip& clip : {
           Clip{"book_handheld_641f.mp4", "h264", {640, 480}, 0, 641, 641, false},
           Clip{"tmt_book1_531f.mp4", "h264", {800, 600}, 0, 531, 531, false},
           Clip{"phone_1080p_hevc10_rotated.mp4", "hevc", {1080, 1920}, 90, 77, 77, false},
           Clip{"phone_4k_portrait_flatpanel.mp4", "h264", {2160, 3840}, 90, 18, 18, false},
           Clip{"broken_truncated_midstream.mp4", "h264", {640, 480}, 0, 276, 275, true},
       }) {
    SCOPED_TRACE(clip.name);
    auto source = OpenVideoInProcess(*SharedData() / "clips" / clip.name, {});
    ASSERT_THAT(source, IsOk());
    std::int64_t frames = 0;
    std::int64_t last_us = -1;
    while (true) {
      const auto frame = (*source)->Next();
      ASSERT_THAT(frame, IsOk());
      if (!frame->has_value()) break;
      EXPECT_EQ((*frame)->index, frames++);
      EXPECT_GT((*frame)->timestamp_us, last_us);
      last_us = (*frame)->timestamp_us;
    }
    EXPECT_EQ((*source)->info().codec, clip.codec);
    EXPECT_EQ((*source)->info().size, clip.size);
    EXPECT_EQ((*source)->info().rotation, clip.rotation);
    EXPECT_EQ((*source)->info().frames, clip.announced);
    EXPECT_EQ(frames, clip.frames);
    EXPECT_EQ((*source)->summary().truncated, clip.truncated);
  }
}

TEST(SharedClips, WithBitErrorsGiveWhatIsSound) {
  GLINT_NEEDS_SHARED_DATA();
  const auto file = *SharedData() / "clips/broken_bitflips.mp4";
  const auto one = DecodeAll(file, {.threads = 1});
  const auto two = DecodeAll(file, {.threads = 2});
  ASSERT_THAT(one, IsOk());
  ASSERT_THAT(two, IsOk());
  EXPECT_GE(one->summary.frames, 213);  // the first third is whole
  EXPECT_GT(one->summary.damaged, 0);
  EXPECT_EQ(one->summary.frames, two->summary.frames);
  EXPECT_EQ(one->summary.damaged, two->summary.damaged);
}

TEST(SharedClips, ThatAreNoVideosAreRefused) {
  GLINT_NEEDS_SHARED_DATA();
  const auto clips = *SharedData() / "clips";
  EXPECT_THAT(OpenVideoInProcess(clips / "broken_no_moov.mp4", {}),
              FailsWith(Reason::kCorruptVideo, HasSubstr("index")));
  EXPECT_THAT(OpenVideoInProcess(clips / "empty.mp4", {}),
              FailsWith(Reason::kNotAVideo, HasSubstr("empty")));
  EXPECT_THAT(OpenVideoInProcess(clips / "not_a_video.mp4", {}),
              FailsWith(Reason::kNotAVideo, HasSubstr("text")));
}

}  // namespace
}  // namespace glint
