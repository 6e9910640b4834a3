// SPDX-License-Identifier: Apache-2.0
// Connected components of every backend.
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "stages/parity.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

bool IsSet(const Plane& mask, int x, int y) {
  return x >= 0 && y >= 0 && x < mask.width() && y < mask.height() &&
         mask.Row<std::uint8_t>(y)[x] != 0;
}

/// Numbers what is reached from one pixel of the mask.
Component Flood(const Plane& mask, const Plane& values, int x, int y, std::int32_t number,
                const Plane& labels) {
  Component found{.left = x, .top = y, .right = x, .bottom = y};
  std::vector<std::pair<int, int>> open = {{x, y}};
  labels.Row<std::int32_t>(y)[x] = number;
  while (!open.empty()) {
    const auto [u, v] = open.back();
    open.pop_back();
    ++found.area;
    if (!values.empty()) found.value_sum += values.Row<std::int32_t>(v)[u];
    found.left = std::min(found.left, u);
    found.top = std::min(found.top, v);
    found.right = std::max(found.right, u);
    found.bottom = std::max(found.bottom, v);
    for (int j = v - 1; j <= v + 1; ++j) {
      for (int i = u - 1; i <= u + 1; ++i) {
        if (!IsSet(mask, i, j) || labels.Row<std::int32_t>(j)[i] != 0) continue;
        labels.Row<std::int32_t>(j)[i] = number;
        open.emplace_back(i, j);
      }
    }
  }
  return found;
}

/// The definition: each pixel in reading order that has no number yet floods its component.
ConnectedComponents ByFlooding(const Plane& mask, const Plane& values) {
  ConnectedComponents found{.labels = Plane::Host(mask.size(), PixelType::kS32), .components = {}};
  for (int y = 0; y < mask.height(); ++y) {
    std::fill_n(found.labels.Row<std::int32_t>(y), mask.width(), 0);
  }
  for (int y = 0; y < mask.height(); ++y) {
    for (int x = 0; x < mask.width(); ++x) {
      if (!IsSet(mask, x, y) || found.labels.Row<std::int32_t>(y)[x] != 0) continue;
      const auto number = static_cast<std::int32_t>(found.components.size() + 1);
      found.components.push_back(Flood(mask, values, x, y, number, found.labels));
    }
  }
  return found;
}

template <class Draw>
Plane Made(Size size, const Draw& is_set) {
  Plane mask = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) mask.Row<std::uint8_t>(y)[x] = is_set(x, y) ? 255 : 0;
  }
  return mask;
}

/// Set where noise is below `percent`; set pixels hold any value but 0.
Plane Speckled(Size size, int percent, std::uint32_t seed) {
  const Plane noise = NoisePlane(size, seed);
  Plane mask = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const int value = noise.Row<std::uint8_t>(y)[x];
      mask.Row<std::uint8_t>(y)[x] =
          static_cast<std::uint8_t>(100 * value < 256 * percent ? 255 - value : 0);
    }
  }
  return mask;
}

/// Values of all 32 bits.
Plane AnyValues(Size size, std::uint32_t seed) {
  Plane values = Plane::Host(size, PixelType::kS32);
  std::mt19937 random(seed);
  for (int y = 0; y < size.height; ++y) {
    std::generate_n(values.Row<std::int32_t>(y), size.width,
                    [&] { return static_cast<std::int32_t>(random()); });
  }
  return values;
}

/// One line that winds inwards with a gap of one pixel between its turns.
Plane Spiral(Size size) {
  Plane mask = Made(size, [](int, int) { return false; });
  int left = 0, top = 0, right = size.width - 1, bottom = size.height - 1;
  const auto line = [&](int x, int y, int to_x, int to_y) {
    for (int v = std::min(y, to_y); v <= std::max(y, to_y); ++v) {
      for (int u = std::min(x, to_x); u <= std::max(x, to_x); ++u) {
        mask.Row<std::uint8_t>(v)[u] = 255;
      }
    }
  };
  int entry = left;
  while (right - left >= 2 && bottom - top >= 2) {
    line(entry, top, right, top);
    line(right, top, right, bottom);
    line(left, bottom, right, bottom);
    line(left, top + 2, left, bottom);
    entry = left;
    top += 2;
    left += 2;
    right -= 2;
    bottom -= 2;
  }
  return mask;
}

