// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/dull_lines.h"

#include <gtest/gtest.h>

#include <functional>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric_drawing.h"
#include "base/mat.h"
#include "base/thread_pool.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

constexpr int kDullViews = 30;
const cv::Point kDullBegin(60, 50), kDullEnd(130, 90);

/// Views of a printed sheet that reflects more light in each: from none to 60 grey values.
class ShiningViews {
 public:
  explicit ShiningViews(Size size = {200, 160})
      : albedo_(Filled(size, PixelType::kS16, 0)), surface_(Filled(size, PixelType::kU8, 255)) {
    cv::RNG random(5);
    for (int view = 0; view < kDullViews; ++view) {
      cv::Mat grey(size.height, size.width, CV_8U, cv::Scalar(100)), noise(grey.size(), CV_8U);
      grey.rowRange(size.height / 2, size.height) += 20;  // print
      random.fill(noise, cv::RNG::UNIFORM, 0, 5);
      greys_.push_back(AsPlane(grey + noise + cv::Scalar(Light(view))));
      valid_.push_back(Filled(size, PixelType::kU8, 255));
    }
  }

  static int Light(int view) { return 2 * view; }

  /// Draws a line, darker than the sheet by so many grey values.
  /// @param across  by which it lies lower
  void Draw(
      const std::function<int(int view)>& grey, cv::Point end = kDullEnd,
      const std::function<int(int view)>& across = [](int) { return 0; }) {
    for (int view = 0; view < kDullViews; ++view) {
      cv::Mat picture = AsMat(greys_[static_cast<std::size_t>(view)]);
      cv::Mat line(picture.size(), CV_8U, cv::Scalar(0));
      const cv::Point down(0, across(view));
      cv::line(line, kDullBegin + down, end + down, cv::Scalar(255), 2);
      cv::subtract(picture, cv::Scalar(grey(view)), picture, line);
    }
  }

  std::vector<FoundLine> Find(const DullLineParams& params = {}, int threads = 2) const {
    ThreadPool pool(threads);
    cv::Mat sum(AsMat(albedo_).size(), CV_32S, cv::Scalar(0));
    for (const Plane& grey : greys_) cv::add(sum, AsMat(grey), sum, {}, CV_32S);
    sum.convertTo(AsMat(albedo_), CV_16S, static_cast<double>(kGrey) / kDullViews);
    return FindDullLines(greys_, valid_, albedo_, surface_, params, pool);
  }

  std::vector<Plane> greys_, valid_;
  Plane albedo_, surface_;
};

/// Of a groove: what shines on the sheet does not shine on it.
int Groove(int view) { return 4 + ShiningViews::Light(view); }

TEST(DullLines, DoNotShineWhereTheSheetDoes) {
  ShiningViews views;
  views.Draw(Groove);
  // Everything else here is plain, so that it is most of the strokes.
  const auto found = views.Find({.max_share = 1});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GE(found[0].score, found[0].needed);
  const StraightLine& line = found[0].line;
  EXPECT_NEAR(line.length(), 81, 16);
  for (const int t : {line.begin, line.end}) {
    const cv::Point at = line.At(t);
    EXPECT_NEAR(at.y, 50 + (at.x - 60) * 40 / 70.0, 2);
  }
}

TEST(DullLines, AreNotPrint) {
  ShiningViews under_light, under_lamp, under_veil;
  under_light.Draw([](int) { return 30; });
  EXPECT_TRUE(under_light.Find({.max_share = 1}).empty()) << "light is added to ink and paper";
  under_lamp.Draw([](int view) { return (100 + ShiningViews::Light(view)) * 3 / 10; });
  EXPECT_TRUE(under_lamp.Find({.max_share = 1}).empty()) << "or both reflect their share of it";
  under_veil.Draw([](int view) { return 40 - ShiningViews::Light(view) / 2; });
  EXPECT_TRUE(under_veil.Find({.max_share = 1}).empty()) << "or a camera takes contrast away";
}

