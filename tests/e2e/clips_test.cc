// SPDX-License-Identifier: Apache-2.0
// Every real and every broken clip of the shared data through the whole library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/thread_pool.h"
#include "glint/error.h"
#include "glint/scan.h"
#include "support/memory_store.h"
#include "support/sanitized.h"
#include "support/shared_data.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

absl::StatusOr<ScanResult> Scan(const std::string& clip, ObjectStore& store) {
  ThreadPool pool(2);
  auto choice = SelectBackend("cpu", BackendTable(), {.pool = &pool});
  EXPECT_THAT(choice, IsOk());
  DevicePool devices(*std::move(choice));
  const auto fetcher = MakeFileFetcher();
  const std::string input = (*SharedData() / "clips" / (clip + ".mp4")).string();
  const ScanRequest request{.scan_id = clip, .input = input, .prefix = clip, .profile = "classic"};
  return RunScan(request, {*fetcher, store, devices, pool}, {});
}

struct GoodClip {
  const char* name;
  Size size;           // as displayed
  std::size_t frames;  // that can be decoded
  bool truncated;      // and the report says so
  bool damaged;        // some packets are
  const char* method;  // how the object was found; nullptr: no frame is usable; empty: any way
  std::size_t golden;  // frames
};

void PrintTo(const GoodClip& clip, std::ostream* out) { *out << clip.name; }

class GoodClips : public testing::TestWithParam<GoodClip> {};

/// Under a sanitizer one clip, damaged and cut off, stands for all; where sizes are looked at (for
/// overflows, by UndefinedBehaviorSanitizer), the one of the largest frames, too.
bool IsEnoughForSanitizers(const std::string& name) {
  return name == "broken_truncated_midstream" ||
         (!kThreadSanitized && name == "phone_4k_portrait_flatpanel");
}

TEST_P(GoodClips, GiveASensibleResult) {
  GLINT_NEEDS_SHARED_DATA();
  const GoodClip& clip = GetParam();
  if (kSanitized && !IsEnoughForSanitizers(clip.name)) GTEST_SKIP() << "more of the same frames";
  MemoryStore store;
  const auto result = Scan(clip.name, store);
  ASSERT_THAT(result, IsOk());
  const ScanReport& report = result->report;
  EXPECT_EQ(report.video.size, clip.size);
  EXPECT_THAT(report.frames, SizeIs(clip.frames));
  EXPECT_EQ(report.decoding.truncated, clip.truncated);
  EXPECT_EQ(report.decoding.damaged > 0, clip.damaged);
  EXPECT_EQ(report.decoding.warnings.empty(), !clip.truncated && !clip.damaged);
  EXPECT_THAT(report.golden, SizeIs(clip.golden));
  ASSERT_EQ(report.object.has_value(), clip.method != nullptr);
  if (clip.method == nullptr) {
    EXPECT_EQ(report.outcome, ScanOutcome::kNoUsableFrames);
    EXPECT_THAT(report.advice, Not(IsEmpty()));
    return;
  }
  EXPECT_EQ(report.outcome, ScanOutcome::kScanned);
  if (*clip.method != 0) {
    EXPECT_EQ(report.object->method, clip.method);
  }
  EXPECT_GT(report.regions_found, 0);
  const auto json = nlohmann::json::parse(store.sets().at(clip.name).at("report.json"));
  EXPECT_EQ(json["outcome"], "scanned");
}

INSTANTIATE_TEST_SUITE_P(
    Shared, GoodClips,
    testing::Values(
        GoodClip{"book_handheld_641f", {640, 480}, 641, false, false, "outline", 5},
        // A small book in a cluttered room: a result is wanted, whatever outline it takes.
        GoodClip{"tmt_book1_531f", {800, 600}, 531, false, false, "", 5},
        // A pan over a room: it never rests.
        GoodClip{"phone_1080p_hevc10_rotated", {1080, 1920}, 77, false, false, nullptr, 0},
        // A wall panel that fills the picture; 18 frames have room for two golden ones.
        GoodClip{"phone_4k_portrait_flatpanel", {2160, 3840}, 18, false, false, "full frame", 2},
        GoodClip{"broken_truncated_midstream", {640, 480}, 275, true, true, "outline", 5},
        GoodClip{"broken_bitflips", {640, 480}, 458, false, true, "outline", 5}),
    [](const auto& clip) { return std::string(clip.param.name); });

TEST(BrokenClips, AreRefusedWithTheReasonAndLeaveNothing) {
  GLINT_NEEDS_SHARED_DATA();
  struct Case {
    const char* name;
    Reason reason;
    const char* says;
  };
  for (const Case& clip : {Case{"empty", Reason::kNotAVideo, "is empty"},
                           Case{"not_a_video", Reason::kNotAVideo, "is a text file"},
                           Case{"broken_no_moov", Reason::kCorruptVideo, "index"}}) {
    MemoryStore store;
    EXPECT_THAT(Scan(clip.name, store),
                FailsWith(clip.reason, AllOf(HasSubstr("decoding: "), HasSubstr(clip.says),
                                             HasSubstr(std::string(clip.name) + ".mp4"))));
    EXPECT_THAT(store.sets(), IsEmpty());
  }
}

}  // namespace
}  // namespace glint
