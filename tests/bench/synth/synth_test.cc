// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/synth.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>
#include <map>
#include <stop_token>

#include "base/thread_pool.h"
#include "bench/eval/score.h"
#include "glint/video.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using testing::_;
using testing::HasSubstr;
using testing::IsEmpty;

SynthOptions Small(std::uint32_t seed) {
  SynthOptions options;
  options.seed = seed;
  options.video_size = {320, 180};
  options.rotation = 90;
  options.frames = 12;
  return options;
}

std::map<std::string, std::string> FilesOf(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), folder).string()] = {std::istreambuf_iterator<char>(stream),
                                                          {}};
  }
  return files;
}

absl::StatusOr<SynthResult> Render(const SynthOptions& options, const fs::path& folder,
                                   int threads = 2) {
  ThreadPool pool(threads);
  return RenderScan(options, folder, pool, {}, {});
}

TEST(RenderScan, TheSameSeedGivesTheSameBytesForAnyNumberOfThreads) {
  const TempFolder folder;
  ASSERT_THAT(Render(Small(1), folder.path() / "one", 1), IsOk());
  ASSERT_THAT(Render(Small(1), folder.path() / "three", 3), IsOk());
  const auto one = FilesOf(folder.path() / "one");
  const auto three = FilesOf(folder.path() / "three");
  ASSERT_GE(one.size(), 4U);
  for (const auto& [name, content] : one) {
    ASSERT_TRUE(three.count(name)) << name;
    EXPECT_TRUE(three.at(name) == content) << name << " differs";
  }
  EXPECT_EQ(one.size(), three.size());
}

TEST(RenderScan, AnotherSeedGivesAnotherScan) {
  const TempFolder folder;
  SynthOptions options = Small(1);
  options.name = "scan";
  ASSERT_THAT(Render(options, folder.path() / "1"), IsOk());
  options.seed = 2;
  ASSERT_THAT(Render(options, folder.path() / "2"), IsOk());
  const auto one = FilesOf(folder.path() / "1");
  const auto two = FilesOf(folder.path() / "2");
  for (const char* name : {"scan.mp4", "scan.labels.json", "scan.mask_flat.png"})
    EXPECT_NE(one.at(name), two.at(name)) << name;
}

TEST(RenderScan, EverythingThatScoringNeedsIsThereAndFits) {
  const TempFolder folder;
  const auto result = Render(Small(3), folder.path());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->name, "page_3");
  EXPECT_EQ(result->display_size, (Size{180, 320}));
  const auto labels = ReadLabels(result->labels);
  ASSERT_THAT(labels, IsOk());
  EXPECT_EQ(labels->clip, result->video);
  EXPECT_EQ(labels->flat_size, result->flat_size);
  EXPECT_EQ(labels->corners.size(), 12U);
  EXPECT_EQ(labels->defects.size(), static_cast<std::size_t>(result->defects));
  EXPECT_GE(result->defects, 5);
  for (std::size_t i = 1; i < result->masks.size(); ++i) {
    const auto mask = ReadMask(result->masks[i]);
    ASSERT_THAT(mask, IsOk());
    EXPECT_EQ(mask->size(), result->display_size);
  }
  // The frame's mask, read as a scan that took the frame for the object, is the flat mask.
  LocatedObject frame;
  frame.corners = {Point{0, 0}, {180, 0}, {180, 320}, {0, 320}};
  frame.size = result->display_size;
  const auto mask = ReadMask(folder.path() / "page_3.mask_f0000.png");
  ASSERT_THAT(mask, IsOk());
  const auto score = ScoreMask(*labels, *mask, frame);
  ASSERT_THAT(score, IsOk());
  EXPECT_GT(score->agreement->f, 0.999);
}

TEST(RenderScan, ACleanScanMarksNothing) {
  const TempFolder folder;
  SynthOptions options = Small(3);
  options.clean = true;
  const auto result = Render(options, folder.path());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->name, "page_3_clean");
  EXPECT_EQ(result->defects, 0);
  const auto labels = ReadLabels(result->labels);
  ASSERT_THAT(labels, IsOk());
  const auto score = ScoreMask(*labels, labels->ids, std::nullopt);
  ASSERT_THAT(score, IsOk());
  EXPECT_EQ(score->marked, 0);
}

