// SPDX-License-Identifier: Apache-2.0
// Locating and registering on rendered scans with known corners.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analyse/cpu_stages.h"
#include "analyse/locate.h"
#include "analyse/quadrilateral.h"
#include "analyse/register.h"
#include "analyse/track.h"
#include "glint/video.h"
#include "support/shared_data.h"

namespace glint {
namespace {

struct ScanCase {
  const char* name;
  std::vector<std::int64_t> frames;  ///< sharp and steady ones near the start, the reference first
};

void PrintTo(const ScanCase& c, std::ostream* out) { *out << c.name; }

/// The labelled corners of a scan, in frames as they are displayed.
class TrueCorners {
 public:
  explicit TrueCorners(const std::filesystem::path& labels)
      : labels_(nlohmann::json::parse(std::ifstream(labels))) {}

  Quadrilateral At(std::int64_t frame) const {
    const nlohmann::json& corners = labels_["corners"][static_cast<std::size_t>(frame)];
    Quadrilateral q{};
    for (std::size_t i = 0; i < 4; ++i) {
      q[i] = {corners[i][0].get<double>(), corners[i][1].get<double>()};
      // These clips say "90 degrees counter-clockwise"; OpenCV 4.6, with which they were labelled,
      // turns them clockwise, so that their labels stand on their heads.
      if (labels_["rotation_metadata"] == 90) {
        q[i] = {labels_["display_size"][0].get<double>() - 1 - q[i].x,
                labels_["display_size"][1].get<double>() - 1 - q[i].y};
      }
    }
    return q;
  }

 private:
  nlohmann::json labels_;
};

std::vector<VideoFrame> Decode(const std::filesystem::path& clip,
                               const std::vector<std::int64_t>& indices) {
  auto source = OpenVideo(clip, {.threads = 2}, {});
  EXPECT_THAT(source, IsOk());
  std::vector<VideoFrame> frames(indices.size());
  for (std::size_t found = 0; source.ok() && found < frames.size();) {
    auto frame = (*source)->Next();
    EXPECT_THAT(frame, IsOk());
    if (!frame.ok() || !*frame) break;
    const auto wanted = std::ranges::find(indices, (*frame)->index);
    if (wanted == indices.end()) continue;
    frames[static_cast<std::size_t>(wanted - indices.begin())] = **frame;
    ++found;
  }
  return frames;
}

/// Mean corner distance in percent of the diagonal, whatever corner comes first: the
/// corner_error_percent of the reference script score.py.
double CornerErrorPercent(Quadrilateral corners, const Quadrilateral& truth) {
  double least = 100;
  for (int turn = 0; turn < 4; ++turn) {
    least = std::min(least, 100 * CornerDistance(corners, truth) / Distance(truth[0], truth[2]));
    std::rotate(corners.begin(), corners.begin() + 1, corners.end());
  }
  return least;
}

/// Mean distance, in object pixels and per coordinate, between the object's true corners as the
/// view and as the reference carry them to object coordinates.
double RegistrationError(const RegisteredView& view, const Quadrilateral& true_in_view,
                         const RegisteredView& reference, const Quadrilateral& true_in_reference) {
  const Quadrilateral a = Map(*Inverse(view.frame_from_object), true_in_view);
  const Quadrilateral b = Map(*Inverse(reference.frame_from_object), true_in_reference);
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += std::abs(a[i].x - b[i].x) + std::abs(a[i].y - b[i].y);
  return sum / 8;
}

class RenderedScan : public testing::TestWithParam<ScanCase> {};

TEST_P(RenderedScan, IsLocatedAndRegistered) {
  GLINT_NEEDS_SHARED_DATA();
  const ScanCase& c = GetParam();
  const std::filesystem::path folder = *SharedData() / "scans";
  const TrueCorners truth(folder / (std::string(c.name) + ".labels.json"));
  const std::vector<VideoFrame> frames = Decode(folder / (std::string(c.name) + ".mp4"), c.frames);
  CpuStages cpu(2);
  const auto object = cpu.Locate(frames);
  ASSERT_THAT(object, IsOk());
  EXPECT_EQ(object->method, "outline");
  EXPECT_EQ(object->reference_frame, c.frames[0]);
  EXPECT_GT(object->confidence, 0.6);
  EXPECT_LE(CornerErrorPercent(object->corners, truth.At(c.frames[0])), 0.2);

  const auto views = cpu.RegisterViews(frames, *object);
  ASSERT_THAT(views, IsOk());
  for (std::size_t i = 1; i < frames.size(); ++i) {
    SCOPED_TRACE(c.frames[i]);
    const RegisteredView& view = (*views)[i];
    EXPECT_TRUE(view.registered) << view.why_dropped;
    EXPECT_LE(view.residual_px, 0.3);
    EXPECT_LE(RegistrationError(view, truth.At(c.frames[i]), (*views)[0], truth.At(c.frames[0])),
              0.06);
  }

  std::vector<VideoFrame> in_time = frames;
  std::ranges::sort(in_time, {}, &VideoFrame::index);
  std::size_t taken = 0;
  const auto take = [&](std::size_t i, const VideoFrame&, const RegisteredView& view) {
    const std::int64_t frame = in_time[i].index;
    SCOPED_TRACE(frame);
    EXPECT_TRUE(view.registered) << view.why_dropped;
    EXPECT_LE(RegistrationError(view, truth.At(frame), (*views)[0], truth.At(c.frames[0])), 0.06);
    ++taken;
    return absl::OkStatus();
  };
  EXPECT_THAT(TrackViews(in_time, frames[0], *object, cpu.stages, cpu.pool, {}, take), IsOk());
  EXPECT_EQ(taken, frames.size());
}

// A plain page; a cover without one corner; a card with round corners around a printed frame; wood
// with grain; a page cut off by the border of its reference frame; unprinted stone on stone.
INSTANTIATE_TEST_SUITE_P(Scans, RenderedScan,
                         testing::Values(ScanCase{"s1_page_720p", {74, 24, 56}},
                                         ScanCase{"s2_cover_1080p", {36, 20, 74}},
                                         ScanCase{"s3_card_1080p_portrait", {43, 24, 71}},
                                         ScanCase{"s4_page_720p_600f", {175, 250}},
                                         ScanCase{"s5_page_720p_portrait", {14, 71}},
                                         ScanCase{"s6_realcrack_720p", {12, 133}},
                                         ScanCase{"s7c_page_1080p_clean", {4, 32, 52}}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace glint
