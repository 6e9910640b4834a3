// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/side_lines.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "analyse/photometric/outline/background.h"
#include "analyse/photometric/pixels/masks.h"
#include "base/mat.h"

namespace glint::photometric {
namespace {

using Colour = cv::Vec<std::int64_t, 3>;

/// The sum of some pixels along a side.
/// @param picture  the object, with kBackgroundMargin pixels around it
/// @param deep     negative outside of the object
Colour SumAt(const cv::Mat& picture, Side side, int along, int deep, int reach) {
  const cv::Rect object = ObjectIn(picture.size());
  const int last = std::min(along + reach, LengthOf(side, object.size()) - 1);
  Colour sum{};
  for (int t = std::max(along - reach, 0); t <= last; ++t) {
    sum += Colour(picture.at<cv::Vec3b>(object.tl() + At(side, t, deep, object.size())));
  }
  return sum;
}

/// How many pixels that are.
int PixelsAlong(int length, int along, int reach) {
  return std::min(along + reach, length - 1) - std::max(along - reach, 0) + 1;
}

double Square(const Colour& colour) {
  return static_cast<double>(colour[0] * colour[0] + colour[1] * colour[1] + colour[2] * colour[2]);
}

/// The squared sine of the angle between two colours, neither of them black.
double SquaredTurn(const Colour& a, const Colour& b) {
  const Colour normal(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                      a[0] * b[1] - a[1] * b[0]);
  return Square(normal) / (Square(a) * Square(b));
}

/// A place along a side that a line passes, and its distance there.
struct Place {
  int along, deep;
};

bool IsOutsideBeyond(const cv::Mat& picture, Side side, const Place& place,
                     const SideLineParams& params) {
  const auto sum_at = [&](int deep) {
    return SumAt(picture, side, place.along, deep, params.along_px);
  };
  const Colour between = sum_at(std::max(place.deep / 2, place.deep - params.beyond_px));
  const Colour inside = sum_at(place.deep + params.away_px);
  const Colour outside = sum_at(-params.away_px);
  const int length = LengthOf(side, ObjectIn(picture.size()).size());
  const double least =
      std::max(params.min_colour_grey, 1.0) * PixelsAlong(length, place.along, params.along_px);
  if (std::min({Square(between), Square(inside), Square(outside)}) < least * least) return false;
  if (Square(between) > Square(outside)) return false;
  const double share = params.max_turn_share;
  return SquaredTurn(between, outside) < share * share * SquaredTurn(between, inside);
}

/// A line near a side.
struct NearLine {
  int pixels = 0;             // that are near
  std::vector<Place> places;  // the nearest of each place along the side
};

/// Of each line.
std::vector<NearLine> LinesNear(Side side, const Plane& ids, std::size_t lines, int reach) {
  const cv::Size size = AsMat(ids).size();
  std::vector<NearLine> near(lines);
  for (int along = 0; along < LengthOf(side, size); ++along) {
    for (int deep = 0; deep <= std::min(reach, DepthOf(side, size) - 1); ++deep) {
      const cv::Point at = At(side, along, deep, size);
      const std::int32_t id = ids.Row<std::int32_t>(at.y)[at.x];
      if (id == 0) continue;
      NearLine& line = near[static_cast<std::size_t>(id - 1)];
      ++line.pixels;
      if (line.places.empty() || line.places.back().along != along) {
        line.places.push_back({along, deep});
      }
    }
  }
  return near;
}

bool HasOutsideBeyond(const cv::Mat& picture, Side side, const NearLine& line,
                      const SideLineParams& params) {
  const auto outside = std::ranges::count_if(line.places, [&](const Place& place) {
    return IsOutsideBeyond(picture, side, place, params);
  });
  return static_cast<double>(outside) >=
         params.min_outside_share * static_cast<double>(line.places.size());
}

std::vector<int> PixelsOf(const Plane& ids, std::size_t lines) {
  std::vector<int> pixels(lines + 1);
  for (int y = 0; y < ids.height(); ++y) {
    const auto* row = ids.Row<std::int32_t>(y);
    for (int x = 0; x < ids.width(); ++x) ++pixels[static_cast<std::size_t>(row[x])];
  }
  pixels.erase(pixels.begin());
  return pixels;
}

}  // namespace

std::vector<bool> AreSides(const Plane& ids, std::size_t lines, const cv::Mat& colour,
                           const SideLineParams& params) {
  std::vector<bool> sides(lines);
  const std::vector<int> pixels = PixelsOf(ids, lines);
  for (const Side side : kSides) {
    const int side_length = LengthOf(side, AsMat(ids).size());
    const std::vector<NearLine> near = LinesNear(side, ids, lines, params.reach_px);
    std::vector<bool> is_edge(lines), covered(static_cast<std::size_t>(side_length));
    for (std::size_t i = 0; i < lines; ++i) {
      const NearLine& line = near[i];
      is_edge[i] = line.pixels > 0 && line.pixels >= params.min_near_share * pixels[i] &&
                   HasOutsideBeyond(colour, side, line, params);
      if (!is_edge[i]) continue;
      for (const Place& place : line.places) covered[static_cast<std::size_t>(place.along)] = true;
    }
    const auto length = static_cast<double>(std::ranges::count(covered, true));
    if (length == 0 || length < params.min_side_share * side_length) continue;
    for (std::size_t i = 0; i < lines; ++i) sides[i] = sides[i] || is_edge[i];
  }
  return sides;
}

Lines DropSides(Lines lines, const cv::Mat& colour, const SideLineParams& params) {
  std::vector<bool> kept = AreSides(lines.ids, lines.paths.size(), colour, params);
  kept.flip();
  return DropLines(std::move(lines), kept, params.drawn_px);
}

}  // namespace glint::photometric
