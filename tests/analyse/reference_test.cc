// SPDX-License-Identifier: Apache-2.0
// A drawn page under another light, compared with what was printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "analyse/cpu_stages.h"
#include "analyse/reference/compare.h"
#include "analyse/reference/findings.h"
#include "analyse/reference/highlights.h"
#include "base/mat.h"
#include "bench/synth/artwork.h"
#include "glint/error.h"
#include "support/plane_compare.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::Lt;
using testing::Optional;

constexpr Size kPage{460, 650};
const cv::Rect kStain(150, 330, 90, 70);

Plane Artwork(std::uint32_t seed) { return DrawArtwork(SynthKind::kPage, kPage, seed); }

/// What a camera makes of the print: linear light, a lamp to one side, gloss, a yellowish sensor,
/// some blur. @param ink  factors on R, G, B per pixel, or empty
Plane Filmed(const Plane& print, cv::Point2d lamp, double gloss, const cv::Mat3d& ink = {}) {
  cv::Mat3d light(print.height(), print.width());
  const double reach = 0.9 * std::hypot(print.width(), print.height());
  for (int y = 0; y < print.height(); ++y) {
    const auto* rgb = print.Row<std::uint8_t>(y);
    for (int x = 0; x < print.width(); ++x, rgb += 3) {
      const double away = std::hypot(x - lamp.x, y - lamp.y) / reach;
      const double falloff = 0.8 / (1 + away * away);
      const double veil = gloss * std::exp(-30 * away * away);
      std::array<double, 3> linear{};
      for (std::size_t c = 0; c < 3; ++c) {
        linear[c] =
            std::pow(rgb[c] / 255.0, 2.2) * (ink.empty() ? 1 : ink(y, x)[static_cast<int>(c)]);
      }
      const double mixed = 0.05 * (linear[0] + linear[1] + linear[2]);
      for (int c = 0; c < 3; ++c) {
        constexpr std::array<double, 3> kSensor = {1.0, 0.95, 0.82};
        const auto at = static_cast<std::size_t>(c);
        light(y, x)[c] = kSensor[at] * falloff * (0.85 * linear[at] + mixed) + veil;
      }
    }
  }
  cv::GaussianBlur(light, light, {}, 0.8);
  cv::RNG noise(7);
  Plane seen = Plane::Host(print.size(), PixelType::kU8x3);
  for (int y = 0; y < print.height(); ++y) {
    auto* rgb = seen.Row<std::uint8_t>(y);
    for (int x = 0; x < print.width(); ++x) {
      for (int c = 0; c < 3; ++c) {
        const double value = 255 * std::pow(light(y, x)[c], 1 / 2.2) + noise.gaussian(0.8);
        rgb[3 * x + c] = cv::saturate_cast<std::uint8_t>(value);
      }
    }
  }
  return seen;
}

/// A brown ellipse with a darker rim; the rest untouched.
cv::Mat3d Stained(const cv::Rect& box, double strength) {
  cv::Mat3d ink(kPage.height, kPage.width, cv::Vec3d::all(1));
  for (int y = box.y; y < box.br().y; ++y) {
    for (int x = box.x; x < box.br().x; ++x) {
      const double u = 2.0 * (x - box.x) / box.width - 1, v = 2.0 * (y - box.y) / box.height - 1;
      const double inside = 1 - std::hypot(u, v);
      if (inside <= 0) continue;
      const double dark = strength * std::min(1.0, inside / 0.08) * (inside < 0.15 ? 1.2 : 0.8);
      ink(y, x) = {1 - 0.55 * dark, 1 - 0.8 * dark, 1 - std::min(0.95, 1.3 * dark)};
    }
  }
  return ink;
}

Plane All(Size size) {
  Plane all = Plane::Host(size, PixelType::kU8);
  AsMat(all).setTo(255);
  return all;
}

int Marked(const Plane& mask) { return cv::countNonZero(AsMat(mask)); }

