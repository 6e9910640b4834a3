// SPDX-License-Identifier: Apache-2.0
#include "decode/orientation.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "decode/decode_all.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"
#include "support/test_video.h"

namespace glint {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A 3x2 picture with the pixels
//   1 2 3
//   4 5 6
// and what each display matrix (a, b, c, d) makes of it.
struct Case {
  const char* name;
  std::array<int, 4> abcd;
  int degrees;
  Size size;
  std::vector<int> pixels;
};

const std::vector<Case> kCases = {
    {"upright", {1, 0, 0, 1}, 0, {3, 2}, {1, 2, 3, 4, 5, 6}},
    {"90 clockwise", {0, 1, -1, 0}, 90, {2, 3}, {4, 1, 5, 2, 6, 3}},
    {"180", {-1, 0, 0, -1}, 180, {3, 2}, {6, 5, 4, 3, 2, 1}},
    {"270 clockwise", {0, -1, 1, 0}, 270, {2, 3}, {3, 6, 2, 5, 1, 4}},
    {"left-right mirrored", {-1, 0, 0, 1}, 0, {3, 2}, {3, 2, 1, 6, 5, 4}},
    {"top-bottom mirrored", {1, 0, 0, -1}, 180, {3, 2}, {4, 5, 6, 1, 2, 3}},
    {"transposed", {0, 1, 1, 0}, 90, {2, 3}, {1, 4, 2, 5, 3, 6}},
    {"transposed the other way", {0, -1, -1, 0}, 270, {2, 3}, {6, 3, 5, 2, 4, 1}},
};

std::array<std::int32_t, 9> Matrix(const std::array<int, 4>& m) {
  return {m[0] << 16, m[1] << 16, 0, m[2] << 16, m[3] << 16, 0, 0, 0, 1 << 30};
}

TEST(Orientation, PutsEveryPixelWhereTheMatrixSays) {
  const Size coded = {3, 2};
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const DisplayMatrix read = ReadDisplayMatrix(Matrix(c.abcd).data());
    EXPECT_TRUE(read.right_angle);
    EXPECT_EQ(read.orientation.degrees_clockwise(), c.degrees);
    const Plane out =
        MakeDisplayed(coded, PixelType::kU8, read.orientation, [](int y, std::uint8_t* row) {
          for (int x = 0; x < 3; ++x) row[x] = static_cast<std::uint8_t>(1 + 3 * y + x);
        });
    ASSERT_EQ(out.size(), c.size);
    for (int y = 0; y < c.size.height; ++y) {
      for (int x = 0; x < c.size.width; ++x) {
        EXPECT_EQ(int{out.Row<std::uint8_t>(y)[x]}, c.pixels[y * c.size.width + x])
            << "at " << x << "," << y;
      }
    }
  }
}

// Pictures larger than the strips that are turned at a time, in both pixel sizes, by the rule
// "displayed x = a x + c y" taken literally.
TEST(Orientation, TurnsPicturesLargerThanAStrip) {
  const Size coded = {45, 37};
  const Plane noise = NoisePlane({3 * coded.width, coded.height}, 5);
  for (const Case& c : kCases) {
    const Orientation orientation = ReadDisplayMatrix(Matrix(c.abcd).data()).orientation;
    for (const PixelType type : {PixelType::kU8, PixelType::kU8x3}) {
      const int bytes = BytesPerPixel(type);
      const Plane out = MakeDisplayed(coded, type, orientation, [&](int y, std::uint8_t* row) {
        std::copy_n(noise.Row<std::uint8_t>(y), coded.width * bytes, row);
      });
      const auto [a, b, cc, d] = c.abcd;
      for (int y = 0; y < coded.height; ++y) {
        for (int x = 0; x < coded.width; ++x) {
          int to_x = a * x + cc * y;
          int to_y = b * x + d * y;
          if (a + cc < 0) to_x += out.width() - 1;
          if (b + d < 0) to_y += out.height() - 1;
          ASSERT_EQ(std::memcmp(out.Row<std::uint8_t>(to_y) + std::ptrdiff_t{to_x} * bytes,
                                noise.Row<std::uint8_t>(y) + std::ptrdiff_t{x} * bytes,
                                static_cast<std::size_t>(bytes)),
                    0)
              << c.name << " " << x << "," << y;
        }
      }
    }
  }
}

