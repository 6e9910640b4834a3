// SPDX-License-Identifier: Apache-2.0
// What is missing from an object's outline, on drawn objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/outline/worn_corners.h"
#include "analyse/photometric/pixels/median_colour.h"
#include "analyse/photometric_drawing.h"
#include "glint/stored_plane.h"
#include "support/status_matchers.h"

namespace glint::photometric {
namespace {

using testing::HasSubstr;

constexpr Size kObject{400, 500};
const cv::Scalar kLikeDesk(80, 63, 46);

/// A sheet of paper with ink on it, on a desk, and where something of it is missing.
struct Sheet {
  cv::Mat picture;
  cv::Mat missing = cv::Mat(kObject.height, kObject.width, CV_8U, cv::Scalar(0));

  Sheet()
      : picture(kObject.height + 2 * kBackgroundMargin, kObject.width + 2 * kBackgroundMargin,
                CV_8UC3, kDesk) {
    picture(cv::Rect(kBackgroundMargin, kBackgroundMargin, kObject.width, kObject.height))
        .setTo(kPaper);
    cv::circle(picture, {250, 300}, 60, cv::Scalar(30, 60, 120), cv::FILLED);
    cv::rectangle(picture, cv::Rect(100, 100, 150, 60), kDesk, cv::FILLED);  // ink like the desk
  }

  /// Shows the desk inside a polygon, in object pixels.
  Sheet& Cut(const std::vector<cv::Point>& polygon) {
    cv::fillPoly(missing, std::vector{polygon}, cv::Scalar(255));
    const cv::Rect object(kBackgroundMargin, kBackgroundMargin, kObject.width, kObject.height);
    picture(object).setTo(kDesk, missing);
    return *this;
  }

  /// Prints a line from the right side inwards.
  Sheet& Print(const cv::Scalar& ink, int length) {
    const cv::Point end(kBackgroundMargin + kObject.width - 1, kBackgroundMargin + 400);
    cv::line(picture, end - cv::Point(length, length / 10), end, ink, 3);
    return *this;
  }

  /// Prints a panel.
  Sheet& Print(const cv::Scalar& ink, cv::Rect panel) {
    const cv::Rect object(kBackgroundMargin, kBackgroundMargin, kObject.width, kObject.height);
    picture(object)(panel).setTo(ink);
    return *this;
  }