/// Share of the marked pixels that lie in the stain's box, and of its ellipse that is marked.
std::pair<double, double> Agreement(const Plane& mask) {
  cv::Mat truth = cv::Mat::zeros(AsMat(mask).size(), CV_8U);
  cv::ellipse(truth, cv::RotatedRect(cv::Point2f(195, 365), cv::Size2f(90, 70), 0), 255,
              cv::FILLED);
  cv::Mat wide, both;
  cv::dilate(truth, wide, cv::Mat::ones(9, 9, CV_8U));
  cv::bitwise_and(wide, AsMat(mask), both);
  const double precise = cv::countNonZero(both) / std::max(1.0, 1.0 * Marked(mask));
  cv::bitwise_and(truth, AsMat(mask), both);
  return {precise, cv::countNonZero(both) / static_cast<double>(cv::countNonZero(truth))};
}

class Reference : public testing::Test {
 protected:
  absl::StatusOr<Comparison> Compare(const Plane& object, const Plane& picture,
                                     const Plane& damage = {}) {
    return CompareWithCopy(object, All(object.size()), {.picture = picture, .damage = damage},
                           cpu_.stages, cpu_.pool, {});
  }

  CpuStages cpu_{2};
};

TEST_F(Reference, FindsAStainWhateverTheLight) {
  const Plane print = Artwork(5);
  const Plane object = Filmed(print, {60, 80}, 0.02, Stained(kStain, 0.3));
  const auto found = Compare(object, print);
  ASSERT_THAT(found, IsOk());
  const auto [precise, covered] = Agreement(found->changed);
  EXPECT_GE(precise, 0.9);
  EXPECT_GE(covered, 0.9);
}

TEST_F(Reference, MarksNothingWhereOnlyTheLightDiffers) {
  const Plane print = Artwork(5);
  const Plane object = Filmed(print, {60, 80}, 0.02);
  for (const Plane& copy : {print, object, Filmed(print, {420, 600}, 0.12)}) {
    const auto found = Compare(object, copy);
    ASSERT_THAT(found, IsOk());
    EXPECT_EQ(Marked(found->changed), 0);
    EXPECT_GE(Marked(found->compared), 0.8 * static_cast<double>(kPage.area()));
  }
}

TEST(FindHighlights, IsWhereTheCopyShinesAndNeverUnderAStain) {
  ThreadPool one(1), three(3);
  const Plane print = Artwork(3);
  const Plane now = Filmed(print, {460, 0}, 0, Stained(kStain, 0.5));
  const cv::Point2d lamp(330, 120);
  const Plane then = Filmed(print, lamp, 0.2);
  const cv::Mat found = reference::FindHighlights(now, then, All(kPage), 0.7, one);
  cv::Mat under(found.size(), CV_8U, cv::Scalar(0));
  cv::circle(under, lamp, 60, cv::Scalar(255), cv::FILLED);
  EXPECT_GE(cv::countNonZero(found & under), 0.5 * cv::countNonZero(under));  // the rest is flat
  EXPECT_EQ(cv::countNonZero(found(kStain)), 0);
  const cv::Mat again = reference::FindHighlights(now, then, All(kPage), 0.7, three);
  EXPECT_EQ(cv::countNonZero(found != again), 0);
  const Plane dull = Filmed(print, lamp, 0);
  const cv::Mat none = reference::FindHighlights(now, dull, All(kPage), 0.7, one);
  EXPECT_LE(cv::countNonZero(none), 0.002 * static_cast<double>(kPage.area()));
}

