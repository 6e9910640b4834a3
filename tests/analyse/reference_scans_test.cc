// SPDX-License-Identifier: Apache-2.0
// Rendered scans with a known stain, compared with good copies of what they show.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>

#include "analyse/cpu_stages.h"
#include "analyse/photometric/pixels/median_colour.h"
#include "analyse/quadrilateral.h"
#include "analyse/rectify.h"
#include "analyse/reference/compare.h"
#include "base/mat.h"
#include "bench/eval/labels.h"
#include "bench/eval/score.h"
#include "glint/stored_plane.h"
#include "glint/video.h"
#include "image/png.h"
#include "support/sanitized.h"
#include "support/shared_data.h"

namespace glint {
namespace {

constexpr std::size_t kEach = 9;  // every ninth frame is a view

/// What a scan shows, in the labels' coordinates.
struct Shown {
  ScanLabels labels;
  Plane median;  ///< of its views
  Plane frame;   ///< one of them, highlights and all
};

Shown Read(const std::string& name, CpuStages& cpu) {
  const auto file = *SharedData() / "scans" / (name + ".labels.json");
  auto labels = ReadLabels(file);
  EXPECT_THAT(labels, IsOk());
  // These clips' labels stand on their heads: see scans_test.cc.
  const bool turned = nlohmann::json::parse(std::ifstream(file))["rotation_metadata"] == 90;
  auto source = OpenVideo(labels->clip, {.threads = 2}, {});
  EXPECT_THAT(source, IsOk());
  std::vector<Plane> views;
  for (std::size_t i = 0; i < labels->corners.size(); ++i) {
    auto frame = (*source)->Next();
    EXPECT_THAT(frame, IsOk());
    if (!frame.ok() || !*frame) break;
    if (i % kEach != 0) continue;
    Quadrilateral corners = labels->corners[i];
    const Size size = (*frame)->luma.size();
    for (Point& corner : corners) {
      if (turned) corner = {size.width - 1 - corner.x, size.height - 1 - corner.y};
    }
    const Homography map = FrameFromObject(corners, labels->flat_size);
    views.push_back(*Rectify((*frame)->picture->ToRgb(), map, labels->flat_size, cpu.stages));
  }
  return {.labels = *labels,
          .median = *photometric::MedianColour(std::vector<StoredPlane>(views.begin(), views.end()),
                                               cpu.pool),
          .frame = views[views.size() / 2]};
}

Plane ReadArtwork(const std::string& name) {
  std::ifstream file(*SharedData() / "art" / name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  auto picture = DecodePng({bytes, text.size()});
  EXPECT_THAT(picture, IsOk());
  return *picture;
}

class ReferenceScans : public testing::Test {
 protected:
  Plane Changed(const Plane& object, const Plane& copy) {
    Plane all = Plane::Host(object.size(), PixelType::kU8);
    AsMat(all).setTo(255);
    const auto found =
        CompareWithCopy(object, all, {.picture = copy, .damage = {}}, cpu_.stages, cpu_.pool, {});
    EXPECT_THAT(found, IsOk());
    return found.ok() ? found->changed : Plane();
  }

  CpuStages cpu_{2};
};

TEST_F(ReferenceScans, FindsTheStainOfAPage) {
  if (kThreadSanitized) GTEST_SKIP() << "minutes a scan; reference_test has threads, too";
  GLINT_NEEDS_SHARED_DATA();
  const Shown page = Read("s1_page_720p", cpu_);
  const Shown clean = Read("s1c_page_720p_clean", cpu_);
  const Plane artwork = ReadArtwork("gfx_Pepper-and-Carrot_by-David-Revoy_E03P01.png");
  for (const Plane& copy : {clean.median, clean.frame, artwork}) {
    const auto score = ScoreMask(page.labels, Changed(page.median, copy), std::nullopt,
                                 std::vector<std::string>{"crease", "spine_tick"});
    ASSERT_THAT(score, IsOk());
    ASSERT_TRUE(score->agreement);
    EXPECT_GE(score->agreement->f, 0.9);
  }
}

TEST_F(ReferenceScans, MarksNothingOnCleanOnes) {
  if (kSanitized) GTEST_SKIP() << "minutes a scan; as the page above";
  GLINT_NEEDS_SHARED_DATA();
  const std::pair<const char*, const char*> scans[] = {
      {"s1c_page_720p_clean", "gfx_Pepper-and-Carrot_by-David-Revoy_E03P01.png"},
      {"s3c_card_1080p_portrait_clean", "gfx_Pepper-and-Carrot_by-David-Revoy_E06P07.png"},
      {"s7c_page_1080p_clean", "gfx_Pepper-and-Carrot_by-David-Revoy_E04P02.png"}};
  for (const auto& [name, artwork] : scans) {
    SCOPED_TRACE(name);
    const Shown clean = Read(name, cpu_);
    for (const Plane& copy : {clean.frame, ReadArtwork(artwork)}) {
      EXPECT_EQ(cv::countNonZero(AsMat(Changed(clean.median, copy))), 0);
    }
  }
}

}  // namespace
}  // namespace glint
