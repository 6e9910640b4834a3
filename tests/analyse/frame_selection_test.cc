// SPDX-License-Identifier: Apache-2.0
#include "analyse/frame_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <string>

namespace glint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

FrameMeasure Measure(std::int64_t index, std::int64_t sharpness16, bool eligible) {
  FrameMeasure measure;
  measure.index = index;
  measure.sharpness16 = sharpness16;
  if (index > 0) measure.motion256 = eligible ? 100 : 1000;
  measure.eligible = eligible;
  return measure;
}

VideoFrame Frame(std::int64_t index) {
  VideoFrame frame;
  frame.index = index;
  return frame;
}

std::vector<std::int64_t> Indices(const std::vector<SelectedFrame>& chosen) {
  std::vector<std::int64_t> indices;
  for (const auto& [measure, frame] : chosen) {
    EXPECT_EQ(measure.index, frame.index);
    indices.push_back(measure.index);
  }
  return indices;
}

/// The choice from the whole clip at once, as the reference script `common.py` makes it.
std::vector<std::int64_t> OfflineGolden(std::vector<FrameMeasure> clip, std::size_t count,
                                        int gap) {
  std::ranges::stable_sort(clip, std::greater<>(), &FrameMeasure::sharpness16);
  std::vector<std::int64_t> chosen;
  for (const FrameMeasure& m : clip) {
    const bool free =
        std::ranges::all_of(chosen, [&](auto other) { return std::abs(other - m.index) >= gap; });
    if (m.eligible && free && chosen.size() < count) chosen.push_back(m.index);
  }
  return chosen;
}

/// The choice from the whole clip at once, with floating-point percentiles.
std::vector<std::int64_t> OfflineViews(const std::vector<FrameMeasure>& clip, int bins, int views) {
  std::vector<double> sharpness;
  sharpness.reserve(clip.size());
  for (const FrameMeasure& m : clip) sharpness.push_back(static_cast<double>(m.sharpness16));
  std::ranges::sort(sharpness);
  const double position = 0.85 * static_cast<double>(sharpness.size() - 1);
  const auto rank = static_cast<std::size_t>(position + 1e-9);
  const double above = sharpness[std::min(rank + 1, sharpness.size() - 1)];
  const double percentile = std::lerp(sharpness[rank], above, position - static_cast<double>(rank));
  std::vector<std::int64_t> kept;
  for (int bin = 0; bin < bins; ++bin) {
    const FrameMeasure* best = nullptr;
    for (const FrameMeasure& m : clip) {
      if (m.index * bins / static_cast<std::int64_t>(clip.size()) != bin) continue;
      if (!best || m.sharpness16 > best->sharpness16) best = &m;
    }
    if (best && static_cast<double>(best->sharpness16) >= 0.55 * percentile - 1e-6)
      kept.push_back(best->index);
  }
  const auto count = std::min(kept.size(), static_cast<std::size_t>(views));
  std::vector<std::int64_t> thinned;
  for (std::size_t i = 0; i < count; ++i) {
    const double step = static_cast<double>(kept.size() - 1) / std::max(1.0, count - 1.0);
    thinned.push_back(
        kept[static_cast<std::size_t>(std::floor(static_cast<double>(i) * step + 0.5 + 1e-9))]);
  }
  return thinned;
}

/// Clips of all kinds: noise, ties, rising, falling, waves, few or no eligible frames.
std::vector<FrameMeasure> RandomClip(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  const std::int64_t frames = 1 + below(200);
  const std::int64_t kind = below(5);
  const std::int64_t values = below(2) == 0 ? 4 : 10'000;
  const std::int64_t shaky_of_8 = below(9);
  std::vector<FrameMeasure> clip;
  for (std::int64_t i = 0; i < frames; ++i) {
    std::int64_t sharpness16 = below(static_cast<std::uint32_t>(values));
    if (kind == 1) sharpness16 = 1000 + i;
    if (kind == 2) sharpness16 = 1000 - i;
    if (kind == 3) sharpness16 = 1000;
    if (kind == 4) sharpness16 = 1000 + std::abs(i % 40 - 20) * 10 + below(5);
    clip.push_back(Measure(i, sharpness16, i > 0 && below(8) >= shaky_of_8));
  }
  return clip;
}

