// SPDX-License-Identifier: Apache-2.0
// The search for the object on real clips of the shared data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "analyse/location/object_search.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/quadrilateral.h"
#include "base/thread_pool.h"
#include "support/sanitized.h"
#include "support/shared_data.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

constexpr std::int64_t kFrames = 24;

/// So many frames spread evenly over a clip, the first one among them.
std::vector<VideoFrame> FramesOf(const std::string& file) {
  const auto path = *SharedData() / file;
  auto video = OpenVideo(path, {}, {});
  EXPECT_THAT(video, IsOk());
  const std::int64_t every = std::max<std::int64_t>(1, (*video)->info().frames / kFrames);
  std::vector<VideoFrame> frames;
  for (auto next = (*video)->Next(); next.ok() && next->has_value(); next = (*video)->Next()) {
    if ((*next)->index % every == 0 && std::ssize(frames) < kFrames) frames.push_back(**next);
  }
  return frames;
}

struct RealClip {
  const char* name;
  const char* file;
  std::optional<Quadrilateral> first;  ///< the outline in frame 0, by eye; nothing: no object
};

void PrintTo(const RealClip& clip, std::ostream* out) { *out << clip.name; }

class RealClips : public testing::TestWithParam<RealClip> {};

TEST_P(RealClips, GiveTheObjectOrNone) {
  GLINT_NEEDS_SHARED_DATA();
  if (kSanitized) GTEST_SKIP() << "the drawn clips are enough";
  const RealClip& clip = GetParam();
  const std::vector<VideoFrame> frames = FramesOf(clip.file);
  ThreadPool pool(2);
  const auto over = SearchObject(frames, std::nullopt, pool);
  ASSERT_THAT(over, IsOk());
  if (!clip.first) {
    ASSERT_TRUE(over->not_judged) << over->confidence;
    EXPECT_EQ(over->not_judged->cause, NotJudgedCause::kNoObject);
    return;
  }
  EXPECT_FALSE(over->not_judged) << over->confidence;
  const auto seen = std::ranges::find(over->frames, 0, &ObjectInFrame::frame);
  ASSERT_NE(seen, over->frames.end());
  EXPECT_LT(TurnedCornerDistance(seen->corners, *clip.first), 0.02 * Diagonal(*clip.first));
}

INSTANTIATE_TEST_SUITE_P(
    Shared, RealClips,
    testing::Values(RealClip{"BookHeldBeforeAWall",
                             "clips/tmt_book1_531f.mp4",
                             {{{{296, 295}, {466, 288}, {472, 514}, {311, 525}}}}},
                    RealClip{"BooksBesideEachOther",
                             "clips/book_handheld_641f.mp4",
                             {{{{128, 76}, {418, 61}, {430, 425}, {135, 431}}}}},
                    RealClip{"PanOverARoom", "clips/phone_1080p_hevc10_rotated.mp4", {}},
                    RealClip{
                        "PanelThatFillsThePicture", "clips/phone_4k_portrait_flatpanel.mp4", {}}),
    [](const auto& clip) { return std::string(clip.param.name); });

}  // namespace
}  // namespace glint
