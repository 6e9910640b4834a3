// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/stroke_lines.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lines/line_ends.h"
#include "analyse/photometric/pixels/albedo_at.h"
#include "analyse/photometric/pixels/principal_axis.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// A line through one of its places, in the direction of what of it lies near.
StraightLine AxisAt(cv::Point place, const std::vector<cv::Point>& pixels, int reach) {
  std::vector<cv::Point> near;
  for (const cv::Point at : pixels) {
    const cv::Point away = at - place;
    if (away.dot(away) <= reach * reach) near.push_back(at);
  }
  const PrincipalAxis axis(near);
  return {.x = static_cast<double>(place.x),
          .y = static_cast<double>(place.y),
          .cosine = axis.cosine,
          .sine = axis.sine};
}

/// What lies across a line at one of its places. Values are in 1/64 grey.
class Across {
 public:
  Across(const StraightLine& axis, const Plane& albedo, const StrokeLineParams& params)
      : axis_(axis), albedo_(albedo), params_(params) {}

  /// By how much its brightest is brighter than the lighter of both outlines; 0 without both.
  std::int64_t Contrast() const {
    std::int64_t brightest = At(0);
    for (int across = -params_.middle_px; across <= params_.middle_px; ++across) {
      brightest = std::max(brightest, At(across));
    }
    return std::min(Contrast(brightest, -1), Contrast(brightest, 1));
  }

 private:
  std::int64_t At(int across) const { return AlbedoAt(albedo_, axis_.At(0, across)); }

  /// @param side  -1 or 1
  std::int64_t Contrast(std::int64_t brightest, int side) const {
    int outline = 1;
    for (int away = 2; away <= params_.outline_px; ++away) {
      if (At(side * away) < At(side * outline)) outline = away;
    }
    const std::int64_t darkest = At(side * outline);
    const std::int64_t beyond = At(side * (outline + params_.beyond_px));
    const bool is_line = static_cast<double>(beyond - darkest) >= params_.min_beyond_grey * kGrey;
    return is_line ? brightest - darkest : 0;
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