TEST(QuantiseSharpness, RoundsTheExactVarianceHalfUp) {
  // 4 pixels, Laplacians 0 0 0 1: variance 3/16. 2 pixels, 0 1: 1/4 = 4/16.
  EXPECT_EQ(QuantiseSharpness({.pixels = 4, .laplacian_sum = 1, .laplacian_square_sum = 1}), 3);
  EXPECT_EQ(QuantiseSharpness({.pixels = 2, .laplacian_sum = 1, .laplacian_square_sum = 1}), 4);
  // 8 pixels, one of them 1: 7/64 = 1.75/16. 8 pixels, sum 2, squares 2: 12/64 = 3/16 exactly.
  EXPECT_EQ(QuantiseSharpness({.pixels = 8, .laplacian_sum = 1, .laplacian_square_sum = 1}), 2);
  EXPECT_EQ(QuantiseSharpness({.pixels = 8, .laplacian_sum = 2, .laplacian_square_sum = 2}), 3);
  // 16 pixels, sum 4, squares 2.5 * 16 / 16 ... (16 * 2 - 16) / 256 = 1/16; half: 24/256 = 1.5/16.
  EXPECT_EQ(QuantiseSharpness({.pixels = 16, .laplacian_sum = 4, .laplacian_square_sum = 2}), 1);
  EXPECT_EQ(QuantiseSharpness({.pixels = 16, .laplacian_sum = 0, .laplacian_square_sum = 0}), 0);
}

TEST(QuantiseSharpness, DoesNotOverflowOnTheLargestFrames) {
  const std::int64_t pixels = 8192LL * 4320;
  const std::int64_t square = 1020LL * 1020;
  EXPECT_EQ(QuantiseSharpness(
                {.pixels = pixels, .laplacian_sum = 0, .laplacian_square_sum = pixels * square}),
            16 * square);
}

TEST(QuantiseMotion, RoundsHalfUp) {
  EXPECT_EQ(QuantiseMotion(0), 0);
  EXPECT_EQ(QuantiseMotion(1.0), 256);
  EXPECT_EQ(QuantiseMotion(0.5 / 256), 1);
  EXPECT_EQ(QuantiseMotion(0.49 / 256), 0);
}

TEST(IsSteady, ScalesTheLimitWithTheWidthAndIncludesIt) {
  EXPECT_TRUE(IsSteady(256, MotionLimit(640)));
  EXPECT_FALSE(IsSteady(257, MotionLimit(640)));
  EXPECT_TRUE(IsSteady(768, MotionLimit(1920)));
  EXPECT_FALSE(IsSteady(std::nullopt, MotionLimit(1920)));
}

TEST(GoldenFrameSelector, ChoosesAsFromTheWholeClip) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const int count = 1 + static_cast<int>(random() % 6);
    const int gap = 1 + static_cast<int>(random() % 20);
    const std::vector<FrameMeasure> clip = RandomClip(random);
    GoldenFrameSelector chooser(count, gap);
    for (const FrameMeasure& m : clip) {
      chooser.Add(m, Frame(m.index));
      ASSERT_LE(chooser.held(), static_cast<std::size_t>(count * gap));
    }
    ASSERT_EQ(Indices(chooser.Finish()), OfflineGolden(clip, static_cast<std::size_t>(count), gap))
        << "round " << round << ", count " << count << ", gap " << gap;
  }
}

TEST(GoldenFrameSelector, HoldsNoFrameThatNoFutureCanChoose) {
  // Every frame that is held after `past` must be in the choice for some future: try them all, one
  // eligible frame of any rank within the gap, or none.
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const int count = 1 + static_cast<int>(random() % 4);
    const int gap = 1 + static_cast<int>(random() % 8);
    const std::vector<FrameMeasure> past = RandomClip(random);
    std::set<std::int64_t> reachable;
    for (int distance = 0; distance <= gap; ++distance) {
      for (const std::int64_t sharpness16 : {0, 1'000'000}) {
        std::vector<FrameMeasure> clip = past;
        if (distance > 0) {
          const auto next = static_cast<std::int64_t>(past.size()) - 1 + distance;
          clip.push_back(Measure(next, sharpness16, true));
        }
        for (const auto index : OfflineGolden(clip, static_cast<std::size_t>(count), gap))
          reachable.insert(index);
      }
    }
    GoldenFrameSelector chooser(count, gap);
    for (const FrameMeasure& m : past) chooser.Add(m, Frame(m.index));
    ASSERT_LE(chooser.held(), reachable.size()) << "round " << round;
  }
}

