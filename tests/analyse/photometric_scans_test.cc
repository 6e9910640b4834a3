// SPDX-License-Identifier: Apache-2.0
// `photometric` on rendered scans with known corners and known damage: what the detector is worth
// apart from choosing, locating and registering. tests/e2e/eval_scans_test.cc judges the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "analyse/cpu_stages.h"
#include "analyse/photometric/detect.h"
#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/pixels/median_colour.h"
#include "analyse/quadrilateral.h"
#include "analyse/rectify.h"
#include "base/mat.h"
#include "bench/eval/labels.h"
#include "bench/eval/score.h"
#include "glint/stored_plane.h"
#include "glint/video.h"
#include "stages/cpu/stages.h"
#include "support/sanitized.h"
#include "support/shared_data.h"

namespace glint {
namespace {

constexpr std::size_t kBins = 96;
constexpr std::size_t kViews = FewerIfSanitized(64, 12);
constexpr double kSharpEnough = 0.55;  // of the 85th percentile

struct ScanCase {
  const char* name;
  double least_f = 0;                   ///< of the lines
  std::vector<std::string> on_outline;  ///< types of damage there
  double least_covered = 0;             ///< share of each of them
};

void PrintTo(const ScanCase& c, std::ostream* out) { *out << c.name; }

/// The sharpest frame of each time bin.
struct SharpFrame {
  double sharpness = -1;
  VideoFrame frame;
};

/// Sharp frames spread over the clip, in order.
std::vector<VideoFrame> SharpFrames(const ScanLabels& labels, ThreadPool& pool) {
  auto source = OpenVideo(labels.clip, {.threads = 2}, {});
  EXPECT_THAT(source, IsOk());
  const auto statistics = MakeCpuLumaStatistics(&pool);
  const std::size_t count = labels.corners.size();
  std::vector<SharpFrame> bins(kBins);
  std::vector<double> all;
  for (std::size_t i = 0; source.ok() && i < count; ++i) {
    auto frame = (*source)->Next();
    EXPECT_THAT(frame, IsOk());
    if (!frame.ok() || !*frame) break;
    LumaStatistics measured;
    EXPECT_THAT(statistics->Run({&(*frame)->luma, 1}, {&measured, 1}), IsOk());
    all.push_back(measured.LaplacianVariance());
    SharpFrame& bin = bins[i * kBins / count];
    if (all.back() > bin.sharpness) bin = {.sharpness = all.back(), .frame = **frame};
  }
  std::ranges::sort(all);
  std::vector<VideoFrame> sharp;
  for (const SharpFrame& bin : bins) {
    if (bin.sharpness >= kSharpEnough * all[all.size() * 85 / 100]) sharp.push_back(bin.frame);
  }
  std::vector<VideoFrame> chosen;
  const std::size_t views = std::min(kViews, sharp.size());
  EXPECT_GE(views, 2U) << "too few sharp frames to choose from";
  if (views < 2) return sharp;
  for (std::size_t i = 0; i < views; ++i) {
    chosen.push_back(sharp[(i * (sharp.size() - 1) + (views - 1) / 2) / (views - 1)]);
  }
  return chosen;
}

/// The labelled corners of a frame as it is displayed. The portrait clips say "90 degrees
/// counter-clockwise"; OpenCV 4.6, with which they were labelled, turns them clockwise, so that
/// their labels stand on their heads.
Quadrilateral CornersOf(const ScanLabels& labels, const VideoFrame& frame, bool upside_down) {
  Quadrilateral corners = labels.corners[static_cast<std::size_t>(frame.index)];
  for (Point& corner : corners) {
    if (!upside_down) break;
    corner = {frame.luma.width() - 1 - corner.x, frame.luma.height() - 1 - corner.y};
  }
  return corners;
}

ViewStack Rectified(const std::vector<VideoFrame>& frames, const ScanLabels& labels,
                    bool upside_down, CpuStages& cpu) {
  constexpr int kAround = photometric::kBackgroundMargin;
  const Size size = labels.flat_size;
  ViewStack views;
  std::vector<StoredPlane> colours;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Plane& luma = frames[i].luma;
    const Homography map = FrameFromObject(CornersOf(labels, frames[i], upside_down), size);
    views.greys.push_back(*Rectify(luma, map, size, cpu.stages));
    views.valid.push_back(*Validity(luma.size(), map, size, cpu.stages));
    if (i % 3 != 0) continue;
    const Homography shifted = Compose(map, {1, 0, -kAround, 0, 1, -kAround, 0, 0, 1});
    colours.emplace_back(*Rectify(frames[i].picture->ToRgb(), shifted,
                                  {size.width + 2 * kAround, size.height + 2 * kAround},
                                  cpu.stages));
  }
  views.colour = *photometric::MedianColour(colours, cpu.pool);
  return views;
}

class PhotometricScans : public testing::TestWithParam<ScanCase> {};

TEST_P(PhotometricScans, FindsTheLabelledDamageAndNothingElse) {
  // One scan shows a sanitizer as much as two.
  if (kSanitized && std::string_view(GetParam().name) != "s1_page_720p") GTEST_SKIP();
  GLINT_NEEDS_SHARED_DATA();
  const ScanCase& test = GetParam();
  const auto file = *SharedData() / "scans" / (std::string(test.name) + ".labels.json");
  const auto labels = ReadLabels(file);
  ASSERT_THAT(labels, IsOk());
  const bool upside_down = nlohmann::json::parse(std::ifstream(file))["rotation_metadata"] == 90;
  CpuStages cpu(2);
  const ViewStack views = Rectified(SharpFrames(*labels, cpu.pool), *labels, upside_down, cpu);
  const auto result = DetectPhotometric(views, {}, {}, cpu.stages, cpu.pool, {});
  ASSERT_THAT(result, IsOk());
  if (kSanitized) return;  // so few views find less

  const std::vector<std::string> others = {"stain", "scuff", "tear", "missing_corner",
                                           "corner_wear"};
  const auto lines = ScoreMask(*labels, result->lines, std::nullopt, others);
  ASSERT_THAT(lines, IsOk());
  const auto outline = ScoreMask(*labels, result->outline, std::nullopt);
  ASSERT_THAT(outline, IsOk());
  ASSERT_TRUE(lines->agreement);
  EXPECT_GE(lines->agreement->f, test.least_f);
  for (const DefectScore& defect : lines->defects) {
    const bool line = std::ranges::find(others, defect.type) == others.end();
    EXPECT_TRUE(defect.found || !line) << defect.type;
  }
  int found = 0;
  for (const DefectScore& defect : outline->defects) {
    if (std::ranges::find(test.on_outline, defect.type) == test.on_outline.end()) continue;
    ++found;
    EXPECT_GE(defect.covered, test.least_covered) << defect.type;
  }
  ASSERT_EQ(found > 0, !test.on_outline.empty());
  if (found > 0) {
    EXPECT_GE(outline->agreement->precision, 0.8);
  } else {
    EXPECT_LE(outline->marked, 0.0002);
  }
}

// A hundredth below what the proof of concept in reference/photometric.py reaches.
INSTANTIATE_TEST_SUITE_P(Scans, PhotometricScans,
                         testing::Values(ScanCase{"s1_page_720p", 0.955, {}, 0},
                                         ScanCase{
                                             "s3_card_1080p_portrait", 0.97, {"corner_wear"}, 0.9}),
                         [](const auto& scan) { return std::string(scan.param.name); });

}  // namespace
}  // namespace glint
