// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/status_macros.h"
#include "glint/error.h"
#include "stages/cpu/backend.h"

namespace glint {
namespace {

constexpr int kSide = 32;
constexpr int kSquare = 16;  // side of the white square, at (kCorner, kCorner)
constexpr int kCorner = 8;

// A white square on black: every answer below can be counted by hand.
Plane Picture(int shift_x, int shift_y) {
  Plane plane = Plane::Host({kSide, kSide}, PixelType::kU8);
  const auto in_square = [](int at, int shift) {
    return at >= kCorner + shift && at < kCorner + shift + kSquare;
  };
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      plane.Row<std::uint8_t>(y)[x] = in_square(x, shift_x) && in_square(y, shift_y) ? 255 : 0;
    }
  }
  return plane;
}

std::int64_t CountWhite(const Plane& plane) {
  std::int64_t count = 0;
  for (int y = 0; y < plane.height(); ++y) {
    const auto* row = plane.Row<std::uint8_t>(y);
    count += std::count(row, row + plane.width(), 255);
  }
  return count;
}

absl::Status Nonsense(std::string_view stage, const std::string& value,
                      const std::string& expected) {
  return Error(Reason::kDeviceUnavailable,
               fmt::format("the cpu backend computes nonsense here: {} gives {} instead of {} on "
                           "the test picture",
                           stage, value, expected));
}

absl::Status Expect(std::string_view stage, double value, double expected, double tolerance = 0) {
  if (std::abs(value - expected) <= tolerance) return absl::OkStatus();
  return Nonsense(stage, fmt::format("{}", value), fmt::format("{}", expected));
}

std::string ToString(const LumaStatistics& sums) {
  return fmt::format("{}/{}/{}/{}/{}", sums.pixels, sums.laplacian_sum, sums.laplacian_square_sum,
                     sums.dark, sums.bright);
}

absl::Status ProbeStatistics(Backend& backend) {
  GLINT_ASSIGN_OR_RETURN(auto stage, backend.MakeLumaStatistics());
  const Plane luma = Picture(0, 0);
  LumaStatistics sums;
  GLINT_RETURN_IF_ERROR(stage->Run({&luma, 1}, {&sums, 1}));
  // Outside the square each of the 4n neighbours gives 255; inside, 4 corners give -510 and the
  // 4(n - 2) other border pixels -255.
  constexpr std::int64_t kSquares =
      std::int64_t{4 * kSquare + 4 * 4 + 4 * (kSquare - 2)} * 255 * 255;
  const LumaStatistics expected{
      .pixels = std::int64_t{kSide} * kSide,
      .laplacian_sum = 0,
      .laplacian_square_sum = kSquares,
      .dark = std::int64_t{kSide} * kSide - std::int64_t{kSquare} * kSquare,
      .bright = std::int64_t{kSquare} * kSquare};
  if (sums == expected) return absl::OkStatus();
  return Nonsense("luma statistics", ToString(sums), ToString(expected));
}

absl::Status ProbeEdges(Backend& backend) {
  GLINT_ASSIGN_OR_RETURN(auto stage, backend.MakeEdges());
  const CannyThresholds thresholds{.low = 50, .high = 150};
  GLINT_ASSIGN_OR_RETURN(const auto edges, stage->Run(Picture(0, 0), {&thresholds, 1}));
  // One closed outline: the square's own, without its rounded corners.
  return Expect("edges", static_cast<double>(CountWhite(edges.front())), 4 * (kSquare - 1));
}

absl::Status ProbeMorphology(Backend& backend) {
  GLINT_ASSIGN_OR_RETURN(auto stage, backend.MakeMorphology());
  GLINT_ASSIGN_OR_RETURN(const auto eroded, stage->Run(Picture(0, 0), MorphologyOp::kErode, {}, 1));
  return Expect("morphology", static_cast<double>(CountWhite(eroded)),
                (kSquare - 2) * (kSquare - 2));
}

absl::Status ProbeWarp(Backend& backend) {
  GLINT_ASSIGN_OR_RETURN(auto stage, backend.MakeWarp());
  // Half a pixel to the right: the square's left and right columns become grey.
  const Homography half{1, 0, 0.5, 0, 1, 0, 0, 0, 1};
  GLINT_ASSIGN_OR_RETURN(
      const auto moved, stage->Run(Picture(0, 0), half, {kSide, kSide}, Interpolation::kLinear, 0));
  const int middle = kSide / 2;
  GLINT_RETURN_IF_ERROR(Expect("warp", moved.Row<std::uint8_t>(middle)[kCorner - 1], 128));
  return Expect("warp", static_cast<double>(CountWhite(moved)), kSquare * (kSquare - 1));
}

absl::Status ProbeFlow(Backend& backend) {
  GLINT_ASSIGN_OR_RETURN(auto stage, backend.MakeFlow());
  GLINT_ASSIGN_OR_RETURN(const auto field, stage->Field(Picture(0, 0), Picture(1, -1)));
  const float* corner = field.Row<float>(kCorner) + std::ptrdiff_t{2} * kCorner;
  GLINT_RETURN_IF_ERROR(Expect("flow in x", corner[0], 1, 0.1));
  return Expect("flow in y", corner[1], -1, 0.1);
}

}  // namespace

absl::Status ProbeCpu(const BackendOptions& options) {
  GLINT_ASSIGN_OR_RETURN(auto backend, MakeCpuBackend(options));
  for (const auto probe :
       {&ProbeStatistics, &ProbeEdges, &ProbeMorphology, &ProbeWarp, &ProbeFlow}) {
    GLINT_RETURN_IF_ERROR(probe(*backend));
  }
  return absl::OkStatus();
}

}  // namespace glint
