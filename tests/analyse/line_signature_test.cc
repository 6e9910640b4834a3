// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/line_signature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analyse/glossy_views.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

constexpr Size kSignedSheet{320, 240};
/// The known part of a line along y = 120, and what comes after it.
constexpr StraightLine kKnownPart{.x = 0, .y = 120, .begin = 60, .end = 108};
constexpr StraightLine kNextPart{.x = 0, .y = 120, .begin = 112, .end = 151};

/// How the whole sheet answers.
ResponseWindow WholeSheet(const GlossyViews& views) {
  ThreadPool pool(2);
  const ResidualViews residuals = views.Views();
  const LineResponseParams params;
  const LineResponse response(residuals, params, pool);
  return WindowOf(response, {{}, AsMat(views.albedo).size()}, AsMat(views.albedo).size());
}

/// What shows as the known part does, of the next part and its parallels.
std::vector<double> NextScores(const GlossyViews& views) {
  const ResponseWindow window = WholeSheet(views);
  const SignatureParams params;
  const LineSignature signature = SignatureOf(kKnownPart, params, window);
  EXPECT_EQ(signature.weights.size(), window.groups.size());
  return SignatureScores(kNextPart, signature.weights, params, window);
}

double MiddleOf(const std::vector<double>& scores) { return scores[scores.size() / 2]; }

TEST(LineSignature, IsThatOfWhatGoesOn) {
  GlossyViews views(kSignedSheet);
  views.Scratch({60, 120}, {200, 120}, 3);
  const std::vector<double> scores = NextScores(views);
  EXPECT_EQ(scores.size(), 81U);
  EXPECT_GT(MiddleOf(scores), 4);
}

TEST(LineSignature, IsNotThatOfMottle) {
  GlossyViews views(kSignedSheet);
  views.Scratch({60, 120}, {108, 120}, 3);
  EXPECT_LT(std::abs(MiddleOf(NextScores(views))), 2.5);
}

TEST(LineSignature, IsOppositeWhereTheLineTurnsDark) {
  GlossyViews views(kSignedSheet);
  views.Scratch({60, 120}, {108, 120}, 3);
  views.Scratch({110, 120}, {200, 120}, -3);
  EXPECT_LT(MiddleOf(NextScores(views)), -4);
}

/// The mean square of what a part's parallels score that are seen and clear of its own light.
double SpreadBeside(const std::vector<double>& scores) {
  const int own_px = SignatureParams().own_px, middle = static_cast<int>(scores.size() / 2);
  double squares = 0;
  int count = 0;
  for (int i = 0; i < static_cast<int>(scores.size()); ++i) {
    const double score = scores[static_cast<std::size_t>(i)];
    if (std::abs(i - middle) <= own_px || score == 0) continue;
    squares += score * score;
    ++count;
  }
  return squares / count;
}

TEST(LineSignature, SpreadsByOneBesideTheLine) {
  GlossyViews views(kSignedSheet);
  views.Scratch({60, 120}, {200, 120}, 3);
  EXPECT_NEAR(SpreadBeside(NextScores(views)), 1, 1e-4);
}

TEST(LineSignature, SpreadsByOneWhereTheObjectEndsBeside) {
  GlossyViews views(kSignedSheet);
  views.Scratch({60, 120}, {200, 120}, 3);
  AsMat(views.surface)(cv::Rect(0, 130, 320, 110)).setTo(0);
  const std::vector<double> scores = NextScores(views);
  EXPECT_EQ(scores.back(), 0);
  EXPECT_NEAR(SpreadBeside(scores), 1, 1e-4) << "what is not seen is not calm";
  EXPECT_GT(MiddleOf(scores), 4);
}

TEST(LineSignature, TellsHowBrightALineIsWhateverLiesBeside) {
  GlossyViews views(kSignedSheet);
  views.Scratch({60, 120}, {108, 120}, 9);
  views.Scratch({110, 120}, {200, 120}, 3);
  const SignatureParams params;
  const ResponseWindow window = WholeSheet(views);
  const LineSignature known = SignatureOf(kKnownPart, params, window);
  EXPECT_NEAR(SignatureResponse(kNextPart, known.weights, params, window) / known.response, 1.0 / 3,
              0.1);
}

TEST(LineSignature, IsFoundBesideTheLineToo) {
  GlossyViews views(kSignedSheet);
  views.Scratch({60, 120}, {200, 120}, 3);
  StraightLine beside = kKnownPart;
  beside.y += 2;
  const SignatureParams params;
  const ResponseWindow window = WholeSheet(views);
  const LineSignature known = SignatureOf(kKnownPart, params, window);
  const LineSignature shifted = SignatureOf(beside, params, window);
  EXPECT_GT(known.score, 4);
  EXPECT_NEAR(shifted.score, known.score, 0.5) << "its parallels are others";
  EXPECT_NEAR(shifted.response / known.response, 1, 0.01);
}

TEST(LineSignature, IsEmptyWhereNothingShows) {
  GlossyViews views(kSignedSheet);
  for (Plane& residual : views.residuals) AsMat(residual).setTo(0);
  EXPECT_TRUE(SignatureOf(kKnownPart, SignatureParams(), WholeSheet(views)).weights.empty());
}

}  // namespace
}  // namespace glint::photometric