/// Feeds a clip to a chooser in pieces of random lengths and measures motion only on demand.
/// @return how many frames' motion was asked for
template <class Chooser>
int FeedOnDemand(Chooser& chooser, const std::vector<FrameMeasure>& clip, std::mt19937& random) {
  int asked = 0;
  const auto measure = [&](Candidate& candidate) {
    EXPECT_FALSE(candidate.measure.motion256) << "asked twice";
    candidate.measure = clip[static_cast<std::size_t>(candidate.measure.index)];
    ++asked;
    return absl::OkStatus();
  };
  for (std::size_t at = 0; at < clip.size();) {
    const std::size_t end = std::min(clip.size(), at + 1 + random() % 40);
    std::vector<Candidate> piece;
    for (; at < end; ++at) {
      FrameMeasure unknown = clip[at];
      unknown.motion256.reset();
      unknown.eligible = false;
      piece.push_back({.measure = unknown, .frame = Frame(clip[at].index)});
    }
    EXPECT_TRUE(chooser.Add(piece, measure).ok());
  }
  return asked;
}

TEST(GoldenFrameSelector, ChoosesTheSameWhenMotionIsMeasuredOnDemand) {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    const int count = 1 + static_cast<int>(random() % 6);
    const int gap = 1 + static_cast<int>(random() % 20);
    const std::vector<FrameMeasure> clip = RandomClip(random);
    GoldenFrameSelector chooser(count, gap);
    FeedOnDemand(chooser, clip, random);
    ASSERT_LE(chooser.held(), static_cast<std::size_t>(count * gap));
    ASSERT_EQ(Indices(chooser.Finish()), OfflineGolden(clip, static_cast<std::size_t>(count), gap))
        << "round " << round << ", count " << count << ", gap " << gap;
  }
}

