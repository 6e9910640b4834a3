// SPDX-License-Identifier: Apache-2.0
// Work of `photometric`'s hot loops, a number of times, for hot_loop_instructions.sh to count.
// Usage: hot_loops WORK TIMES
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "analyse/alignment.h"
#include "analyse/photometric/evidence/line_response_loops.h"
#include "analyse/photometric/searches/long_lines.h"
#include "base/thread_pool.h"
#include "decode/rgb.h"
#include "stages/cpu/warp_sampler.h"

namespace glint {
namespace {

constexpr Size kPicture{320, 180};

/// Smooth enough to be aligned, the same on every machine.
Plane Drawn(PixelType type) {
  Plane plane = Plane::Host(kPicture, type);
  for (int y = 0; y < kPicture.height; ++y) {
    for (int x = 0; x < kPicture.width * BytesPerPixel(type); ++x) {
      plane.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>((x * x / 9 + y * y / 5) % 251);
    }
  }
  return plane;
}

/// A picture turned by a little and resampled, grey or colour.
template <int channels>
std::function<void()> Warp() {
  const auto source =
      std::make_shared<Plane>(Drawn(channels == 1 ? PixelType::kU8 : PixelType::kU8x3));
  return [source, out = Drawn(source->type())] {
    const Sampler<channels> sampler(*source, std::nullopt);
    WarpPlaces places(kPicture.width);
    for (int y = 0; y < kPicture.height; ++y) {
      places.Fill({0.97, 0.02, 3, -0.02, 0.96, 4, 1e-5, 1e-5, 1}, y, kPicture);
      LinearRow(sampler, places, out.template Row<std::uint8_t>(y));
    }
  };
}

/// The colours of a picture with chroma of half its size.
std::function<void()> Colours() {
  const auto luma = std::make_shared<Plane>(Drawn(PixelType::kU8));
  PlanarPicture picture;
  picture.size = kPicture;
  picture.layout.components = {{{.plane = 0}, {.plane = 1}, {.plane = 2}}};
  picture.layout.chroma_shift_x = picture.layout.chroma_shift_y = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    picture.data[i] = luma->Row<std::uint8_t>(0);
    picture.stride[i] = luma->stride();
  }
  picture.memory = luma;
  return [picture] { PictureToRgb(picture, {}); };
}

/// Lines of any direction through every 25th pixel, where none is.
std::function<void()> LongLines() {
  std::mt19937 random(2);
  Plane energy = Plane::Host(kPicture, PixelType::kS32);
  Plane directions = Drawn(PixelType::kU8), ridges = Drawn(PixelType::kU8);
  for (int y = 0; y < kPicture.height; ++y) {
    for (int x = 0; x < kPicture.width; ++x) {
      energy.Row<std::int32_t>(y)[x] = static_cast<std::int32_t>(random() % 400);
      directions.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(random() % 16);
      ridges.Row<std::uint8_t>(y)[x] = (5 * y + x) % 25 == 0 ? 255 : 0;
    }
  }
  const auto pool = std::make_shared<ThreadPool>(1);
  return [pool, energy, directions, ridges] {
    using photometric::DirectionMask;
    const photometric::PrintContours print{.albedo = {},
                                           .contrast = DirectionMask(kPicture),
                                           .contours = DirectionMask(kPicture),
                                           .strokes = DirectionMask(kPicture),
                                           .streaks = DirectionMask(kPicture)};
    photometric::FindLongLines(energy, directions, ridges, print, {}, *pool);
  };
}

/// The responses of 450 lines side by side in 24 groups of views, of three kinds.
std::function<void()> Whitened() {
  constexpr std::size_t kLines = 450, kGroups = 24;
  std::mt19937 random(3);
  std::array<std::vector<float>, 3> drawn;
  for (std::vector<float>& squares : drawn) {
    for (std::size_t i = 0; i < kLines; ++i) {
      const auto value = static_cast<float>(random() % 1000);
      squares.push_back(value * value);
    }
  }
  return [drawn] {
    for (std::size_t group = 0; group < kGroups; ++group) {
      std::array<std::vector<float>, 3> squares = drawn;
      const std::array<photometric::SquaredResponses, 3> responses{
          {{squares[0], 10}, {squares[1], 10}, {squares[2], 10}}};
      photometric::Whiten(responses, {.beside = 16,
                                      .rounds = 3,
                                      .first_medians = 2.2F,
                                      .max_beside_ratio = 4,
                                      .beside_gain = 1.15F,
                                      .min_beside_share = 0.6F,
                                      .max_ratio = 36});
    }
  };
}

/// A step of a view's alignment.
std::function<void()> Align() {
  const auto target = std::make_shared<AlignmentTarget>(Drawn(PixelType::kU8));
  const auto pool = std::make_shared<ThreadPool>(1);
  return [target, pool, view = Drawn(PixelType::kU8)] {
    constexpr Homography kInView = {1, 0, 8, 0, 1, 8, 0, 0, 1};
    const bool found =
        target->Align(view, kInView, {340, 200}, AlignmentMotion::kHomography, *pool).has_value();
    if (!found) std::abort();
  };
}

int Main(const std::string& work, int times) {
  const std::map<std::string, std::function<std::function<void()>()>> works = {
      {"align", Align},  {"colours", Colours},      {"long_lines", LongLines},
      {"warp", Warp<1>}, {"warp_colours", Warp<3>}, {"whiten", Whitened}};
  const auto named = works.find(work);
  if (named == works.end()) {
    fmt::print(stderr, "hot_loops: there is no work {}\n", work);
    return 2;
  }
  const std::function<void()> run = named->second();
  for (int i = 0; i < times; ++i) run();
  return 0;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return glint::Main(argv[1], std::atoi(argv[2]));
}