TEST_F(Reference, DoesNotCompareWhatTheCopyLacks) {
  const Plane print = Artwork(5);
  const Plane lettered = AsPlane(AsMat(print).clone());
  cv::Mat sheet = AsMat(lettered);
  const cv::RotatedRect balloon(cv::Point2f(260, 200), cv::Size2f(230, 90), 0);
  cv::ellipse(sheet, balloon, cv::Scalar::all(250), cv::FILLED, cv::LINE_AA);
  cv::ellipse(sheet, balloon, cv::Scalar::all(10), 2, cv::LINE_AA);
  cv::putText(sheet, "WHAT IS THIS", {175, 205}, cv::FONT_HERSHEY_SIMPLEX, 0.7, cv::Scalar::all(20),
              2, cv::LINE_AA);
  const auto found = Compare(Filmed(lettered, {60, 80}, 0.02), print);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(Marked(found->changed), 0);
  EXPECT_EQ(AsMat(found->compared).at<std::uint8_t>(200, 260), 0);
}

TEST_F(Reference, FindsTheObjectInATurnedAndLargerCopy) {
  const Plane print = Artwork(5);
  const Plane object = Filmed(print, {60, 80}, 0.02, Stained(kStain, 0.3));
  for (const int turn : {cv::ROTATE_90_CLOCKWISE, cv::ROTATE_180, cv::ROTATE_90_COUNTERCLOCKWISE}) {
    cv::Mat turned;
    cv::rotate(AsMat(print), turned, turn);
    cv::resize(turned, turned, {}, 1.7, 1.7, cv::INTER_CUBIC);
    const auto found = Compare(object, AsPlane(turned));
    ASSERT_THAT(found, IsOk()) << turn;
    const auto [precise, covered] = Agreement(found->changed);
    EXPECT_GE(precise, 0.9) << turn;
    EXPECT_GE(covered, 0.9) << turn;
  }
}

TEST_F(Reference, RefusesAnotherObject) {
  const Plane object = Filmed(Artwork(5), {60, 80}, 0.02);
  Plane blank = Plane::Host({300, 200}, PixelType::kU8x3);
  AsMat(blank).setTo(cv::Scalar::all(200));
  for (const Plane& copy : {Artwork(6), DrawArtwork(SynthKind::kCard, kPage, 3), blank}) {
    const auto found = Compare(object, copy);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(ReasonOf(found.status()), Reason::kInvalidOption);
    EXPECT_THAT(std::string(Message(found.status())), HasSubstr("does not show the object"));
  }
}

TEST_F(Reference, RefusesPicturesOfAbsurdSizes) {
  const Plane object = Filmed(Artwork(5), {60, 80}, 0.02);
  for (const Size size : {Size{1, 1}, Size{2000, 1}, Size{1, 2000}, Size{31, 17}, Size{64, 3000}}) {
    Plane copy = Plane::Host(size, PixelType::kU8x3);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < 3 * size.width; ++x) {
        copy.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(x * 91 + y * 57);
      }
    }
    const auto found = Compare(object, copy);
    ASSERT_FALSE(found.ok()) << ToString(size);
    EXPECT_EQ(ReasonOf(found.status()), Reason::kInvalidOption) << ToString(size);
  }
}

TEST_F(Reference, IsTheSameForAnyNumberOfThreads) {
  const Plane print = Artwork(8);
  const Plane object = Filmed(print, {60, 80}, 0.02, Stained(kStain, 0.4));
  CpuStages alone(1), many(5);
  const GoodCopy copy{.picture = print, .damage = {}};
  const auto a = CompareWithCopy(object, All(kPage), copy, alone.stages, alone.pool, {});
  const auto b = CompareWithCopy(object, All(kPage), copy, many.stages, many.pool, {});
  ASSERT_THAT(a, IsOk());
  ASSERT_THAT(b, IsOk());
  EXPECT_TRUE(SameBytes(a->picture, b->picture));
  EXPECT_TRUE(SameBytes(a->compared, b->compared));
  EXPECT_TRUE(SameBytes(a->changed, b->changed));
  EXPECT_TRUE(SameBytes(a->strength, b->strength));
  EXPECT_TRUE(SameBytes(a->paler, b->paler));
}

