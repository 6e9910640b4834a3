// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/print/print_contours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <opencv2/imgproc.hpp>
#include <span>

#include "analyse/photometric/pixels/masks.h"
#include "base/for_rows.h"
#include "base/mat.h"
#include "base/mutex.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

// Gaussians of sigma 1 and 1.5 and along a line (sigma 7), in 1/256, from the middle outwards.
constexpr std::array<int, 4> kFine = {102, 62, 14, 1};
constexpr std::array<int, 5> kWide = {68, 55, 28, 9, 2};
constexpr std::array<int, 6> kAlong = {44, 41, 31, 19, 10, 5};
constexpr int kAlongStep = 3;  // px from tap to tap
constexpr int kUnit = 256;     // of cosines

/// The plane under a Gaussian in both directions; reflect-101.
Plane Smoothed(const Plane& from, std::span<const int> taps, ThreadPool& pool) {
  const Size size = from.size();
  const int reach = static_cast<int>(taps.size()) - 1;
  const auto mix = [&](const auto& at, int i) {
    std::int32_t sum = taps[0] * at(i) + 128;
    for (int k = 1; k <= reach; ++k) {
      sum += taps[static_cast<std::size_t>(k)] * (at(i - k) + at(i + k));
    }
    return static_cast<std::int16_t>(sum >> 8);
  };
  Plane across = Plane::Host(size, PixelType::kS16), out = Plane::Host(size, PixelType::kS16);
  ForRows(pool, size.height, [&](Rows rows) {
    for (int y = rows.begin; y < rows.end; ++y) {
      const auto* row = from.Row<std::int16_t>(y);
      auto* to = across.Row<std::int16_t>(y);
      for (int x = 0; x < size.width; ++x) {
        to[x] = mix([&](int i) { return std::int32_t{row[Reflect101(i, size.width)]}; }, x);
      }
    }
  });
  ForRows(pool, size.height, [&](Rows rows) {
    for (int y = rows.begin; y < rows.end; ++y) {
      auto* to = out.Row<std::int16_t>(y);
      for (int x = 0; x < size.width; ++x) {
        to[x] = mix(
            [&](int i) {
              return std::int32_t{across.Row<std::int16_t>(Reflect101(i, size.height))[x]};
            },
            y);
      }
    }
  });
  return out;
}

struct Gradient {
  Plane x, y;  // kS16, units of the plane per px
};

/// Sobel's, divided by 8; the edge is repeated.
Gradient GradientOf(const Plane& from, ThreadPool& pool) {
  const Size size = from.size();
  Gradient out{Plane::Host(size, PixelType::kS16), Plane::Host(size, PixelType::kS16)};
  ForRows(pool, size.height, [&](Rows rows) {
    for (int y = rows.begin; y < rows.end; ++y) {
      const auto* above = from.Row<std::int16_t>(std::max(y - 1, 0));
      const auto* row = from.Row<std::int16_t>(y);
      const auto* below = from.Row<std::int16_t>(std::min(y + 1, size.height - 1));
      for (int x = 0; x < size.width; ++x) {
        const int l = std::max(x - 1, 0), r = std::min(x + 1, size.width - 1);
        const int gx = (above[r] - above[l]) + 2 * (row[r] - row[l]) + (below[r] - below[l]);
        const int gy = (below[l] - above[l]) + 2 * (below[x] - above[x]) + (below[r] - above[r]);
        out.x.Row<std::int16_t>(y)[x] = static_cast<std::int16_t>((gx + 4) >> 3);
        out.y.Row<std::int16_t>(y)[x] = static_cast<std::int16_t>((gy + 4) >> 3);
      }
    }
  });
  return out;
}

/// First and second derivatives.
struct Derivatives {
  Gradient first, of_x, of_y;

  Derivatives(const Plane& smooth, ThreadPool& pool)
      : first(GradientOf(smooth, pool)),
        of_x(GradientOf(first.x, pool)),
        of_y(GradientOf(first.y, pool)) {}
};

/// A direction's sine and cosine in 1/kUnit.
struct Turn {
  int sine, cosine;

  explicit Turn(int direction)
      : sine(static_cast<int>(std::lround(std::sin(CV_PI * direction / kDirections) * kUnit))),
        cosine(static_cast<int>(std::lround(std::cos(CV_PI * direction / kDirections) * kUnit))) {}
};

