// SPDX-License-Identifier: Apache-2.0
// A child that was taken over by its video says what it wants; the worker believes none of it.
#include <gtest/gtest.h>

#include "decode/sandbox/child_roles.h"
#include "decode/sandbox/processes.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(LyingChild, IsFoundOutAndEnded) {
  const TempFolder folder;
  const auto file = folder.Write("a.mkv", "a child that does not read it");
  const std::size_t descriptors = OpenDescriptors();
  for (const auto& [role, words] : LyingRoles()) {
    SCOPED_TRACE(role.name);
    absl::Status status;
    {
      auto video = OpenVideoInSandbox(file, {}, {}, WithRole(role.name));
      status = video.status();
      std::vector<VideoFrame> held;  // so that a slot that is sent twice is in use
      while (status.ok()) {
        auto frame = (*video)->Next();
        status = frame.status();
        ASSERT_TRUE(!frame.ok() || frame->has_value()) << "believed to the end";
        if (frame.ok()) held.push_back(**std::move(frame));
      }
    }
    EXPECT_THAT(status,
                FailsWith(Reason::kDecoderDied,
                          AllOf(HasSubstr("nonsense"), HasSubstr(words), HasSubstr("a.mkv"))));
    EXPECT_TRUE(Children().empty());
    EXPECT_EQ(OpenDescriptors(), descriptors);
    EXPECT_EQ(SharedMappings(), 0U);
  }
}

TEST(LyingChild, ThatIsHonestIsBelieved) {
  const TempFolder folder;
  const auto file = folder.Write("a.mkv", "a child that does not read it");
  auto video = OpenVideoInSandbox(file, {}, {}, WithRole("honest"));
  ASSERT_THAT(video, IsOk());
  EXPECT_EQ((*video)->info().size, (Size{32, 32}));
  std::vector<VideoFrame> held;  // the child has one slot: the held ones must move out of it
  for (int i = 0; i < 3; ++i) {
    auto frame = (*video)->Next();
    ASSERT_THAT(frame, IsOk());
    ASSERT_TRUE(frame->has_value());
    held.push_back(**std::move(frame));
    EXPECT_EQ(held.back().timestamp_us, i);
  }
  const auto end = (*video)->Next();
  ASSERT_THAT(end, IsOk());
  EXPECT_FALSE(end->has_value());
  EXPECT_EQ((*video)->summary().frames, 3);
  EXPECT_EQ((*video)->summary().warnings, std::vector<std::string>{"a warning"});
  for (const VideoFrame& frame : held) {
    EXPECT_EQ(frame.picture->ToRgb().size(), (Size{32, 32}));
    EXPECT_EQ(frame.luma.Row<std::uint8_t>(31)[31], 0);
  }
}

}  // namespace
}  // namespace glint