/// Masks whose components wind, meet late, or are as many or as large as can be.
std::vector<std::pair<std::string, Plane>> Figures(Size size) {
  const int across = size.width, down = size.height;
  return {
      {"empty", Made(size, [](int, int) { return false; })},
      {"full", Made(size, [](int, int) { return true; })},
      {"checkerboard", Made(size, [](int x, int y) { return (x + y) % 2 == 0; })},
      {"grid of dots", Made(size, [](int x, int y) { return x % 2 == 0 && y % 2 == 0; })},
      {"falling diagonals", Made(size, [](int x, int y) { return (x - y + 3000) % 3 == 0; })},
      {"rising diagonals", Made(size, [](int x, int y) { return (x + y) % 3 == 0; })},
      {"rows", Made(size, [](int, int y) { return y % 2 == 1; })},
      {"columns", Made(size, [](int x, int) { return x % 2 == 1; })},
      {"comb", Made(size, [&](int x, int y) { return x % 2 == 0 || y == down - 1; })},
      {"comb from the right",
       Made(size, [&](int x, int y) { return y % 2 == 0 || x == across - 1; })},
      {"nested corners", Made(size, [](int x, int y) { return std::max(x, y) % 2 == 0; })},
      {"nested corners, upside down",
       Made(size, [&](int x, int y) { return std::max(across - 1 - x, down - 1 - y) % 2 == 0; })},
      {"zigzag",
       Made(size, [](int x, int y) { return y % 16 == (x % 30 < 15 ? x % 30 : 30 - x % 30); })},
      {"spiral", Spiral(size)},
  };
}

/// The stage gives what flooding gives. A failure of the test when it does not.
void ExpectFlooded(Backend& backend, ConnectedComponentsStage& stage, const Plane& mask,
                   const Plane& values) {
  const auto uploaded = backend.Upload(mask);
  const auto uploaded_values =
      values.empty() ? absl::StatusOr<Plane>(Plane()) : backend.Upload(values);
  ASSERT_THAT(uploaded, IsOk());
  ASSERT_THAT(uploaded_values, IsOk());
  const auto found = stage.Run(*uploaded, *uploaded_values);
  ASSERT_THAT(found, IsOk());
  ASSERT_EQ(found->labels.device(), backend.device());
  const auto labels = backend.Download(found->labels);
  ASSERT_THAT(labels, IsOk());
  const ConnectedComponents expected = ByFlooding(mask, values);
  ASSERT_TRUE(SameBytes(*labels, expected.labels));
  ASSERT_EQ(found->components.size(), expected.components.size());
  for (std::size_t i = 0; i < expected.components.size(); ++i) {
    ASSERT_EQ(found->components[i], expected.components[i]) << "component " << i + 1;
  }
}

TEST_P(Parity, ComponentsOfADrawnMask) {
  const Plane mask = Drawn({"...#..##",  //
                            ".##...#.",  //
                            "#.......",  //
                            "...#.#.#",  //
                            "....#..#"});
  Plane values = Plane::Host(mask.size(), PixelType::kS32);
  for (int y = 0; y < values.height(); ++y) {
    for (int x = 0; x < values.width(); ++x) values.Row<std::int32_t>(y)[x] = 10 * y - x;
  }
  const auto stage = backend().MakeConnectedComponents();
  ASSERT_THAT(stage, IsOk());
  const auto found = (*stage)->Run(Upload(mask), Upload(values));
  ASSERT_THAT(found, IsOk());
  const Plane labels = Download(found->labels);
  const std::vector<std::vector<int>> expected = {{0, 0, 0, 1, 0, 0, 2, 2},
                                                  {0, 1, 1, 0, 0, 0, 2, 0},
                                                  {1, 0, 0, 0, 0, 0, 0, 0},
                                                  {0, 0, 0, 3, 0, 3, 0, 4},
                                                  {0, 0, 0, 0, 3, 0, 0, 4}};
  for (int y = 0; y < mask.height(); ++y) {
    EXPECT_THAT(std::vector(labels.Row<std::int32_t>(y), labels.Row<std::int32_t>(y) + 8),
                testing::ElementsAreArray(expected[static_cast<std::size_t>(y)]))
        << "row " << y;
  }
  EXPECT_THAT(
      found->components,
      ElementsAre(
          Component{.area = 4, .value_sum = 34, .left = 0, .top = 0, .right = 3, .bottom = 2},
          Component{.area = 3, .value_sum = -9, .left = 6, .top = 0, .right = 7, .bottom = 1},
          Component{.area = 3, .value_sum = 88, .left = 3, .top = 3, .right = 5, .bottom = 4},
          Component{.area = 2, .value_sum = 56, .left = 7, .top = 3, .right = 7, .bottom = 4}));
}