TEST(DullLines, AreNotPrintThatLiesSomewhereElseInTheDarkestViews) {
  ShiningViews views;
  views.Draw([](int) { return 30; }, kDullEnd, [](int view) { return view < 10 ? 3 : 0; });
  EXPECT_TRUE(views.Find({.max_share = 1}).empty());
  EXPECT_FALSE(views.Find({.shift_px = 0, .max_share = 1}).empty()) << "it would be taken for one";
}

TEST(DullLines, AreFewOfTheStrokes) {
  ShiningViews views;
  views.Draw(Groove);
  EXPECT_TRUE(views.Find().empty()) << "all ink of this sheet is dull";
  cv::Mat text(AsMat(views.albedo_).size(), CV_8U, cv::Scalar(0));
  for (int x = 20; x < 180; x += 12) cv::line(text, {x, 100}, {x, 140}, cv::Scalar(255), 2);
  for (int x = 20; x < 180; x += 12) cv::line(text, {x, 20}, {x, 45}, cv::Scalar(255), 2);
  for (Plane& grey : views.greys_) cv::subtract(AsMat(grey), 30, AsMat(grey), text);
  EXPECT_TRUE(views.Find().empty());
  EXPECT_EQ(views.Find({.max_share = 0.3}).size(), 1U) << "beside print";
}

TEST(DullLines, AreNotOneOfManySideBySide) {
  ShiningViews views;
  for (const int away : {-24, -16, -8, 8, 16, 24}) {
    views.Draw([](int) { return 30; }, kDullEnd, [&](int) { return away; });
  }
  views.Draw(Groove);
  EXPECT_TRUE(views.Find({.max_share = 1}).empty());
  EXPECT_EQ(views.Find({.max_share = 1, .max_beside = 10}).size(), 1U);
}

TEST(DullLines, NeedALightThatChanges) {
  ShiningViews views;
  views.Draw(Groove);
  EXPECT_TRUE(views.Find({.min_brighter_share = 0.6, .max_share = 1}).empty());
  views.greys_.resize(5);
  views.valid_.resize(5);
  EXPECT_TRUE(views.Find({.max_share = 1}).empty()) << "and enough views";
}

TEST(DullLines, AreLines) {
  const auto draw = [](cv::Point end) {
    ShiningViews views;
    views.Draw(Groove, end);
    return views;
  };
  EXPECT_TRUE(draw({70, 56}).Find({.max_share = 1}).empty()) << "a speck";
  EXPECT_EQ(draw({110, 79}).Find({.max_share = 1}).size(), 1U);
}

TEST(DullLines, AreLookedForWhereViewsShowTheSurface) {
  ShiningViews hidden;
  hidden.Draw(Groove);
  for (std::size_t view = 2; view < kDullViews; ++view) {
    AsMat(hidden.valid_[view])(cv::Rect(40, 40, 100, 60)).setTo(0);
  }
  EXPECT_TRUE(hidden.Find({.max_share = 1}).empty());
  ShiningViews covered;
  covered.Draw(Groove);
  AsMat(covered.surface_)(cv::Rect(40, 40, 110, 60)).setTo(0);
  EXPECT_TRUE(covered.Find({.max_share = 1}).empty());
}

TEST(DullLines, AreAloneAlsoWhereEveryPlaceIsAStroke) {
  ShiningViews views;
  views.Draw(Groove);
  EXPECT_TRUE(views.Find({.min_stroke_grey = 0}).empty()) << "noise runs beside it";
}

TEST(DullLines, AreTheSameOnAnyNumberOfThreads) {
  ShiningViews views;
  views.Draw(Groove);
  const auto one = views.Find({.max_share = 1}, 1), four = views.Find({.max_share = 1}, 4);
  ASSERT_EQ(one.size(), 1U);
  ASSERT_EQ(four.size(), 1U);
  EXPECT_EQ(one[0].score, four[0].score);
  EXPECT_EQ(one[0].line.begin, four[0].line.begin);
}

TEST(DullLines, AreNotLookedForInObjectsWithoutRoom) {
  EXPECT_TRUE(ShiningViews({30, 30}).Find().empty());
  EXPECT_TRUE(ShiningViews({200, 30}).Find().empty());
}

}  // namespace
}  // namespace glint::photometric
