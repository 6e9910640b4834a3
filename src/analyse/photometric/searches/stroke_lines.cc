// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/stroke_lines.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lines/line_ends.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// The principal axis of what lies near a place of a line, through that place.
StraightLine AxisAt(cv::Point place, const std::vector<cv::Point>& pixels, int reach) {
  double xx = 0, xy = 0, yy = 0, mean_x = 0, mean_y = 0, count = 0;
  for (const cv::Point pixel : pixels) {
    const cv::Point away = pixel - place;
    if (away.dot(away) > reach * reach) continue;
    mean_x += away.x;
    mean_y += away.y;
    xx += away.x * away.x;
    xy += away.x * away.y;
    yy += away.y * away.y;
    ++count;
  }
  xx -= mean_x * mean_x / count;
  xy -= mean_x * mean_y / count;
  yy -= mean_y * mean_y / count;
  const double radians = std::atan2(2 * xy, xx - yy) / 2;
  return {.x = static_cast<double>(place.x),
          .y = static_cast<double>(place.y),
          .cosine = std::cos(radians),
          .sine = std::sin(radians)};
}

/// What lies across a line at one of its places. Values are in 1/64 grey.
class Across {
 public:
  Across(const StraightLine& axis, const Plane& albedo, const StrokeLineParams& params)
      : axis_(axis), albedo_(albedo), params_(params) {}

  /// By how much its brightest is brighter than the lighter of both outlines; 0 without both.
  int Contrast() const {
    int brightest = At(0);
    for (int across = -params_.middle_px; across <= params_.middle_px; ++across) {
      brightest = std::max(brightest, At(across));
    }
    return std::min(Contrast(brightest, -1), Contrast(brightest, 1));
  }

 private:
  int At(int across) const {
    const cv::Point at = axis_.At(0, across);
    const int x = std::clamp(at.x, 0, albedo_.width() - 1);
    const int y = std::clamp(at.y, 0, albedo_.height() - 1);
    return albedo_.Row<std::int16_t>(y)[x];
  }

  /// @param side  -1 or 1
  int Contrast(int brightest, int side) const {
    int outline = 1;
    for (int away = 2; away <= params_.outline_px; ++away) {
      if (At(side * away) < At(side * outline)) outline = away;
    }
    const int darkest = At(side * outline);
    const int beyond = At(side * (outline + params_.beyond_px));
    return beyond - darkest >= params_.min_beyond_grey * kGrey ? brightest - darkest : 0;
  }

  const StraightLine& axis_;
  const Plane& albedo_;
  const StrokeLineParams& params_;
};

bool IsStroke(const std::vector<cv::Point>& pixels, const Plane& albedo,
              const StrokeLineParams& params) {
  if (pixels.size() < params.min_places) return false;
  std::int64_t contrast = 0;
  for (const cv::Point place : pixels) {
    contrast += Across(AxisAt(place, pixels, params.direction_px), albedo, params).Contrast();
  }
  return static_cast<double>(contrast) >=
         params.min_stroke_grey * kGrey * static_cast<double>(pixels.size());
}

}  // namespace

std::vector<bool> AreStrokes(const std::vector<std::vector<cv::Point>>& lines, const Plane& albedo,
                             const StrokeLineParams& params, ThreadPool& pool) {
  std::vector<std::uint8_t> strokes(lines.size());  // bits of one vector<bool> share their bytes
  pool.ParallelFor(std::ssize(lines), [&](std::int64_t i) {
    const auto line = static_cast<std::size_t>(i);
    strokes[line] = IsStroke(lines[line], albedo, params) ? 1 : 0;
  });
  return {strokes.begin(), strokes.end()};
}

Lines DropStrokes(Lines lines, const Plane& albedo, const StrokeLineParams& params,
                  ThreadPool& pool) {
  std::vector<bool> kept = AreStrokes(LinePixels(lines), albedo, params, pool);
  kept.flip();
  return DropLines(std::move(lines), kept, params.drawn_px);
}

}  // namespace glint::photometric