TEST_P(Parity, ComponentsOfNoiseOfAnyDensity) {
  const auto stage = backend().MakeConnectedComponents();
  ASSERT_THAT(stage, IsOk());
  std::vector<Size> sizes = TrickySizes();
  sizes.insert(sizes.end(), {{31, 9}, {32, 8}, {97, 41}, {301, 203}});
  std::uint32_t seed = 900;
  for (const Size size : sizes) {
    // Around 41 % components begin to reach through the plane; that makes the longest ones.
    for (const int percent : {3, 20, 35, 41, 47, 60, 85, 98}) {
      SCOPED_TRACE(ToString(size) + ", " + std::to_string(percent) + " %");
      ++seed;
      ExpectFlooded(backend(), **stage, Speckled(size, percent, seed), AnyValues(size, seed));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Parity, ComponentsOfWindingFigures) {
  const auto stage = backend().MakeConnectedComponents();
  ASSERT_THAT(stage, IsOk());
  std::vector<Size> sizes = TrickySizes();
  sizes.insert(sizes.end(), {{65, 33}, {219, 143}});
  for (const Size size : sizes) {
    for (const auto& [name, mask] : Figures(size)) {
      SCOPED_TRACE(name + ", " + ToString(size));
      ExpectFlooded(backend(), **stage, mask, Plane());
      if (HasFatalFailure()) return;
    }
  }
}

/// More pixels than one block of a prefix sum numbers in one go.
TEST_P(Parity, ComponentsOfALargeMask) {
  const auto stage = backend().MakeConnectedComponents();
  ASSERT_THAT(stage, IsOk());
  constexpr Size kSize{811, 701};
  for (const int percent : {10, 42}) {
    ExpectFlooded(backend(), **stage, Speckled(kSize, percent, 77), Plane());
    if (HasFatalFailure()) return;
  }
  ExpectFlooded(backend(), **stage, Made(kSize, [](int, int) { return true; }), Plane());
}

/// Rows that lie farther apart than they are long, with set pixels between them.
TEST_P(Parity, ComponentsOfAPlaneInsideAnother) {
  const auto stage = backend().MakeConnectedComponents();
  ASSERT_THAT(stage, IsOk());
  const Plane whole = Made({61, 40}, [](int, int) { return true; });
  const Size size{35, 29};
  const Plane part(std::make_shared<Plane>(whole), whole.data() + 7, size, PixelType::kU8,
                   whole.stride(), {});
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) part.Row<std::uint8_t>(y)[x] = x % 4 != y % 3 ? 0 : 1;
  }
  const Plane wide = AnyValues({50, 30}, 5);
  const Plane values(std::make_shared<Plane>(wide), wide.data() + 12, size, PixelType::kS32,
                     wide.stride(), {});
  ExpectFlooded(backend(), **stage, part, values);
}

TEST_P(Parity, ComponentsSumTheLargestValues) {
  const auto stage = backend().MakeConnectedComponents();
  ASSERT_THAT(stage, IsOk());
  constexpr Size kSize{70, 50};
  for (const std::int32_t value :
       {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()}) {
    const Plane values = Plane::Host(kSize, PixelType::kS32);
    for (int y = 0; y < kSize.height; ++y) {
      std::fill_n(values.Row<std::int32_t>(y), kSize.width, value);
    }
    const auto found =
        (*stage)->Run(Upload(Made(kSize, [](int, int) { return true; })), Upload(values));
    ASSERT_THAT(found, IsOk());
    EXPECT_EQ(found->components.at(0).value_sum, std::int64_t{value} * kSize.area());
  }
}

TEST_P(Parity, ComponentsRefuseWhatCannotBeNumbered) {
  const auto stage = backend().MakeConnectedComponents();
  ASSERT_THAT(stage, IsOk());
  const Plane mask = Upload(Drawn({"#.", ".#"}));
  EXPECT_THAT((*stage)->Run(mask, mask),
              FailsWith(Reason::kInternal, AllOf(HasSubstr("2x2 u8"), HasSubstr(" s32"))));
  EXPECT_THAT((*stage)->Run(mask, Upload(AnyValues({3, 2}, 1))),
              FailsWith(Reason::kInternal, AllOf(HasSubstr("3x2 s32"), HasSubstr("2x2 u8"))));
  // Nobody reads its pixels.
  const Plane huge(nullptr, mask.data(), {1 << 17, 1 << 14}, PixelType::kU8, 1 << 17,
                   mask.device());
  EXPECT_THAT((*stage)->Run(huge, Plane()),
              FailsWith(Reason::kInternal, HasSubstr("too large to number its pixels")));
}

}  // namespace
}  // namespace glint
