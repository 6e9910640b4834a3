// SPDX-License-Identifier: Apache-2.0
#include "report/pictures.h"

#include <absl/strings/escaping.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <span>
#include <string>

#include "base/thread_pool.h"
#include "image/jpeg.h"
#include "image/png.h"
#include "report/golden_picture.h"
#include "report/overlay.h"
#include "support/plane_compare.h"
#include "support/sample_report.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Plane Filled(Size size, PixelType type, int value) {
  Plane plane = Plane::Host(size, type);
  for (int y = 0; y < size.height; ++y) {
    if (type == PixelType::kS32) {
      std::fill_n(plane.Row<std::int32_t>(y), size.width, value);
    } else {
      std::fill_n(plane.Row<std::uint8_t>(y), size.width * BytesPerPixel(type),
                  static_cast<std::uint8_t>(value));
    }
  }
  return plane;
}

Rgb At(const Plane& plane, int x, int y) {
  const std::uint8_t* pixel = plane.Row<std::uint8_t>(y) + std::ptrdiff_t{3} * x;
  return {pixel[0], pixel[1], pixel[2]};
}

TEST(Overlay, TintsDamageAndOutlinesItOnTheOutside) {
  const Plane rectified = Filled({5, 4}, PixelType::kU8x3, 100);
  const Plane mask = Filled({5, 4}, PixelType::kU8, 0);
  const Plane labels = Filled({5, 4}, PixelType::kS32, 0);
  mask.Row<std::uint8_t>(0)[0] = 255;
  labels.Row<std::int32_t>(0)[0] = 7;
  const Plane overlay = DrawOverlay(rectified, {.mask = mask, .labels = labels});
  EXPECT_EQ(At(overlay, 0, 0), (Rgb{178, 66, 89}));
  for (const auto& [x, y] : {std::pair{1, 0}, {0, 1}, {1, 1}}) {
    EXPECT_EQ(At(overlay, x, y), (Rgb{255, 214, 10})) << x << ", " << y;
  }
  for (const auto& [x, y] : {std::pair{2, 0}, {2, 1}, {0, 2}, {4, 3}}) {
    EXPECT_EQ(At(overlay, x, y), (Rgb{100, 100, 100})) << x << ", " << y;
  }
}

TEST(Overlay, HatchesWhatIsUnknownAndHidesNoDamageByThat) {
  const Size size{64, 32};
  const Plane mask = Filled(size, PixelType::kU8, 0), unknown = Filled(size, PixelType::kU8, 0);
  std::fill_n(unknown.Row<std::uint8_t>(9), 40, std::uint8_t{255});
  mask.Row<std::uint8_t>(9)[8] = 255;
  const Plane overlay =
      DrawOverlay(Filled(size, PixelType::kU8x3, 100),
                  {.mask = mask, .labels = Filled(size, PixelType::kS32, 0), .unknown = unknown});
  std::map<int, int> greys;
  for (int x = 16; x < 32; ++x) ++greys[At(overlay, x, 9).r];
  EXPECT_THAT(greys, ElementsAre(Pair(62, 4), Pair(100, 8), Pair(178, 4)));
  EXPECT_EQ(At(overlay, 8, 9), (Rgb{178, 66, 89}));
  for (int x = 0; x < size.width; ++x) {
    EXPECT_EQ(At(overlay, x, 10), (Rgb{100, 100, 100})) << x;
  }
  for (int x = 40; x < size.width; ++x) EXPECT_EQ(At(overlay, x, 9), (Rgb{100, 100, 100})) << x;
}

TEST(Heatmap, HasAFixedScaleThatGetsEverBrighter) {
  EXPECT_EQ(HeatColour(0), (Rgb{0, 0, 4}));
  EXPECT_EQ(HeatColour(1 << 19), (Rgb{190, 55, 82}));
  EXPECT_EQ(HeatColour(1 << 20), (Rgb{252, 254, 168}));
  EXPECT_EQ(HeatColour((1 << 20) + 5), HeatColour(1 << 20));
  EXPECT_EQ(HeatColour(-5), HeatColour(0));
  double last = -1;
  for (int i = 0; i <= 64; ++i) {
    const Rgb colour = HeatColour(i << 14);
    const double luminance = 0.2126 * colour.r + 0.7152 * colour.g + 0.0722 * colour.b;
    EXPECT_GT(luminance, last) << i;
    last = luminance;
  }
}

TEST(Crop, CutsOffWhatLiesOutside) {
  const Plane plane = NoisePlane({10, 8}, 3);
  const Plane part = Crop(plane, 7, -2, {6, 4});
  ASSERT_EQ(part.size(), (Size{3, 2}));
  EXPECT_EQ(part.Row<std::uint8_t>(1)[2], plane.Row<std::uint8_t>(1)[9]);
  EXPECT_TRUE(Crop(plane, 10, 0, {5, 5}).empty());
}

TEST(Pictures, AreAllThereInOrder) {
  SampleScan scan = MakeSampleScan({.golden_frames = 2});
  scan.report.named_regions.resize(1);
  ThreadPool pool(1);
  const auto artifacts = RenderArtifacts(scan.report, scan.pictures, pool);
  ASSERT_THAT(artifacts, IsOk());
  std::vector<std::string> names;
  for (const Artifact& artifact : *artifacts) names.push_back(artifact.name);
  EXPECT_THAT(names, ElementsAre("rectified.png", "mask.png", "labels.png", "overlay.png",
                                 "heatmap.png", "regions/spine_crop.png", "regions/spine_mask.png",
                                 "regions/spine_overlay.png"));
}