TEST(GoldenFrameSelector, MeasuresTheMotionOfFewFramesOfASteadyClip) {
  std::mt19937 random(6);
  std::vector<FrameMeasure> clip;
  for (std::int64_t i = 0; i < 6000; ++i) {
    clip.push_back(Measure(i, static_cast<std::int64_t>(random() % 10'000), i > 0));
  }
  GoldenFrameSelector chooser(5, 15);
  EXPECT_LT(FeedOnDemand(chooser, clip, random), 150);
}

TEST(GoldenFrameSelector, PassesOnTheErrorOfAMotionMeasure) {
  GoldenFrameSelector chooser(5, 15);
  std::vector<Candidate> piece = {{.measure = Measure(1, 100, false), .frame = Frame(1)}};
  const auto fail = [](Candidate&) { return absl::InternalError("broken"); };
  EXPECT_EQ(chooser.Add(piece, fail), absl::InternalError("broken"));
}

TEST(GoldenFrameSelector, HoldsFewFramesOfAnOrdinaryClip) {
  std::mt19937 random(3);
  GoldenFrameSelector chooser(5, 15);
  std::size_t most = 0;
  for (std::int64_t i = 1; i <= 6000; ++i) {
    chooser.Add(Measure(i, static_cast<std::int64_t>(random() % 10'000), true), Frame(i));
    most = std::max(most, chooser.held());
  }
  EXPECT_LE(most, 16U);
}

TEST(GoldenFrameSelector, NamesTheSharpestShakyFramesWhenNoneIsSteady) {
  GoldenFrameSelector chooser(2, 3);
  const std::int64_t sharpness16[] = {900, 10, 50, 40, 30, 45, 20};
  for (std::int64_t i = 0; i < 7; ++i) chooser.Add(Measure(i, sharpness16[i], false), Frame(i));
  EXPECT_EQ(chooser.held(), 0U);
  EXPECT_THAT(chooser.Finish(), IsEmpty());
  std::vector<std::int64_t> indices;
  for (const FrameMeasure& m : chooser.NearMisses()) indices.push_back(m.index);
  EXPECT_THAT(indices, ElementsAre(2, 5));  // the first frame has no motion to advise on
}

TEST(ViewSelector, ChoosesAsFromTheWholeClip) {
  std::mt19937 random(4);
  for (int round = 0; round < 3000; ++round) {
    const int bins = 1 + static_cast<int>(random() % 40);
    const int views = 1 + static_cast<int>(random() % 20);
    const std::vector<FrameMeasure> clip = RandomClip(random);
    ViewSelector chooser(static_cast<std::int64_t>(clip.size()),
                         {.view_bins = bins, .max_views = views});
    for (const FrameMeasure& m : clip) chooser.Add(m, Frame(m.index));
    ASSERT_EQ(Indices(chooser.Finish()), OfflineViews(clip, bins, views)) << "round " << round;
  }
}

TEST(ViewSelector, TakesOneSharpFramePerBinAndLeavesOutBlur) {
  ViewSelector chooser(8, {.view_bins = 4, .max_views = 3});
  const std::int64_t sharpness16[] = {90, 100, 90, 100, 20, 30, 100, 100, 60};
  for (std::int64_t i = 0; i < 9; ++i) chooser.Add(Measure(i, sharpness16[i], true), Frame(i));
  // The third bin is blurred; ties go to the earlier frame; a frame more than announced falls into
  // the last bin.
  EXPECT_THAT(Indices(chooser.Finish()), ElementsAre(1, 3, 6));
}

TEST(ViewSelector, AsksForSharpnessHoweverMuchAFrameMoves) {
  ViewSelector chooser(3, {.view_bins = 4});
  for (std::int64_t i = 0; i < 3; ++i) chooser.Add(Measure(i, 100, false), Frame(i));
  EXPECT_THAT(Indices(chooser.Finish()), ElementsAre(0, 1, 2));
}

TEST(SharpestViews, StandInForGoldenFramesAtADistance) {
  std::vector<SelectedFrame> views;
  const std::int64_t sharpness16[] = {50, 90, 95, 60, 80, 70};
  for (std::int64_t i = 0; i < 6; ++i) {
    views.emplace_back(Measure(10 * i, sharpness16[i], false), Frame(10 * i));
  }
  EXPECT_THAT(Indices(SharpestViews(views, 2, 15)), ElementsAre(20, 40));
  EXPECT_THAT(Indices(SharpestViews(views, 9, 15)), ElementsAre(20, 40, 0));
  EXPECT_THAT(SharpestViews({}, 5, 15), IsEmpty());
}

/// Gives a luma plane of one pixel that holds the frame's index, and counts how often.
class CountingPicture final : public RawPicture {
 public:
  CountingPicture(std::int64_t index, int& asked) : index_(index), asked_(asked) {}
  Plane ToRgb() const override { return {}; }
  Plane ToLuma() const override {
    ++asked_;
    Plane luma = Plane::Host({1, 1}, PixelType::kU8);
    luma.Row<std::uint8_t>(0)[0] = static_cast<std::uint8_t>(index_);
    return luma;
  }

 private:
  std::int64_t index_;
  int& asked_;
};

VideoFrame FrameWithPicture(std::int64_t index, int& asked) {
  VideoFrame frame = Frame(index);
  frame.picture = std::make_shared<CountingPicture>(index, asked);
  frame.luma = Plane::Host({1, 1}, PixelType::kU8);
  return frame;
}

TEST(SpacedFrameSelector, MakesTheLumaOfTheChosenAloneAgain) {
  int asked = 0;
  SpacedFrameSelector chooser(2, 3);
  for (std::int64_t i = 0; i < 12; ++i) {
    chooser.Add(Measure(i, i * 5 % 7, true), FrameWithPicture(i, asked));
  }
  EXPECT_EQ(asked, 0);
  const auto chosen = chooser.Finish();
  EXPECT_EQ(asked, 2);
  for (const auto& [measure, frame] : chosen) {
    EXPECT_EQ(frame.luma.Row<std::uint8_t>(0)[0], measure.index);
  }
}

TEST(ViewSelector, KeepsNoLuma) {
  int asked = 0;
  ViewSelector chooser(8, {.view_bins = 4, .max_views = 3});
  for (std::int64_t i = 0; i < 8; ++i) {
    chooser.Add(Measure(i, 100, true), FrameWithPicture(i, asked));
  }
  auto chosen = chooser.Finish();
  ASSERT_EQ(chosen.size(), 3);
  EXPECT_EQ(asked, 0);
  for (auto& [measure, frame] : chosen) {
    EXPECT_TRUE(frame.luma.empty());
    RestoreLuma(frame);
    EXPECT_EQ(frame.luma.Row<std::uint8_t>(0)[0], measure.index);
    RestoreLuma(frame);
  }
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace glint
