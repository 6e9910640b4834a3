// SPDX-License-Identifier: Apache-2.0
// Morphology of every backend, and the elements it uses.
#include <algorithm>
#include <numbers>
#include <opencv2/imgproc.hpp>

#include "base/mat.h"
#include "stages/parity.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using Shape = StructuringElement::Shape;
using testing::HasSubstr;

constexpr double kDegree = std::numbers::pi / 180;

Plane AsPicture(const StructuringElement& element) {
  const std::vector<std::uint8_t> cells = element.Rasterise();
  std::size_t next = 0;
  Plane plane = Plane::Host(element.size, PixelType::kU8);
  for (int y = 0; y < element.size.height; ++y) {
    for (int x = 0; x < element.size.width; ++x) {
      plane.Row<std::uint8_t>(y)[x] = cells.at(next++) ? 255 : 0;
    }
  }
  return plane;
}

// One erosion or dilation by its definition; what lies outside takes no part.
Plane Extremum(const Plane& input, const StructuringElement& element, bool erode) {
  const std::vector<std::uint8_t> cells = element.Rasterise();
  Plane output = Plane::Host(input.size(), PixelType::kU8);
  for (int y = 0; y < input.height(); ++y) {
    for (int x = 0; x < input.width(); ++x) {
      std::uint8_t best = erode ? 255 : 0;
      std::size_t next = 0;
      for (int j = 0; j < element.size.height; ++j) {
        for (int i = 0; i < element.size.width; ++i) {
          const bool inside = cells[next++] != 0;
          const int sx = x + i - element.size.width / 2;
          const int sy = y + j - element.size.height / 2;
          if (!inside || sx < 0 || sy < 0 || sx >= input.width() || sy >= input.height()) {
            continue;
          }
          const std::uint8_t value = input.Row<std::uint8_t>(sy)[sx];
          best = erode ? std::min(best, value) : std::max(best, value);
        }
      }
      output.Row<std::uint8_t>(y)[x] = best;
    }
  }
  return output;
}

Plane Repeated(Plane plane, const StructuringElement& element, bool erode, int times) {
  for (int i = 0; i < times; ++i) plane = Extremum(plane, element, erode);
  return plane;
}

Plane Difference(const Plane& from, const Plane& what) {
  cv::Mat difference;
  cv::subtract(AsMat(from), AsMat(what), difference);
  return AsPlane(difference);
}

Plane ByLoops(const Plane& input, MorphologyOp op, const StructuringElement& element, int times) {
  const auto eroded = [&](const Plane& plane) { return Repeated(plane, element, true, times); };
  const auto dilated = [&](const Plane& plane) { return Repeated(plane, element, false, times); };
  switch (op) {
    case MorphologyOp::kErode:
      return eroded(input);
    case MorphologyOp::kDilate:
      return dilated(input);
    case MorphologyOp::kOpen:
      return dilated(eroded(input));
    case MorphologyOp::kClose:
      return eroded(dilated(input));
    case MorphologyOp::kTopHat:
      return Difference(input, dilated(eroded(input)));
    case MorphologyOp::kBlackHat:
      return Difference(eroded(dilated(input)), input);
  }
  return {};
}

TEST_P(Parity, MorphologyOfADrawnGrid) {
  auto stage = backend().MakeMorphology();
  ASSERT_THAT(stage, IsOk());
  const Plane input = Upload(Drawn({"#....",  //
                                    ".....",  //
                                    "..###",  //
                                    "..###",  //
                                    "..###"}));
  struct Case {
    MorphologyOp op;
    Plane expected;
  };
  const Case cases[] = {
      {MorphologyOp::kErode, Drawn({".....",  // outside takes no part: the corner stays
                                    ".....", ".....", "...##", "...##"})},
      {MorphologyOp::kDilate, Drawn({"##...",  //
                                     "#####", ".####", ".####", ".####"})},
      {MorphologyOp::kOpen, Drawn({".....",  //
                                   ".....", "..###", "..###", "..###"})},
      {MorphologyOp::kTopHat, Drawn({"#....",  //
                                     ".....", ".....", ".....", "....."})},
  };
  for (const Case& c : cases) {
    const auto output = (*stage)->Run(input, c.op, {}, 1);
    ASSERT_THAT(output, IsOk());
    EXPECT_TRUE(SameBytes(Download(*output), c.expected)) << static_cast<int>(c.op);
  }
}