/// A detection of a page with one line.
Detection WithLine(const cv::Rect& line) {
  Detection detection{.mask = Plane::Host(kPage, PixelType::kU8),
                      .score = Plane::Host(kPage, PixelType::kS32),
                      .seen = All(kPage)};
  AsMat(detection.mask).setTo(0);
  AsMat(detection.score).setTo(0);
  AsMat(detection.mask)(line).setTo(255);
  CpuStages cpu(1);
  detection.regions =
      *FindRegions(detection.mask, detection.score, {}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, cpu.stages);
  detection.layers = {{"lines", AsPlane(AsMat(detection.mask).clone())}};
  return detection;
}

/// The same picture in twelve views.
ViewStack ViewsOf(const Plane& object) {
  cv::Mat grey;
  cv::cvtColor(AsMat(object), grey, cv::COLOR_RGB2GRAY);
  ViewStack views;
  for (int i = 0; i < 12; ++i) {
    views.greys.push_back(AsPlane(grey));
    views.valid.push_back(All(object.size()));
  }
  return views;
}

TEST_F(Reference, NamesKindsAndWhatIsNew) {
  const Plane print = Artwork(5);
  Plane damage = Plane::Host(kPage, PixelType::kU8);
  AsMat(damage).setTo(0);
  AsMat(damage)(cv::Rect(20, 40, 60, 4)).setTo(255);
  const Plane object = Filmed(print, {60, 80}, 0.02, Stained(kStain, 0.3));
  const auto found = Compare(object, print, damage);
  ASSERT_THAT(found, IsOk());
  ASSERT_FALSE(found->known.empty());

  Detection detection = WithLine({20, 41, 60, 4});  // a little beside what was known
  const Homography same = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  CpuStages cpu(2);
  const ViewStack views = ViewsOf(object);
  ASSERT_THAT(AddComparison(*found, views, same, cpu.stages, cpu.pool, detection), IsOk());
  std::vector<std::string> layers;
  for (const MaskLayer& layer : detection.layers) layers.push_back(layer.name);
  EXPECT_THAT(layers, ElementsAre("lines", "reference", "new"));
  ASSERT_EQ(detection.regions.regions.size(), 2U);
  const DefectRegion& line = detection.regions.regions[0];
  const DefectRegion& stain = detection.regions.regions[1];
  EXPECT_EQ(line.kind, RegionKind::kLine);
  EXPECT_EQ(line.is_new, false);
  EXPECT_EQ(stain.id, 2);
  EXPECT_EQ(stain.kind, RegionKind::kStain);
  EXPECT_EQ(stain.family, kReferenceLayer);
  EXPECT_EQ(stain.views, 12);
  EXPECT_THAT(stain.confidence, Optional(AllOf(Gt(0.5), Lt(1.0))));
  EXPECT_EQ(stain.is_new, true);
  EXPECT_EQ(detection.regions.labels.Row<std::int32_t>(365)[195], 2);
  EXPECT_EQ(Marked(detection.layers[2].mask), stain.area_px);
  EXPECT_EQ(Marked(detection.mask), line.area_px + stain.area_px);
}

TEST_F(Reference, NamesFadingWhereInkIsPaler) {
  const Plane print = Artwork(5);
  const auto found = Compare(print, Filmed(print, {60, 80}, 0, Stained(kStain, 0.3)));
  ASSERT_THAT(found, IsOk());
  Detection detection = WithLine({20, 41, 60, 4});
  const Homography same = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  CpuStages cpu(2);
  ASSERT_THAT(AddComparison(*found, ViewsOf(print), same, cpu.stages, cpu.pool, detection), IsOk());
  ASSERT_EQ(detection.regions.regions.size(), 2U);
  EXPECT_EQ(detection.regions.regions[1].kind, RegionKind::kFading);
  EXPECT_FALSE(detection.regions.regions[1].is_new);
}

}  // namespace
}  // namespace glint