/// The slope across lines of a direction.
void SlopeAcross(const Derivatives& of, Turn turn, const Plane& out) {
  for (int y = 0; y < out.height(); ++y) {
    const auto* gx = of.first.x.Row<std::int16_t>(y);
    const auto* gy = of.first.y.Row<std::int16_t>(y);
    auto* to = out.Row<std::int16_t>(y);
    for (int x = 0; x < out.width(); ++x) {
      to[x] = static_cast<std::int16_t>((turn.cosine * gy[x] - turn.sine * gx[x]) / kUnit);
    }
  }
}

/// The curvature across lines of a direction: positive where a line is dark.
void CurvatureAcross(const Derivatives& of, Turn turn, const Plane& out) {
  const int ss = turn.sine * turn.sine / kUnit, cc = turn.cosine * turn.cosine / kUnit;
  const int sc = turn.sine * turn.cosine / kUnit;
  for (int y = 0; y < out.height(); ++y) {
    const auto* xx = of.of_x.x.Row<std::int16_t>(y);
    const auto* xy = of.of_x.y.Row<std::int16_t>(y);
    const auto* yy = of.of_y.y.Row<std::int16_t>(y);
    auto* to = out.Row<std::int16_t>(y);
    for (int x = 0; x < out.width(); ++x) {
      to[x] = static_cast<std::int16_t>((ss * xx[x] - 2 * sc * xy[x] + cc * yy[x]) / kUnit);
    }
  }
}

/// What lies `from_px` across lines of a direction less what lies `to_px` across them.
void DifferenceAcross(const Plane& wide, Turn turn, int from_px, int to_px, const Plane& out) {
  const auto rounded = [](int value) { return (value + kUnit / 2) >> 8; };
  const auto at = [&](int x, int y, int across_px) {
    const int u = x + rounded(-turn.sine * across_px), v = y + rounded(turn.cosine * across_px);
    return wide.Row<std::int16_t>(
        std::clamp(v, 0, wide.height() - 1))[std::clamp(u, 0, wide.width() - 1)];
  };
  for (int y = 0; y < out.height(); ++y) {
    auto* to = out.Row<std::int16_t>(y);
    for (int x = 0; x < out.width(); ++x) {
      to[x] = static_cast<std::int16_t>(at(x, y, from_px) - at(x, y, to_px));
    }
  }
}

/// The mean along lines of a direction, 1/256 of the plane's unit; 0 counts for what is outside.
class AlongLines {
 public:
  AlongLines(Size size, Turn turn) : size_(size), turn_(turn) {
    sums_.resize(static_cast<std::size_t>(size.width));
  }

  std::span<const std::int32_t> Row(const Plane& plane, int y) {
    std::ranges::fill(sums_, 0);
    constexpr int kReach = static_cast<int>(kAlong.size()) - 1;
    for (int k = -kReach; k <= kReach; ++k) {
      const int dx = (k * kAlongStep * turn_.cosine + kUnit / 2) >> 8;
      const int dy = (k * kAlongStep * turn_.sine + kUnit / 2) >> 8;
      if (y + dy < 0 || y + dy >= size_.height) continue;
      const auto weight = kAlong[static_cast<std::size_t>(std::abs(k))];
      const int begin = std::max(0, -dx), end = std::min(size_.width, size_.width - dx);
      const auto* row = plane.Row<std::int16_t>(y + dy) + dx;
      std::int32_t* sums = sums_.data();
      for (int x = begin; x < end; ++x) sums[x] += weight * row[x];
    }
    return sums_;
  }

 private:
  Size size_;
  Turn turn_;
  std::vector<std::int32_t> sums_;
};

/// What the lines of one direction need.
struct Sources {
  Derivatives fine;
  Plane wide;
};

/// Thresholds in 1/(256 * 64) grey.
struct Thresholds {
  std::int64_t contrast, step, dark, stroke, streak;

  explicit Thresholds(const PrintContourParams& params)
      : contrast(Of(params.min_contrast_grey)),
        step(Of(params.min_step_grey)),
        dark(Of(params.min_dark_grey)),
        stroke(Of(params.min_stroke_grey)),
        streak(Of(params.min_streak_grey)) {}