TEST(Pictures, ShowWhatChangedItsColourApart) {
  SampleScan scan = MakeSampleScan({.golden_frames = 1});
  scan.report.named_regions.clear();
  const Size size = scan.pictures.mask.size();
  const Plane lines = Filled(size, PixelType::kU8, 0), changed = Filled(size, PixelType::kU8, 0);
  EXPECT_TRUE(ColourOnly(scan.pictures).empty());
  std::fill_n(lines.Row<std::uint8_t>(5), 10, std::uint8_t{255});
  std::fill_n(changed.Row<std::uint8_t>(5), 20, std::uint8_t{255});
  scan.pictures.layers = {{"lines", lines},
                          {"reference", changed},
                          {"new", changed},
                          {"glare", changed},
                          {"unknown", changed}};
  scan.pictures.median = scan.pictures.good_copy = scan.pictures.rectified;
  const Plane only = ColourOnly(scan.pictures);
  EXPECT_EQ(only.Row<std::uint8_t>(5)[9], 0);
  EXPECT_EQ(only.Row<std::uint8_t>(5)[10], 255);
  EXPECT_EQ(only.Row<std::uint8_t>(5)[20], 0);

  ThreadPool pool(1);
  const auto artifacts = RenderArtifacts(scan.report, scan.pictures, pool);
  ASSERT_THAT(artifacts, IsOk());
  std::vector<std::string> names;
  for (const Artifact& artifact : *artifacts) names.push_back(artifact.name);
  EXPECT_THAT(names,
              ElementsAre("rectified.png", "mask.png", "labels.png", "overlay.png", "heatmap.png",
                          "median.png", "reference.png", "layers/lines.png", "layers/reference.png",
                          "layers/new.png", "layers/glare.png", "layers/unknown.png"));
  scan.pictures.good_copy = NoisePlane({3, 2}, 1);
  EXPECT_THAT(RenderArtifacts(scan.report, scan.pictures, pool),
              FailsWith(Reason::kInternal, HasSubstr("reference to report is 3x2 u8")));
}

TEST(Pictures, HoldTheScansPixels) {
  const SampleScan scan = MakeSampleScan();
  ThreadPool pool(2);
  const auto artifacts = RenderArtifacts(scan.report, scan.pictures, pool);
  ASSERT_THAT(artifacts, IsOk());
  std::map<std::string, std::vector<std::byte>> files;
  for (const Artifact& artifact : *artifacts) files[artifact.name] = artifact.content;
  EXPECT_TRUE(SameBytes(*DecodePng(files["mask.png"]), scan.pictures.mask));
  EXPECT_TRUE(SameBytes(*DecodePng(files["rectified.png"]), scan.pictures.rectified));
  EXPECT_TRUE(SameBytes(*DecodeLabelPng(files["labels.png"]), scan.pictures.labels));
  const Rectangle box = scan.report.named_regions[2].box;
  EXPECT_TRUE(SameBytes(*DecodePng(files["regions/corner_tr_mask.png"]),
                        Crop(scan.pictures.mask, box.x, box.y, {box.width, box.height})));
}

TEST(GoldenPicture, IsTheWholeFrameAndASmallerOneForThePage) {
  const Plane frame = Filled({1200, 40}, PixelType::kU8x3, 100);
  std::fill_n(frame.Row<std::uint8_t>(7), 900, std::uint8_t{33});
  for (const auto& [pictures, size] : {std::pair(4, Size{960, 32}), std::pair(16, Size{480, 16})}) {
    const auto picture = EncodeGoldenPicture(frame, static_cast<std::size_t>(pictures));
    ASSERT_THAT(picture, IsOk());
    EXPECT_TRUE(SameBytes(*DecodePng(picture->png), frame));
    constexpr std::size_t kPrefix = std::string_view("data:image/jpeg;base64,").size();
    std::string file;
    ASSERT_TRUE(absl::Base64Unescape(picture->page_url.substr(kPrefix), &file));
    const auto shown = DecodeJpeg(std::as_bytes(std::span(file)));
    ASSERT_THAT(shown, IsOk());
    EXPECT_EQ(shown->size(), size);
  }
}

TEST(GoldenPicture, IsMadeOfColoursOnly) {
  EXPECT_THAT(EncodeGoldenPicture(NoisePlane({8, 8}, 1), 1),
              FailsWith(Reason::kInternal, HasSubstr("a golden frame to report is 8x8 u8")));
}

TEST(Pictures, AreTheSameBytesForAnyNumberOfThreads) {
  const SampleScan scan = MakeSampleScan();
  ThreadPool one(1);
  ThreadPool three(3);
  const auto a = RenderArtifacts(scan.report, scan.pictures, one);
  const auto b = RenderArtifacts(scan.report, scan.pictures, three);
  ASSERT_THAT(a, IsOk());
  ASSERT_THAT(b, IsOk());
  ASSERT_EQ(a->size(), b->size());
  for (std::size_t i = 0; i < a->size(); ++i) {
    EXPECT_EQ((*a)[i].name, (*b)[i].name);
    EXPECT_TRUE((*a)[i].content == (*b)[i].content) << (*a)[i].name;
  }
}

TEST(Pictures, AreNoneWithoutUsableFrames) {
  const SampleScan scan = MakeUnusableScan();
  ThreadPool pool(1);
  const auto artifacts = RenderArtifacts(scan.report, scan.pictures, pool);
  ASSERT_THAT(artifacts, IsOk());
  EXPECT_TRUE(artifacts->empty());
}

TEST(Pictures, MustFitEachOther) {
  SampleScan scan = MakeSampleScan();
  scan.pictures.mask = NoisePlane({3, 2}, 1);
  ThreadPool pool(1);
  EXPECT_THAT(RenderArtifacts(scan.report, scan.pictures, pool),
              FailsWith(Reason::kInternal, HasSubstr("the mask to report is 3x2 u8")));
}

}  // namespace
}  // namespace glint