TEST_P(Parity, MorphologyEqualsItsDefinition) {
  const StructuringElement elements[] = {
      {Shape::kRectangle, {3, 3}},
      {Shape::kRectangle, {2, 2}},
      {Shape::kRectangle, {5, 1}},
      {Shape::kRectangle, {1, 4}},
      {Shape::kRectangle, {1, 1}},
      {Shape::kEllipse, {5, 5}},
      {Shape::kEllipse, {7, 4}},
      {Shape::kLine, {7, 7}, 0},
      {Shape::kLine, {7, 7}, 30 * kDegree},
      {Shape::kLine, {5, 9}, 135 * kDegree},
  };
  auto stage = backend().MakeMorphology();
  ASSERT_THAT(stage, IsOk());
  std::uint32_t seed = 300;
  for (const Size size : {Size{1, 1}, Size{2, 5}, Size{13, 1}, Size{33, 20}}) {
    const Plane input = NoisePlane(size, ++seed);
    const Plane uploaded = Upload(input);
    for (const StructuringElement& element : elements) {
      for (const MorphologyOp op :
           {MorphologyOp::kErode, MorphologyOp::kDilate, MorphologyOp::kOpen, MorphologyOp::kClose,
            MorphologyOp::kTopHat, MorphologyOp::kBlackHat}) {
        for (const int iterations : {1, 2, 3}) {
          const auto output = (*stage)->Run(uploaded, op, element, iterations);
          ASSERT_THAT(output, IsOk());
          EXPECT_TRUE(SameBytes(Download(*output), ByLoops(input, op, element, iterations)))
              << ToString(size) << " seed " << seed << ", op " << static_cast<int>(op)
              << ", element " << static_cast<int>(element.shape) << " " << ToString(element.size)
              << ", " << iterations << " times";
        }
      }
    }
  }
}

TEST_P(Parity, MorphologyRefusesElementsAndCountsThatMakeNoSense) {
  auto stage = backend().MakeMorphology();
  ASSERT_THAT(stage, IsOk());
  const Plane input = Upload(NoisePlane({8, 8}, 1));
  EXPECT_THAT((*stage)->Run(input, MorphologyOp::kErode, {Shape::kRectangle, {0, 3}}, 1),
              FailsWith(Reason::kInternal, HasSubstr("0x3")));
  EXPECT_THAT((*stage)->Run(input, MorphologyOp::kErode, {}, 0),
              FailsWith(Reason::kInternal, HasSubstr("0 iterations")));
}

TEST(StructuringElement, RectanglesAndEllipsesAreOpenCvs) {
  for (int width = 1; width <= 24; ++width) {
    for (int height = 1; height <= 24; ++height) {
      const Size size{width, height};
      EXPECT_TRUE(
          SameBytes(AsPicture({Shape::kEllipse, size}),
                    AsPlane(cv::getStructuringElement(cv::MORPH_ELLIPSE, {width, height}) * 255)));
      EXPECT_TRUE(
          SameBytes(AsPicture({Shape::kRectangle, size}),
                    AsPlane(cv::getStructuringElement(cv::MORPH_RECT, {width, height}) * 255)));
    }
  }
}

TEST(StructuringElement, LinesAreOnePixelWideAndTurnCounterClockwise) {
  const auto line = [](double degrees, Size size = {5, 5}) {
    return AsPicture({Shape::kLine, size, degrees * kDegree});
  };
  EXPECT_TRUE(SameBytes(line(0), Drawn({".....", ".....", "#####", ".....", "....."})));
  EXPECT_TRUE(SameBytes(line(45), Drawn({"....#", "...#.", "..#..", ".#...", "#...."})));
  EXPECT_TRUE(SameBytes(line(90), Drawn({"..#..", "..#..", "..#..", "..#..", "..#.."})));
  EXPECT_TRUE(SameBytes(line(135), Drawn({"#....", ".#...", "..#..", "...#.", "....#"})));
  EXPECT_TRUE(SameBytes(line(180), line(0)));
  EXPECT_TRUE(SameBytes(line(-45), line(135)));
  EXPECT_TRUE(SameBytes(line(30), Drawn({".....", "...##", "..#..", "##...", "....."})));
  EXPECT_TRUE(SameBytes(line(90, {3, 2}), Drawn({".#.", ".#."})));
}

}  // namespace
}  // namespace glint
