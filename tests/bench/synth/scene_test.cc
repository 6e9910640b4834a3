// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/plane_compare.h"
#include "support/sanitized.h"

namespace glint {
namespace {

SynthOptions Small(SynthKind kind, std::uint32_t seed, bool clean = false) {
  return {.seed = seed,
          .kind = kind,
          .clean = clean,
          .name = "",
          .video_size = {480, 272},
          .frames = 120};
}

constexpr SynthKind kKinds[] = {SynthKind::kPage, SynthKind::kCover, SynthKind::kCard};

float Luma(const std::array<float, 3>& rgb) {
  return 0.2126F * rgb[0] + 0.7152F * rgb[1] + 0.0722F * rgb[2];
}

/// What the damage changes at a point of the object in a frame.
float Delta(const Scene& damaged, const Scene& clean, std::size_t frame, int x, int y) {
  return Luma(SceneView(damaged, damaged.surface, frame).Colour(x, y)) -
         Luma(SceneView(clean, clean.surface, frame).Colour(x, y));
}

void ExpectMeasured(const Scene& scene) {
  std::vector<std::int64_t> area(256);
  for (int y = 0; y < scene.damage.ids.height(); ++y) {
    for (int x = 0; x < scene.damage.ids.width(); ++x)
      ++area[scene.damage.ids.Row<std::uint8_t>(y)[x]];
  }
  ASSERT_GE(scene.damage.defects.size(), 5U);
  int id = 0;
  for (const SynthDefect& defect : scene.damage.defects) {
    SCOPED_TRACE(defect.type);
    EXPECT_EQ(defect.id, ++id);
    EXPECT_EQ(defect.area_px, area[static_cast<std::size_t>(id)]);
    EXPECT_GT(defect.area_px, 12);
    EXPECT_GT(defect.peak_delta, 5);
    EXPECT_LT(defect.peak_frame, 120);
  }
  EXPECT_EQ(std::count_if(area.begin() + 1, area.end(), [](auto a) { return a > 0; }), id);
}

TEST(Scene, EachKindHasItsDamageAndAllOfItShows) {
  const std::pair<SynthKind, std::set<std::string>> cases[] = {
      {SynthKind::kPage, {"crease", "spine_tick", "tear", "stain", "missing_corner", "scuff"}},
      {SynthKind::kCover,
       {"crease", "scratch", "spine_tick", "missing_corner", "tear", "corner_wear"}},
      {SynthKind::kCard, {"crease", "scratch", "scuff", "corner_wear"}}};
  for (const auto& [kind, expected] : cases) {
    std::set<std::string> types;
    for (std::uint32_t seed = 1; seed <= FewerIfSanitized(5U, 1U); ++seed) {
      SCOPED_TRACE(std::string(Name(kind)) + " " + std::to_string(seed));
      const Scene scene = BuildScene(Small(kind, seed));
      ExpectMeasured(scene);
      for (const SynthDefect& defect : scene.damage.defects) types.insert(defect.type);
    }
    if (kSanitized) continue;  // one seed does not draw every type
    EXPECT_EQ(types, expected) << Name(kind);
  }
}

TEST(Scene, NothingChangesFarFromTheMarkedPixels) {
  for (const SynthKind kind : kKinds) {
    const Scene damaged = BuildScene(Small(kind, 3));
    const Scene clean = BuildScene(Small(kind, 3, true));
    const Plane& ids = damaged.damage.ids;
    constexpr int kReach = 8;
    const SceneView after(damaged, damaged.surface, 20);
    const SceneView before(clean, clean.surface, 20);
    int far = 0;
    for (int y = 0; y < ids.height(); ++y) {
      for (int x = 0; x < ids.width(); ++x) {
        bool near = false;
        for (int v = std::max(0, y - kReach); v <= std::min(ids.height() - 1, y + kReach); ++v) {
          for (int u = std::max(0, x - kReach); u <= std::min(ids.width() - 1, x + kReach); ++u)
            near |= ids.Row<std::uint8_t>(v)[u] != 0;
        }
        if (near) continue;
        ++far;
        ASSERT_LT(std::abs(Luma(after.Colour(x, y)) - Luma(before.Colour(x, y))), 2.5)
            << Name(kind) << " at " << x << ", " << y;
      }
    }
    EXPECT_GT(far, ids.size().area() / 4);
  }
}

TEST(Scene, LinesAnswerToTheLampAndStainsDoNot) {
  double stain_spread = 0;
  int lines = 0;
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const Scene damaged = BuildScene(Small(SynthKind::kPage, seed));
    const Scene clean = BuildScene(Small(SynthKind::kPage, seed, true));
    for (const SynthDefect& defect : damaged.damage.defects) {
      if (defect.type != "crease" && defect.type != "stain") continue;
      double largest = 0;  // change over time of what one pixel shows, in shares of the clean value
      for (int y = defect.box.y; y < defect.box.y + defect.box.height; y += 2) {
        for (int x = defect.box.x; x < defect.box.x + defect.box.width; ++x) {
          if (damaged.damage.ids.Row<std::uint8_t>(y)[x] != defect.id) continue;
          double low = 1e9;
          double high = -1e9;
          for (std::size_t frame = 0; frame < 120; frame += 24) {
            const float base = Luma(SceneView(clean, clean.surface, frame).Colour(x, y));
            const double share = Delta(damaged, clean, frame, x, y) / base;
            low = std::min(low, share);
            high = std::max(high, share);
          }
          largest = std::max(largest, high - low);
        }
      }
      if (defect.type == "stain") {
        stain_spread = std::max(stain_spread, largest);
      } else {
        ++lines;
        EXPECT_GT(largest, 0.15) << "seed " << seed << " defect " << defect.id;
      }
    }
  }
  EXPECT_GT(lines, 7);
  EXPECT_GT(stain_spread, 0);
  EXPECT_LT(stain_spread, 0.15);
}

TEST(Scene, ABentObjectBulgesBetweenItsSidesAndKeepsItsCorners) {
  SynthOptions options = Small(SynthKind::kPage, 5, true);
  options.frames = 2;
  options.bend = 0.02;
  const Scene bent = BuildScene(options);
  const SceneView view(bent, bent.surface, 0);
  const Size size = bent.camera.flat_size;
  const double w = size.width, h = size.height;
  for (const Point corner : {Point{0, 0}, Point{w, 0}, Point{w, h}, Point{0, h}}) {
    const Point hit = view.Hit(corner.x, corner.y);
    EXPECT_NEAR(hit.x, corner.x, 1e-9);
    EXPECT_NEAR(hit.y, corner.y, 1e-9);
  }
  // The middle of the upper side is 2 % nearer, so it is seen further out than where it lies.
  const double bulge = 0.02 * std::max(w, h);
  const Position& eye = bent.camera.frames[0].eye;
  const double eye_y = eye.y * std::max(w, h) + h / 2, eye_z = eye.z * std::max(w, h);
  const Point hit = view.Hit(w / 2, 0);
  EXPECT_NEAR(hit.y, eye_y * bulge / eye_z, 0.2);
  EXPECT_GT(hit.y, 0.005 * h);
}

TEST(Scene, AFingerHidesSomeOfTheObjectInSomeFrames) {
  SynthOptions options = Small(SynthKind::kPage, 6, true);
  options.fingers = true;
  const Scene scene = BuildScene(options);
  std::size_t without = 0;
  double most = 0;
  for (std::size_t i = 0; i < scene.fingers.size(); ++i) {
    double hidden = 0;
    for (int y = 0; y < scene.camera.flat_size.height; y += 4) {
      for (int x = 0; x < scene.camera.flat_size.width; x += 4) {
        hidden += scene.fingers[i].At(x, y).cover > 0.5 ? 16 : 0;
      }
    }
    without += hidden == 0 ? 1 : 0;
    most = std::max(most, hidden / static_cast<double>(scene.camera.flat_size.area()));
  }
  EXPECT_EQ(scene.fingers.size(), 120U);
  EXPECT_GT(without, 24U);
  EXPECT_LT(without, 96U);
  EXPECT_GT(most, 0.005);
  EXPECT_LT(most, 0.05);
}

TEST(Scene, TheLightIsAsManyLampsAsWantedOrStaysBesideTheCamera) {
  SynthOptions options = Small(SynthKind::kCard, 7, true);
  options.light = SynthLight::kTwo;
  const Scene two = BuildScene(options);
  EXPECT_EQ(two.lamps[50].size(), 2U);
  options.light = SynthLight::kStill;
  const Scene still = BuildScene(options);
  ASSERT_EQ(still.lamps[50].size(), 1U);
  double least = 1e9, most = 0;
  for (std::size_t i = 0; i < still.lamps.size(); ++i) {
    const Position& lamp = still.lamps[i][0];
    const Position& eye = still.camera.frames[i].eye;
    const double distance = std::hypot(lamp.x - eye.x, lamp.y - eye.y, lamp.z - eye.z);
    least = std::min(least, distance);
    most = std::max(most, distance);
  }
  EXPECT_NEAR(least, most, 1e-6);
  EXPECT_GT(least, 0.3);
}

TEST(Scene, ACleanTwinHasTheSameArtCameraAndLampAndNoDamage) {
  const Scene damaged = BuildScene(Small(SynthKind::kCover, 9));
  const Scene clean = BuildScene(Small(SynthKind::kCover, 9, true));
  EXPECT_TRUE(clean.damage.defects.empty());
  EXPECT_EQ(clean.camera.flat_size, damaged.camera.flat_size);
  for (std::size_t i = 0; i < 120; ++i) {
    EXPECT_EQ(clean.camera.frames[i].frame_from_object, damaged.camera.frames[i].frame_from_object);
    EXPECT_EQ(clean.lamps[i][0].x, damaged.lamps[i][0].x);
  }
  for (int y = 0; y < clean.damage.ids.height(); ++y) {
    const auto* row = clean.damage.ids.Row<std::uint8_t>(y);
    ASSERT_TRUE(std::all_of(row, row + clean.damage.ids.width(), [](int id) { return id == 0; }));
  }
}

}  // namespace
}  // namespace glint