  /// With the camera's noise.
  Plane Filmed() const {
    cv::Mat noise(picture.size(), CV_8UC3), filmed;
    cv::RNG(5).fill(noise, cv::RNG::UNIFORM, 0, 7);
    cv::GaussianBlur(picture, filmed, {}, 0.7);
    filmed += noise - cv::Scalar::all(0);
    return AsPlane(filmed);
  }
};

/// Nothing is marked but what is missing, give or take some pixels.
void ExpectMarkedNear(const Outline& outline, const cv::Mat& missing, int slack) {
  cv::Mat near;
  cv::dilate(missing, near, cv::Mat::ones(2 * slack + 1, 2 * slack + 1, CV_8U));
  EXPECT_EQ(CountBoth(outline.damage, near), CountMarked(outline.damage));
}

/// What is missing is marked, such a share of it at least, and nothing but that.
void ExpectMarked(const Sheet& sheet, double share, int slack) {
  const auto outline = FindOutline(sheet.Filmed(), {});
  ASSERT_THAT(outline, IsOk());
  EXPECT_GE(CountBoth(outline->damage, sheet.missing), share * cv::countNonZero(sheet.missing));
  ExpectMarkedNear(*outline, sheet.missing, slack);
}

struct OutlineCase {
  std::string name;
  Sheet sheet;
  bool damage = false;
};

/// As if the object's edge showed nowhere.
OutlineParams WithoutVisibleEdges() {
  OutlineParams params;
  params.edge.min_clarity = params.edge.min_plain_clarity = 100;
  params.edge.min_pieces_clarity = params.edge.min_rise_clarity = 100;
  return params;
}

TEST(FindOutline, TellsWhatIsMissingFromTheObjectsOwnShape) {
  const int w = kObject.width, h = kObject.height;
  const auto corner = [](int x, int y, int dx, int dy, int size) {
    return std::vector<cv::Point>{{x, y}, {x + dx * size, y}, {x, y + dy * size}};
  };
  Sheet cut_corners;
  cut_corners.Cut(corner(0, 0, 1, 1, 22)).Cut(corner(w - 1, 0, -1, 1, 22));
  cut_corners.Cut(corner(w - 1, h - 1, -1, -1, 22)).Cut(corner(0, h - 1, 1, -1, 22));
  const std::vector<OutlineCase> cases = {
      {.name = "whole", .sheet = {}},
      {.name = "lost corner", .sheet = Sheet().Cut(corner(0, 0, 1, 1, 45)), .damage = true},
      {.name = "lost corner, much longer than wide",
       .sheet = Sheet().Cut({{0, h - 1}, {0, h - 90}, {40, h - 1}}),
       .damage = true},
      {.name = "tear",
       .sheet = Sheet().Cut({{w - 1, 240}, {w - 1, 254}, {w - 50, 247}}),
       .damage = true},
      {.name = "four equal corners", .sheet = cut_corners},
      {.name = "quadrilateral 3 px too wide",
       .sheet = Sheet().Cut({{w - 3, 0}, {w - 1, 0}, {w - 1, h - 1}, {w - 3, h - 1}})},
      {.name = "line printed in the desk's colour", .sheet = Sheet().Print(kDesk, 150)},
      {.name = "ink much like the desk's colour, up to two sides",
       .sheet = Sheet().Print(kLikeDesk, {0, 420, 150, 80})},
      {.name = "lost corner beside such ink",
       .sheet = Sheet().Print(kLikeDesk, {70, 0, 330, 60}).Cut(corner(0, 0, 1, 1, 45)),
       .damage = true},
      {.name = "slanted side", .sheet = Sheet().Cut({{0, 0}, {5, 0}, {0, h - 1}})},
  };
  for (const OutlineCase& test : cases) {
    SCOPED_TRACE(test.name);
    const auto outline = FindOutline(test.sheet.Filmed(), {});
    ASSERT_THAT(outline, IsOk());
    if (!test.damage) {
      EXPECT_EQ(CountMarked(outline->damage), 0);
      continue;
    }
    const int missing = cv::countNonZero(test.sheet.missing);
    EXPECT_GE(CountBoth(outline->damage, test.sheet.missing), 0.9 * missing);
    ExpectMarkedNear(*outline, test.sheet.missing, 4);
    EXPECT_LE(CountBoth(outline->body, test.sheet.missing), 0.4 * missing);  // a tear's thin tip
  }
}

TEST(FindOutline, TakesAThumbAtTheRimForNoGap) {
  Sheet sheet;
  const cv::Point at(kBackgroundMargin + 200, kBackgroundMargin + kObject.height);
  const cv::Size thumb(30, 40);
  cv::ellipse(sheet.picture, at, thumb, 0, 0, 360, cv::Scalar(215, 160, 130), cv::FILLED);
  cv::rectangle(sheet.picture, cv::Rect(at.x - 30, at.y, 61, kBackgroundMargin),
                cv::Scalar(215, 160, 130), cv::FILLED);
  const auto outline = FindOutline(sheet.Filmed(), {});
  ASSERT_THAT(outline, IsOk());
  EXPECT_EQ(CountMarked(outline->damage), 0);
  EXPECT_GT(CountMarked(outline->covered), 1500);  // of 1885
  OutlineParams nothing_covers;
  nothing_covers.covered.min_step_lab = 255;
  const auto gap = FindOutline(sheet.Filmed(), nothing_covers);
  ASSERT_THAT(gap, IsOk());
  EXPECT_GT(CountMarked(gap->damage), 1500);
}

TEST(FindOutline, TakesAThumbForOneOnATableThatChangesAlongTheSide) {
  Sheet sheet;
  for (int x = 0; x < sheet.picture.cols; ++x) {  // light from the left, and streaks
    const double light = 1.25 - 0.6 * x / sheet.picture.cols + (x / 9 % 3 == 0 ? 0.06 : 0.0);
    for (const int y : {0, sheet.picture.rows - kBackgroundMargin}) {
      sheet.picture(cv::Rect(x, y, 1, kBackgroundMargin)) *= light;
    }
  }
  const cv::Point at(kBackgroundMargin + 230, kBackgroundMargin + kObject.height);
  cv::rectangle(sheet.picture, cv::Rect(at.x - 26, at.y - 34, 53, 34 + kBackgroundMargin),
                cv::Scalar(215, 160, 130), cv::FILLED);
  const auto outline = FindOutline(sheet.Filmed(), {});
  ASSERT_THAT(outline, IsOk());
  EXPECT_EQ(CountMarked(outline->damage), 0);
  EXPECT_GT(CountMarked(outline->covered), 53 * 34);
}

TEST(FindOutline, TakesAThingThatEndsAtTheRimForNoThumb) {
  Sheet sheet;
  const cv::Rect beside(kBackgroundMargin + 200, kBackgroundMargin + kObject.height, 61,
                        kBackgroundMargin);
  cv::rectangle(sheet.picture, beside, cv::Scalar(215, 160, 130), cv::FILLED);
  const auto outline = FindOutline(sheet.Filmed(), {});
  ASSERT_THAT(outline, IsOk());
  EXPECT_EQ(CountMarked(outline->covered), 0);
}

TEST(FindOutline, TakesNoLongShallowStripForAGap) {
  Sheet sheet;
  sheet.Cut({{100, 0}, {220, 0}, {220, 5}, {100, 5}});
  const auto strip = FindOutline(sheet.Filmed(), {});
  ASSERT_THAT(strip, IsOk());
  EXPECT_EQ(CountMarked(strip->damage), 0);
  OutlineParams any_length;
  any_length.edge.long_shallow_px = 10000;
  any_length.seed_depth_px = 4;
  any_length.mouth_depth_px = 1;
  const auto gap = FindOutline(sheet.Filmed(), any_length);
  ASSERT_THAT(gap, IsOk());
  EXPECT_GT(CountMarked(gap->damage), 0) << "the strip is no gap anyway";
}

TEST(FindOutline, TakesOnlyWhatReachesDeepForAGap) {
  const auto marked = [](int depth) {
    Sheet sheet;
    sheet.Cut({{100, 0}, {124, 0}, {124, depth}, {100, depth}});
    const auto outline = FindOutline(sheet.Filmed(), {});
    EXPECT_THAT(outline, IsOk());
    return outline.ok() ? CountBoth(outline->damage, sheet.missing) : -1;
  };
  EXPECT_EQ(marked(6), 0) << "print in the table's colour, or an outline that is 2 px off";
  EXPECT_GT(marked(14), 0.9 * 24 * 14);
}

/// What shows is print, and would be a gap but for the rule that these parameters leave out.
void ExpectTakenForPrint(const Sheet& sheet, const OutlineParams& without) {
  const auto print = FindOutline(sheet.Filmed(), {});
  ASSERT_THAT(print, IsOk());
  EXPECT_EQ(CountMarked(print->damage), 0);
  const auto gap = FindOutline(sheet.Filmed(), without);
  ASSERT_THAT(gap, IsOk());
  EXPECT_GT(CountMarked(gap->damage), 0) << "it is no gap anyway";
}

TEST(FindOutline, TakesPrintBehindALineAlongTheRimForNoGap) {
  Sheet sheet;
  sheet
      .Print(kDesk, cv::Rect(150, 0, 30, 4))  // a thin line along the rim
      .Print(kDesk, cv::Rect(162, 0, 7, 12))
      .Print(kDesk, cv::Rect(150, 10, 30, 24));
  OutlineParams any_mouth;
  any_mouth.mouth_depth_px = 1;
  ExpectTakenForPrint(sheet, any_mouth);
}

TEST(FindOutline, SeesAnEdgeAlongWhichPrintIsNowBrighterNowDarker) {
  Sheet sheet;
  for (int x = 100; x < 228; x += 16) {
    sheet.Print(kDesk + cv::Scalar::all(10), cv::Rect(x, 0, 8, 30))
        .Print(kDesk - cv::Scalar::all(10), cv::Rect(x + 8, 0, 8, 30));
  }
  OutlineParams as_a_whole;
  as_a_whole.edge.min_pieces_clarity = 100;
  ExpectTakenForPrint(sheet, as_a_whole);
}

/// A sheet with a panel of the desk's colour at its left side, and a shadow beside that side.
Sheet PanelInShadow(const cv::Scalar& ink) {
  Sheet sheet;
  sheet.Print(ink, cv::Rect(0, 150, 30, 50));
  for (int away = 1; away <= 16; ++away) {
    const cv::Rect column(kBackgroundMargin - away, 0, 1, sheet.picture.rows);
    sheet.picture(column) *= 0.6 + 0.025 * (away - 1);
  }
  return sheet;
}

TEST(FindOutline, SeesAnEdgeThatRisesFromTheShadow) {
  OutlineParams without_shadows;
  without_shadows.edge.min_rise_clarity = 100;
  ExpectTakenForPrint(PanelInShadow(kDesk * 0.7), without_shadows);
}

TEST(FindOutline, TakesNothingWithinTheObjectForAGap) {
  Sheet sheet;
  sheet.Cut({{100, 0}, {122, 0}, {122, 39}, {100, 39}})
      .Print(kDesk, cv::Rect(122, 16, 26, 7))  // a branch along the side, which is cut off
      .Print(kDesk, cv::Rect(148, 16, 14, 18))
      .Print(kDesk, cv::Rect(162, 25, 3, 7));
  ExpectMarked(sheet, 0.8, 8);
}

TEST(FindOutline, GrowsNoGapIntoPrintBehindIt) {
  Sheet sheet;
  sheet.Print(kDesk + cv::Scalar::all(40), cv::Rect(60, 0, 100, 150))
      .Cut({{100, 0}, {114, 0}, {114, 14}, {100, 14}})
      .Print(kDesk + cv::Scalar::all(13), cv::Rect(102, 15, 10, 85));
  ExpectMarked(sheet, 0.9, 4);
  OutlineParams any_growth;
  any_growth.max_growth = 1000;
  const auto grown = FindOutline(sheet.Filmed(), any_growth);
  ASSERT_THAT(grown, IsOk());
  EXPECT_GT(CountMarked(grown->damage), 3 * cv::countNonZero(sheet.missing));
}

TEST(FindOutline, TakesPrintOfAnotherHueForNoGap) {
  Sheet sheet;
  sheet.Print(kDesk + cv::Scalar(-4, 2, 6), cv::Rect(100, 0, 24, 30));
  OutlineParams params = WithoutVisibleEdges();
  const auto print = FindOutline(sheet.Filmed(), params);
  ASSERT_THAT(print, IsOk());
  EXPECT_EQ(CountMarked(print->damage), 0);
  params.gap_chroma.max_difference_lab = 255;
  const auto gap = FindOutline(sheet.Filmed(), params);
  ASSERT_THAT(gap, IsOk());
  EXPECT_GT(CountMarked(gap->damage), 24 * 30 / 2) << "it is no gap anyway";
}

TEST(FindOutline, TakesPrintThatGrowsIntoAnotherHueForNoGap) {
  Sheet sheet;  // print like the desk, too thin to have a middle, and wider print behind it
  sheet.Print(kDesk, cv::Rect(100, 0, 8, 16))
      .Print(kDesk + cv::Scalar(-8, 4, 12), cv::Rect(98, 16, 12, 16));
  OutlineParams params = WithoutVisibleEdges();
  params.gap_object_share = 0;
  const auto print = FindOutline(sheet.Filmed(), params);
  ASSERT_THAT(print, IsOk());
  EXPECT_EQ(CountMarked(print->damage), 0);
  params.gap_chroma.max_difference_lab = 255;
  const auto gap = FindOutline(sheet.Filmed(), params);
  ASSERT_THAT(gap, IsOk());
  EXPECT_GT(CountMarked(gap->damage), 300) << "it does not grow anyway";
}

TEST(FindOutline, DoesNotTakeAPrintedContourForAGap) {
  const cv::Rect object(kBackgroundMargin, kBackgroundMargin, kObject.width, kObject.height);
  Sheet ring;
  cv::Mat print = ring.picture(object);
  cv::circle(print, {kObject.width - 10, 400}, 26, kDesk, 9);
  OutlineParams any_contour;
  any_contour.max_cut_off_share = 100;
  ExpectTakenForPrint(ring, any_contour);
}

TEST(FindOutline, SeesATearByItsPaperWhereTheDeskIsInShadow) {
  const cv::Rect object(kBackgroundMargin, kBackgroundMargin, kObject.width, kObject.height);
  Sheet sheet;
  sheet.picture(object)(cv::Rect(0, 350, kObject.width, 150)).setTo(cv::Scalar(40, 50, 110));
  const std::vector<cv::Point> white = {{399, 390}, {399, 413}, {339, 396}, {339, 388}};
  const std::vector<cv::Point> dark = {{399, 395}, {399, 408}, {341, 392}};
  cv::Mat print = sheet.picture(object);
  cv::fillPoly(print, std::vector{white}, kPaper);
  cv::fillPoly(print, std::vector{dark}, cv::Scalar(12, 9, 8));
  const auto outline = FindOutline(sheet.Filmed(), {});
  ASSERT_THAT(outline, IsOk());
  cv::Mat tear(kObject.height, kObject.width, CV_8U, cv::Scalar(0));
  cv::fillPoly(tear, std::vector{white}, cv::Scalar(255));
  EXPECT_GE(CountBoth(outline->damage, tear), 0.6 * cv::countNonZero(tear));
  EXPECT_GE(CountBoth(outline->damage, tear), 0.8 * CountMarked(outline->damage));
}

TEST(FindOutline, FollowsATearToWhereItsLipsHaveClosed) {
  const cv::Rect object(kBackgroundMargin, kBackgroundMargin, kObject.width, kObject.height);
  Sheet sheet;
  sheet.picture(object)(cv::Rect(0, 60, kObject.width, 200)).setTo(cv::Scalar(40, 50, 110));
  sheet.Cut({{197, 0}, {202, 0}, {202, 59}, {199, 59}});
  cv::line(sheet.picture, cv::Point(kBackgroundMargin + 202, kBackgroundMargin + 61),
           cv::Point(kBackgroundMargin + 205, kBackgroundMargin + 115), kPaper, 2);
  const auto outline = FindOutline(sheet.Filmed(), {});
  ASSERT_THAT(outline, IsOk());
  cv::Mat lips(kObject.height, kObject.width, CV_8U, cv::Scalar(0));
  cv::line(lips, {202, 61}, {205, 115}, cv::Scalar(255), 2);
  EXPECT_GE(CountBoth(outline->damage, sheet.missing), 0.9 * cv::countNonZero(sheet.missing));
  EXPECT_GE(CountBoth(outline->damage, lips), 0.8 * cv::countNonZero(lips));
  ExpectMarkedNear(*outline, lips | sheet.missing, 6);
}

TEST(FindOutline, KeepsATearWhoseTornEdgesLieInPrintThatIsLikeThem) {
  const cv::Rect object(kBackgroundMargin, kBackgroundMargin, kObject.width, kObject.height);
  Sheet sheet;  // of print between paper and the desk
  sheet.picture(object)(cv::Rect(0, 60, kObject.width, 200)).setTo(cv::Scalar(150, 138, 120));
  sheet.Cut({{197, 0}, {202, 0}, {202, 59}, {199, 59}});
  for (int y = 60; y < 130; ++y) {  // its slit and its fibre, together as bright as the print
    const cv::Scalar& colour = y / 3 % 2 == 0 ? kPaper : kDesk;
    cv::line(sheet.picture(object), {199, y}, {203, y}, colour);
  }
  const auto outline = FindOutline(sheet.Filmed(), {});
  ASSERT_THAT(outline, IsOk());
  EXPECT_GE(CountBoth(outline->damage, sheet.missing), 0.9 * cv::countNonZero(sheet.missing));
}

TEST(FindOutline, EndsATearWhereItMeetsAContourOfThePrint) {
  const cv::Rect object(kBackgroundMargin, kBackgroundMargin, kObject.width, kObject.height);
  Sheet sheet;
  cv::line(sheet.picture(object), {349, 50}, {349, 330}, cv::Scalar(30, 60, 120), 2);
  sheet.Cut({{344, 0}, {355, 0}, {351, 59}, {348, 59}});
  ExpectMarked(sheet, 0.9, 6);
}

TEST(FindOutline, SeesATearInASideThatTheQuadrilateralLiesOutsideOf) {
  const int w = kObject.width, h = kObject.height;
  Sheet sheet;
  sheet.Cut({{w - 5, 0}, {w - 1, 0}, {w - 1, h - 1}, {w - 5, h - 1}});
  sheet.missing.setTo(0);
  sheet.Cut({{w - 6, 200}, {w - 6, 224}, {w - 60, 210}});
  ExpectMarked(sheet, 0.85, 6);
}

TEST(FindOutline, LeavesALineInTheDesksColourThatATearCrosses) {
  const int w = kObject.width, h = kObject.height;
  Sheet sheet;
  sheet.Print(kDesk, {w - 30, 20, 3, h - 40});
  sheet.Cut({{w - 1, 200}, {w - 1, 228}, {w - 70, 212}});
  ExpectMarked(sheet, 0.85, 14);
}

TEST(FindOutline, KnowsTheObjectsOwnCorners) {
  Sheet sheet;
  const int w = kObject.width, h = kObject.height;
  for (const cv::Point at : {cv::Point(0, 0), {w - 1, 0}, {0, h - 1}, {w - 1, h - 1}}) {
    const int dx = at.x == 0 ? 25 : -25, dy = at.y == 0 ? 25 : -25;
    sheet.Cut({at, {at.x + dx, at.y}, {at.x, at.y + dy}});
  }
  const auto outline = FindOutline(sheet.Filmed(), {});
  ASSERT_THAT(outline, IsOk());
  const int missing = cv::countNonZero(sheet.missing);
  EXPECT_GE(CountBoth(outline->shape, sheet.missing), 0.95 * missing);
  EXPECT_LE(CountMarked(outline->shape), 1.6 * missing);
}

/// What an object lacks whose upper corners are rounded.
Sheet WithUpperCornersRounded(int left, int right) {
  Sheet sheet;
  for (const bool is_left : {true, false}) {
    const int radius = is_left ? left : right, w = kObject.width;
    std::vector<cv::Point> corner{{is_left ? 0 : w - 1, 0}};
    for (int degrees = 0; degrees <= 90; degrees += 5) {
      const double angle = degrees * CV_PI / 180;
      const int x = static_cast<int>(radius * (1 - std::sin(angle)));
      const int y = static_cast<int>(radius * (1 - std::cos(angle)));
      corner.emplace_back(is_left ? x : w - 1 - x, y);
    }
    sheet.Cut(corner);
  }
  return sheet;
}

TEST(FindOutline, KnowsRoundCornersByTwoOfThem) {
  const Sheet cut = WithUpperCornersRounded(20, 20);
  auto outline = FindOutline(cut.Filmed(), {});
  ASSERT_THAT(outline, IsOk());
  EXPECT_EQ(CountMarked(outline->damage), 0);
  EXPECT_GE(CountBoth(outline->shape, cut.missing), 0.85 * cv::countNonZero(cut.missing));
  outline = FindOutline(WithUpperCornersRounded(20, 44).Filmed(), {});
  ASSERT_THAT(outline, IsOk());
  EXPECT_GT(CountMarked(outline->damage), 0) << "they differ";
}

TEST(FindOutline, KnowsThemWhereTheQuadrilateralIsTooWide) {
  Sheet sheet;
  const int w = kObject.width, h = kObject.height;
  for (const cv::Point at : {cv::Point(0, 0), {w - 1, 0}, {0, h - 1}, {w - 1, h - 1}}) {
    const int dx = at.x == 0 ? 25 : -25, dy = at.y == 0 ? 25 : -25;
    const cv::Point own = at == cv::Point(0, 0) ? cv::Point(16, 0) : at;
    sheet.Cut({own, {own.x + dx, own.y}, {own.x, own.y + dy}});
  }
  const cv::Mat corners = sheet.missing.clone();
  sheet.Cut({{0, 0}, {16, 0}, {0, h - 1}});  // its left side
  const auto outline = FindOutline(sheet.Filmed(), {});
  ASSERT_THAT(outline, IsOk());
  EXPECT_GE(CountBoth(outline->shape, corners), 0.97 * cv::countNonZero(corners));
  EXPECT_EQ(CountMarked(outline->damage), 0);
}

TEST(FindOutline, RefusesAPictureWithoutRoomForAnObject) {
  EXPECT_THAT(FindOutline(Filled({63, 200}, PixelType::kU8x3, 0), {}),
              FailsWith(Reason::kInternal, HasSubstr("colour")));
  EXPECT_THAT(FindOutline(Filled({200, 200}, PixelType::kU8, 0), {}),
              FailsWith(Reason::kInternal, HasSubstr("colour")));
}

TEST(FindWornCorners, MarksPaleCornersOfAUniformRimOnly) {
  const cv::Rect object(kBackgroundMargin, kBackgroundMargin, kObject.width, kObject.height);
  const Plane shape = Filled(kObject, PixelType::kU8, 0);
  Sheet sheet;
  sheet.picture(object).setTo(cv::Scalar(40, 60, 110));
  const auto none = FindWornCorners(sheet.Filmed(), shape, {});
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ(CountMarked(*none), 0);

  const cv::Rect worn(kObject.width - 14, kObject.height - 14, 14, 14);
  sheet.picture(object)(worn).setTo(kPaper);
  const auto found = FindWornCorners(sheet.Filmed(), shape, {});
  ASSERT_THAT(found, IsOk());
  cv::Mat where(kObject.height, kObject.width, CV_8U, cv::Scalar(0));
  where(worn + cv::Point(-2, -2)).setTo(255);
  where(worn).setTo(255);
  EXPECT_GE(CountBoth(*found, where), 50);
  EXPECT_EQ(CountBoth(*found, where), CountMarked(*found));

  for (int i = 0; i < 60; ++i) {  // artwork up to the edge
    cv::circle(sheet.picture, {object.x + (i * 53) % object.width, object.y + (i * 71) % 500}, 25,
               cv::Scalar((i * 40) % 250, (i * 90) % 250, (i * 25) % 250), cv::FILLED);
  }
  for (int x = 0; x < kObject.width; x += 16) {
    for (int y = 0; y < kObject.height; y += 16) {
      if (x > 48 && y > 48 && x < kObject.width - 64 && y < kObject.height - 64) continue;
      sheet
          .picture(object)(cv::Rect(x, y, 16, 16) &
                           cv::Rect({0, 0}, cv::Size(kObject.width, kObject.height)))
          .setTo(cv::Scalar((x * 7) % 250, (y * 11) % 250, (x + y) % 250));
    }
  }
  const auto unclear = FindWornCorners(sheet.Filmed(), shape, {});
  ASSERT_THAT(unclear, IsOk());
  EXPECT_EQ(CountMarked(*unclear), 0);
}

TEST(FindWornCorners, LeavesWhatGoesOnBeyondTheCorner) {
  const cv::Rect object(kBackgroundMargin, kBackgroundMargin, kObject.width, kObject.height);
  const Plane shape = Filled(kObject, PixelType::kU8, 0);
  Sheet sheet;
  sheet.picture(object).setTo(cv::Scalar(40, 60, 110));
  const cv::Point corner(object.br());
  cv::circle(sheet.picture, corner - cv::Point(14, 34), 12, cv::Scalar(80, 100, 150), cv::FILLED);
  const auto print = FindWornCorners(sheet.Filmed(), shape, {});
  ASSERT_THAT(print, IsOk());
  EXPECT_EQ(CountMarked(*print), 0);
  const auto worn = FindWornCorners(sheet.Filmed(), shape, {.min_corner_share = 0});
  ASSERT_THAT(worn, IsOk());
  EXPECT_GT(CountMarked(*worn), 0) << "it is no worn corner anyway";
}

TEST(FindWornCorners, LeavesRoundCornersThroughWhichTheTableShows) {
  const cv::Rect object(kBackgroundMargin, kBackgroundMargin, kObject.width, kObject.height);
  const Plane shape = Filled(kObject, PixelType::kU8, 0);
  Sheet sheet;
  sheet.picture(object).setTo(cv::Scalar(20, 30, 50));
  const std::vector<cv::Point> cut{object.tl(), object.tl() + cv::Point(14, 0),
                                   object.tl() + cv::Point(0, 14)};
  cv::fillPoly(sheet.picture, std::vector{cut}, kDesk);
  const auto round = FindWornCorners(sheet.Filmed(), shape, {});
  ASSERT_THAT(round, IsOk());
  EXPECT_EQ(CountMarked(*round), 0);
  const auto worn = FindWornCorners(sheet.Filmed(), shape, {.min_table_step_lab = 0});
  ASSERT_THAT(worn, IsOk());
  EXPECT_GT(CountMarked(*worn), 0) << "it is no worn corner anyway";
}

TEST(MedianColour, IsTakenPerChannelAndPixel) {
  const Size size{301, 3};
  ThreadPool pool(2);
  std::vector<StoredPlane> pictures;
  pictures.reserve(6);
  for (int i = 0; i < 6; ++i) {
    const Plane picture = Filled(size, PixelType::kU8x3, 10 * i);
    if (i == 0) picture.Row<std::uint8_t>(2)[901] = 255;  // 10 20 30 40 50 255
    pictures.emplace_back(picture);
  }
  const auto even = MedianColour(pictures, pool);
  ASSERT_THAT(even, IsOk());
  EXPECT_EQ(even->Row<std::uint8_t>(0)[0], 25);
  EXPECT_EQ(even->Row<std::uint8_t>(2)[900], 25);
  EXPECT_EQ(even->Row<std::uint8_t>(2)[901], 35);
  const auto odd = MedianColour(std::span(pictures).first(5), pool);
  ASSERT_THAT(odd, IsOk());
  EXPECT_EQ(odd->Row<std::uint8_t>(1)[7], 20);
  EXPECT_THAT(MedianColour({}, pool), FailsWith(Reason::kInternal, HasSubstr("0 pictures")));
}

}  // namespace
}  // namespace glint::photometric