 private:
  static std::int64_t Of(double grey) { return std::llround(grey * kGrey * 256); }
};

/// The masks of one direction, CV_8U, 0 and 1.
struct OneDirection {
  cv::Mat contrast, contours, strokes, streaks;
};

OneDirection FindAlong(const Sources& sources, int direction, const PrintContourParams& params) {
  const Size size = sources.wide.size();
  const Turn turn(direction);
  const Thresholds above(params);
  const auto plane = [&] { return Plane::Host(size, PixelType::kS16); };
  const Plane slope = plane(), curvature = plane();
  const Plane step = plane(), left = plane(), right = plane();
  SlopeAcross(sources.fine, turn, slope);
  CurvatureAcross(sources.fine, turn, curvature);
  DifferenceAcross(sources.wide, turn, params.step_px, -params.step_px, step);
  DifferenceAcross(sources.wide, turn, 0, -params.step_px, left);
  DifferenceAcross(sources.wide, turn, 0, params.step_px, right);
  OneDirection out{cv::Mat(size.height, size.width, CV_8U), cv::Mat(size.height, size.width, CV_8U),
                   cv::Mat(size.height, size.width, CV_8U),
                   cv::Mat(size.height, size.width, CV_8U)};
  AlongLines odd(size, turn), even(size, turn), strips(size, turn);
  AlongLines over_left(size, turn), over_right(size, turn);
  for (int y = 0; y < size.height; ++y) {
    const auto o = odd.Row(slope, y), e = even.Row(curvature, y), t = strips.Row(step, y),
               l = over_left.Row(left, y), r = over_right.Row(right, y);
    auto* contrast = out.contrast.ptr<std::uint8_t>(y);
    auto* contours = out.contours.ptr<std::uint8_t>(y);
    auto* strokes = out.strokes.ptr<std::uint8_t>(y);
    auto* streaks = out.streaks.ptr<std::uint8_t>(y);
    for (std::size_t x = 0; x < o.size(); ++x) {
      const std::int64_t first = o[x], second = 2 * std::int64_t{e[x]};
      contrast[x] = first * first + second * second > above.contrast * above.contrast ? 1 : 0;
      contours[x] = std::abs(std::int64_t{t[x]}) > above.step || second > above.dark ? 1 : 0;
      strokes[x] = second > above.stroke ? 1 : 0;
      streaks[x] = std::min(l[x], r[x]) > above.streak ? 1 : 0;
    }
  }
  cv::dilate(out.contours, out.contours, Disc(params.near_px));
  cv::dilate(out.strokes, out.strokes, Disc(params.near_stroke_px));
  return out;
}

void AddDirection(const cv::Mat& mask, int direction, DirectionMask& to) {
  for (int y = 0; y < mask.rows; ++y) {
    const auto* from = mask.ptr<std::uint8_t>(y);
    auto* bits = to.Row(y);
    for (int x = 0; x < mask.cols; ++x) {
      bits[x] = static_cast<std::uint16_t>(bits[x] | (from[x] << direction));
    }
  }
}

}  // namespace

bool DirectionMask::HasNear(int x, int y, int direction) const {
  return Has(x, y, direction) || Has(x, y, (direction + 1) % kDirections) ||
         Has(x, y, (direction + kDirections - 1) % kDirections);
}

PrintContours FindPrintContours(const Plane& albedo, const PrintContourParams& params,
                                ThreadPool& pool) {
  const Sources sources{.fine = {Smoothed(albedo, kFine, pool), pool},
                        .wide = Smoothed(albedo, kWide, pool)};
  PrintContours found{.albedo = albedo,
                      .contrast = DirectionMask(albedo.size()),
                      .contours = DirectionMask(albedo.size()),
                      .strokes = DirectionMask(albedo.size()),
                      .streaks = DirectionMask(albedo.size())};
  Mutex mutex;
  pool.ParallelFor(kDirections, [&](std::int64_t i) {
    const int direction = static_cast<int>(i);
    const OneDirection along = FindAlong(sources, direction, params);
    const MutexLock lock(mutex);
    AddDirection(along.contrast, direction, found.contrast);
    AddDirection(along.contours, direction, found.contours);
    AddDirection(along.strokes, direction, found.strokes);
    AddDirection(along.streaks, direction, found.streaks);
  });
  return found;
}

}  // namespace glint::photometric
