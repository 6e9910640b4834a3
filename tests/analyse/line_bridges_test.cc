// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/line_bridges.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "analyse/photometric_drawing.h"
#include "base/mat.h"

namespace glint::photometric {
namespace {

constexpr Size kBridged{400, 300};

/// Lines that are known, drawn one by one.
struct KnownLines {
  Lines lines{.ids = Filled(kBridged, PixelType::kS32, 0), .mask = {}, .paths = {}};
  Plane count = Filled(kBridged, PixelType::kU8, 9);

  void Draw(cv::Point from, cv::Point to) {
    lines.paths.emplace_back();
    cv::line(AsMat(lines.ids), from, to, cv::Scalar(static_cast<double>(lines.paths.size())));
  }
  cv::Mat Bridges(const LineBridgeParams& params = {}) const {
    return AsMat(BridgeLines(lines, count, params)).clone();
  }
};

TEST(LineBridges, JoinLinesThatPointAtEachOther) {
  KnownLines known;
  known.Draw({20, 100}, {120, 104});
  known.Draw({170, 106}, {300, 110});
  const cv::Mat bridges = known.Bridges();
  EXPECT_NEAR(cv::boundingRect(bridges).x, 119, 1);
  EXPECT_NEAR(cv::boundingRect(bridges).br().x, 172, 1);
  for (int x = 122; x <= 168; ++x) EXPECT_NEAR(cv::countNonZero(bridges.col(x)), 3, 1) << x;
}

TEST(LineBridges, NeedLinesThatAreLongForTheGap) {
  KnownLines known;
  known.Draw({20, 100}, {120, 100});
  known.Draw({185, 100}, {300, 100});
  EXPECT_EQ(cv::countNonZero(known.Bridges()), 0) << "65 px between two of 100 and 115";
  EXPECT_NE(cv::countNonZero(known.Bridges({.max_gap_share = 0.7})), 0);
  known.Draw({125, 200}, {150, 200});
  known.Draw({160, 200}, {300, 200});
  EXPECT_EQ(cv::countNonZero(known.Bridges()), 0) << "25 px point nowhere";
}

TEST(LineBridges, JoinNoParallels) {
  KnownLines known;
  known.Draw({20, 100}, {120, 100});
  known.Draw({150, 110}, {300, 110});
  EXPECT_EQ(cv::countNonZero(known.Bridges()), 0);
}

TEST(LineBridges, JoinNoneThatMerelyMeetsAnother) {
  KnownLines known;
  known.Draw({20, 100}, {120, 100});
  known.Draw({150, 101}, {150, 250});
  EXPECT_EQ(cv::countNonZero(known.Bridges()), 0);
}

TEST(LineBridges, JoinEachEndOnce) {
  KnownLines known;
  known.Draw({20, 100}, {120, 100});
  known.Draw({150, 99}, {300, 97});
  known.Draw({160, 101}, {300, 103});
  const cv::Mat bridges = known.Bridges();
  EXPECT_NEAR(cv::boundingRect(bridges).br().x, 152, 1) << "the narrowest gap alone";
}

TEST(LineBridges, DoNotLeadOverWhatNoViewShows) {
  KnownLines known;
  known.Draw({20, 100}, {120, 100});
  known.Draw({150, 100}, {300, 100});
  AsMat(known.count)(cv::Rect(130, 80, 10, 40)).setTo(0);
  const cv::Mat bridges = known.Bridges();
  EXPECT_EQ(cv::countNonZero(bridges(cv::Rect(130, 80, 10, 40))), 0);
  EXPECT_NE(cv::countNonZero(bridges), 0);
}

TEST(LineBridges, OfNoLinesAreNone) { EXPECT_EQ(cv::countNonZero(KnownLines().Bridges()), 0); }

}  // namespace
}  // namespace glint::photometric
