// SPDX-License-Identifier: Apache-2.0
#include "scan/close_ups.h"

#include <absl/strings/escaping.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "analyse/cpu_stages.h"
#include "image/jpeg.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

constexpr Size kObject{400, 560};

Plane NoLabels() {
  Plane labels = Plane::Host(kObject, PixelType::kS32);
  for (int y = 0; y < kObject.height; ++y) {
    std::fill_n(labels.Row<std::int32_t>(y), kObject.width, 0);
  }
  return labels;
}

DefectRegion Region(int id, const Rectangle& box, const Plane& labels) {
  for (int y = box.y; y < box.y + box.height; ++y) {
    std::fill_n(labels.Row<std::int32_t>(y) + box.x, box.width, id);
  }
  DefectRegion region;
  region.id = id;
  region.box = box;
  return region;
}

TEST(CloseUpBox, HoldsARegionWithSomethingAroundIt) {
  const Plane labels = NoLabels();
  const auto spot = CloseUpBox(Region(1, {200, 300, 6, 8}, labels), labels);
  EXPECT_EQ(spot, (Rectangle{168, 269, 70, 70}));  // an eighth of 560
  const auto area = CloseUpBox(Region(2, {100, 100, 90, 100}, labels), labels);
  EXPECT_EQ(area, (Rectangle{70, 75, 150, 150}));
}

TEST(CloseUpBox, ShowsThePartThatHoldsMostOfALargeRegion) {
  const Plane labels = NoLabels();
  DefectRegion region = Region(1, {100, 20, 3, 500}, labels);
  Region(1, {97, 380, 9, 100}, labels);  // wider there
  region.box = {97, 20, 9, 500};
  const Rectangle box = CloseUpBox(region, labels);
  EXPECT_EQ(box.width, 160);  // two sevenths of 560
  EXPECT_EQ(box.height, 160);
  EXPECT_LE(box.y, 380);
  EXPECT_GE(box.y + box.height, 480);
  const int middle = box.x + box.width / 2;
  EXPECT_NEAR(middle, 101, 1);
}

TEST(CloseUpBox, ReachesOnlyALittleBeyondTheObject) {
  const Plane labels = NoLabels();
  EXPECT_EQ(CloseUpBox(Region(1, {0, 0, 20, 20}, labels), labels), (Rectangle{-11, -11, 70, 70}));
  EXPECT_EQ(CloseUpBox(Region(2, {380, 540, 20, 20}, labels), labels),
            (Rectangle{341, 501, 70, 70}));
}

/// A frame that shows the object twice as large and turned by a quarter: red grows with the
/// object's x, green with its y.
class TurnedFrame final : public RawPicture {
 public:
  static constexpr Homography kFromObject{0, -2, 1119, 2, 0, 0, 0, 0, 1};
  Plane ToRgb() const override {
    Plane frame = Plane::Host({2 * kObject.height, 2 * kObject.width}, PixelType::kU8x3);
    for (int y = 0; y < frame.height(); ++y) {
      for (int x = 0; x < frame.width(); ++x) {
        std::uint8_t* pixel = frame.Row<std::uint8_t>(y) + std::ptrdiff_t{3} * x;
        pixel[0] = static_cast<std::uint8_t>(y / 4);
        pixel[1] = static_cast<std::uint8_t>((1119 - x) / 5);
        pixel[2] = 0;
      }
    }
    return frame;
  }
  Plane ToLuma() const override { return {}; }  // nobody asks
};

TEST(CloseUps, LieAsTheObjectDoesAtTheFramesOwnResolution) {
  const Plane labels = NoLabels();
  std::vector<DefectRegion> regions = {Region(1, {150, 200, 20, 10}, labels),
                                       Region(2, {10, 10, 20, 10}, labels)};
  regions[0].best_frame = 77;  // the other one has none
  const std::vector<ViewSource> sources = {{.frame = 3},
                                           {.frame = 77,
                                            .picture = std::make_shared<TurnedFrame>(),
                                            .frame_from_object = TurnedFrame::kFromObject}};
  CpuStages cpu(1);
  const auto close_ups = CutCloseUps(regions, labels, sources, cpu.stages);
  ASSERT_THAT(close_ups, IsOk());
  ASSERT_EQ(close_ups->size(), 1U);
  const CloseUp& close_up = close_ups->front();
  EXPECT_EQ(close_up.region, 1);
  EXPECT_EQ(close_up.box, (Rectangle{125, 170, 70, 70}));
  std::string file;
  constexpr std::size_t kPrefix = std::string_view("data:image/jpeg;base64,").size();
  ASSERT_TRUE(absl::Base64Unescape(close_up.page_url.substr(kPrefix), &file));
  const auto picture = DecodeJpeg(std::as_bytes(std::span(file)));
  ASSERT_THAT(picture, IsOk());
  ASSERT_EQ(picture->size(), (Size{140, 140}));
  for (const auto& [x, y] : {std::pair{10, 10}, {130, 10}, {10, 130}, {70, 70}}) {
    const std::uint8_t* pixel = picture->Row<std::uint8_t>(y) + std::ptrdiff_t{3} * x;
    EXPECT_NEAR(pixel[0], (125 + x / 2.0) / 2, 4) << x << ", " << y;
    EXPECT_NEAR(pixel[1], (170 + y / 2.0) * 2 / 5, 4) << x << ", " << y;
  }
}

TEST(CloseUps, AreMadeOfTheFirstRegionsOnly) {
  const Plane labels = NoLabels();
  std::vector<DefectRegion> regions;
  for (int id = 1; id <= 20; ++id) {
    regions.push_back(Region(id, {20 * (id % 10), 40 * (id / 10), 9, 9}, labels));
    regions.back().best_frame = 5;
  }
  const std::vector<ViewSource> sources = {{.frame = 5,
                                            .picture = std::make_shared<TurnedFrame>(),
                                            .frame_from_object = TurnedFrame::kFromObject}};
  CpuStages cpu(1);
  const auto close_ups = CutCloseUps(regions, labels, sources, cpu.stages);
  ASSERT_THAT(close_ups, IsOk());
  ASSERT_EQ(close_ups->size(), kCloseUps);
  for (std::size_t i = 0; i < kCloseUps; ++i) {
    EXPECT_EQ((*close_ups)[i].region, static_cast<int>(i) + 1);
  }
}

}  // namespace
}  // namespace glint