TEST(Orientation, TakesTheNearestRightAngle) {
  const std::array<std::pair<double, int>, 6> cases = {
      {{10, 0}, {80, 90}, {100, 90}, {170, 180}, {-80, 270}, {300, 270}}};
  for (const auto& [angle, nearest] : cases) {
    const DisplayMatrix read = ReadDisplayMatrix(RotationMatrix(angle).data());
    EXPECT_FALSE(read.right_angle) << angle;
    EXPECT_EQ(read.orientation.degrees_clockwise(), nearest) << angle;
  }
  EXPECT_TRUE(ReadDisplayMatrix(RotationMatrix(90.2).data()).right_angle);
}

TEST(Orientation, IgnoresAMatrixThatShowsNothing) {
  const std::array<std::int32_t, 9> zero = {};
  EXPECT_TRUE(ReadDisplayMatrix(zero.data()).orientation.identity());
  EXPECT_FALSE(ReadDisplayMatrix(zero.data()).right_angle);
}

TEST(Orientation, OfAContainerTurnsLumaAndColour) {
  const TempFolder folder;
  TestVideoOptions options = {.size = {64, 48}, .frames = 2};
  WriteTestVideo(folder.path() / "upright.mp4", options, FillPattern);
  const auto upright = DecodeAll(folder.path() / "upright.mp4");
  ASSERT_THAT(upright, IsOk());
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto file = folder.path() / "turned.mp4";
    options.display_matrix = Matrix(c.abcd);
    WriteTestVideo(file, options, FillPattern);
    const auto video = DecodeAll(file);
    ASSERT_THAT(video, IsOk());
    EXPECT_THAT(video->summary.warnings, IsEmpty());
    EXPECT_EQ(video->info.rotation, c.degrees);
    EXPECT_EQ(video->info.coded_size, (Size{64, 48}));
    EXPECT_EQ(video->info.size, video->frames[0].luma.size());
    const Orientation orientation = ReadDisplayMatrix(Matrix(c.abcd).data()).orientation;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto turned = [&](const Plane& plane) {
        return MakeDisplayed({64, 48}, plane.type(), orientation, [&](int y, std::uint8_t* row) {
          std::copy_n(plane.Row<std::uint8_t>(y), 64 * BytesPerPixel(plane.type()), row);
        });
      };
      EXPECT_TRUE(SameBytes(video->frames[i].luma, turned(upright->frames[i].luma)));
      EXPECT_TRUE(SameBytes(video->frames[i].picture->ToLuma(), video->frames[i].luma));
      EXPECT_TRUE(SameBytes(video->frames[i].picture->ToRgb(),
                            turned(upright->frames[i].picture->ToRgb())));
    }
  }
}

TEST(Orientation, ThatIsAskedForReplacesTheFiles) {
  const TempFolder folder;
  const auto file = folder.path() / "turned.mp4";
  for (const Case& wanted : kCases) {
    const auto [a, b, c, d] = wanted.abcd;
    if (a * d - b * c < 0) continue;  // mirrored
    SCOPED_TRACE(wanted.name);
    WriteTestVideo(file, {.size = {64, 48}, .frames = 1, .display_matrix = Matrix(wanted.abcd)},
                   FillPattern);
    const auto by_file = DecodeAll(file);
    WriteTestVideo(file, {.size = {64, 48}, .frames = 1, .display_matrix = RotationMatrix(75)},
                   FillPattern);
    const auto by_request = DecodeAll(file, {.rotation = wanted.degrees});
    ASSERT_THAT(by_file, IsOk());
    ASSERT_THAT(by_request, IsOk());
    EXPECT_THAT(by_request->summary.warnings, IsEmpty());
    EXPECT_EQ(by_request->info.rotation, wanted.degrees);
    EXPECT_TRUE(SameBytes(by_request->frames[0].luma, by_file->frames[0].luma));
    EXPECT_TRUE(
        SameBytes(by_request->frames[0].picture->ToRgb(), by_file->frames[0].picture->ToRgb()));
  }
}

TEST(Orientation, AtAnOddAngleIsWarnedOf) {
  const TempFolder folder;
  WriteTestVideo(folder.path() / "a.mp4", {.frames = 1, .display_matrix = RotationMatrix(75)},
                 FillPattern);
  const auto video = DecodeAll(folder.path() / "a.mp4");
  ASSERT_THAT(video, IsOk());
  EXPECT_EQ(video->info.rotation, 90);
  EXPECT_THAT(video->summary.warnings, testing::ElementsAre(HasSubstr("odd angle")));
}

}  // namespace
}  // namespace glint