/// Where along the line from `inside` to `outside` brightness changes most, in pixels from its
/// middle.
double EdgeOffset(const Plane& luma, Point inside, Point outside) {
  const double length = std::hypot(outside.x - inside.x, outside.y - inside.y);
  const auto sample = [&](double t) {
    const double x = inside.x + (outside.x - inside.x) * t;
    const double y = inside.y + (outside.y - inside.y) * t;
    const int left = static_cast<int>(x);
    const int top = static_cast<int>(y);
    const auto* upper = luma.Row<std::uint8_t>(top) + left;
    const auto* lower = luma.Row<std::uint8_t>(top + 1) + left;
    return (upper[0] * (left + 1 - x) + upper[1] * (x - left)) * (top + 1 - y) +
           (lower[0] * (left + 1 - x) + lower[1] * (x - left)) * (y - top);
  };
  double best = 0;
  double offset = 0;
  const auto quarters = static_cast<int>(4 * length - 8);
  for (int i = 0; i <= quarters; ++i) {
    const double d = -length / 2 + 1 + 0.25 * i;
    const double step = std::abs(sample((d + 1) / length + 0.5) - sample((d - 1) / length + 0.5));
    if (step <= best) continue;
    best = step;
    offset = d;
  }
  return best < 12 ? 1e9 : offset;
}

TEST(RenderScan, TheLabelsCornersSpanTheEdgesInThePicture) {
  const TempFolder folder;
  SynthOptions options = Small(5);
  options.video_size = {640, 360};
  options.clean = true;
  const auto result = Render(options, folder.path());
  ASSERT_THAT(result, IsOk());
  const auto labels = ReadLabels(result->labels);
  ASSERT_THAT(labels, IsOk());
  auto source = OpenVideo(result->video, {}, {});
  ASSERT_THAT(source, IsOk());
  ASSERT_EQ((*source)->info().size, result->display_size);
  for (std::size_t i = 0; i < 12; ++i) {
    const auto frame = (*source)->Next();
    ASSERT_THAT(frame, IsOk());
    ASSERT_TRUE(frame->has_value());
    const Quadrilateral& corners = labels->corners[i];
    for (std::size_t side = 0; side < 4; ++side) {
      const Point& from = corners[side];
      const Point& to = corners[(side + 1) % 4];
      const double length = std::hypot(to.x - from.x, to.y - from.y);
      const Point outwards{(to.y - from.y) / length, -(to.x - from.x) / length};
      for (const double t : {0.3, 0.7}) {
        const Point on{from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
        EXPECT_LT(
            std::abs(EdgeOffset((*frame)->luma, {on.x - 4 * outwards.x, on.y - 4 * outwards.y},
                                {on.x + 4 * outwards.x, on.y + 4 * outwards.y})),
            1.01)
            << "frame " << i << " side " << side << " at " << t;
      }
    }
  }
}

TEST(RenderScan, TellsItsProgressAndStopsWhenAsked) {
  const TempFolder folder;
  ThreadPool pool(2);
  std::stop_source stop;
  int told = 0;
  const auto progress = [&](int done, int frames) {
    EXPECT_EQ(done, ++told);
    EXPECT_EQ(frames, 12);
    if (done == 3) stop.request_stop();
  };
  EXPECT_THAT(RenderScan(Small(1), folder.path(), pool, progress, CancelToken(stop.get_token())),
              FailsWith(Reason::kCancelled, _));
  EXPECT_EQ(told, 3);
  EXPECT_THAT(FilesOf(folder.path()), IsEmpty());
}

TEST(RenderScan, RefusesAFolderThatCannotBeWritten) {
  const TempFolder folder;
  const auto file = folder.Write("file", "x");
  EXPECT_THAT(Render(Small(1), file), FailsWith(Reason::kOutputUnwritable, HasSubstr("file")));
  const fs::path locked = folder.path() / "locked";
  fs::create_directory(locked);
  fs::permissions(locked, fs::perms::owner_read | fs::perms::owner_exec);
  const WithoutRootRights rights;
  EXPECT_THAT(Render(Small(1), locked), FailsWith(Reason::kOutputUnwritable, HasSubstr("locked")));
}

TEST(RenderScan, AFailedWriteLeavesNothing) {
  const TempFolder folder;
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &usual), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 4096, .rlim_max = usual.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto result = Render(Small(1), folder.path());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &usual), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_THAT(result, FailsWith(Reason::kOutputUnwritable, HasSubstr("page_1.mp4")));
  EXPECT_THAT(FilesOf(folder.path()), IsEmpty());
}

}  // namespace
}  // namespace glint
