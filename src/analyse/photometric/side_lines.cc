// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/side_lines.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "analyse/photometric/background.h"
#include "base/mat.h"

namespace glint::photometric {
namespace {

using Colour = cv::Vec<std::int64_t, 3>;

constexpr std::size_t kSides = 4;

/// A side of the object, and the pixels beside it.
class Side {
 public:
  /// @param number  top, right, bottom, left
  Side(std::size_t number, const cv::Mat& colour)
      : number_(number), colour_(colour), object_(ObjectIn(colour.size())) {}

  int length() const { return IsLevel() ? object_.width : object_.height; }

  /// Across the object.
  int depth() const { return IsLevel() ? object_.height : object_.width; }

  /// A pixel of the object. @param depth  its distance from the side
  cv::Point InObject(int along, int depth) const { return At(along, depth) - object_.tl(); }

  /// How many pixels SumAt adds.
  int PlacesAround(int along, int reach) const {
    return std::min(along + reach, length() - 1) - std::max(along - reach, 0) + 1;
  }

  /// The sum of some pixels along the side. @param depth  negative outside
  Colour SumAt(int along, int depth, int reach) const {
    Colour sum{};
    for (int t = std::max(along - reach, 0); t <= std::min(along + reach, length() - 1); ++t) {
      sum += Colour(colour_.at<cv::Vec3b>(At(t, depth)));
    }
    return sum;
  }

 private:
  bool IsLevel() const { return number_ % 2 == 0; }

  cv::Point At(int along, int depth) const {
    const std::array<cv::Point, kSides> places{cv::Point(along, depth),
                                               {object_.width - 1 - depth, along},
                                               {along, object_.height - 1 - depth},
                                               {depth, along}};
    return places[number_] + object_.tl();
  }

  std::size_t number_;
  const cv::Mat& colour_;
  cv::Rect object_;
};

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
  int along, depth;
};

bool IsOutsideBeyond(const Side& side, const Place& place, const SideLineParams& params) {
  const auto sum_at = [&](int depth) { return side.SumAt(place.along, depth, params.along_px); };
  const Colour between = sum_at(std::max(place.depth / 2, place.depth - params.beyond_px));
  const Colour inside = sum_at(place.depth + params.away_px);
  const Colour outside = sum_at(-params.away_px);
  const double least =
      std::max(params.min_colour_grey, 1.0) * side.PlacesAround(place.along, params.along_px);
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
std::vector<NearLine> LinesNear(const Side& side, const Plane& ids, std::size_t lines, int reach) {
  std::vector<NearLine> near(lines);
  for (int along = 0; along < side.length(); ++along) {
    for (int depth = 0; depth <= std::min(reach, side.depth() - 1); ++depth) {
      const cv::Point at = side.InObject(along, depth);
      const std::int32_t id = ids.Row<std::int32_t>(at.y)[at.x];
      if (id == 0) continue;
      NearLine& line = near[static_cast<std::size_t>(id - 1)];
      ++line.pixels;
      if (line.places.empty() || line.places.back().along != along) {
        line.places.push_back({along, depth});
      }
    }
  }
  return near;
}

bool HasOutsideBeyond(const Side& side, const NearLine& line, const SideLineParams& params) {
  const auto outside = std::ranges::count_if(
      line.places, [&](const Place& place) { return IsOutsideBeyond(side, place, params); });
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
  for (std::size_t number = 0; number < kSides; ++number) {
    const Side side(number, colour);
    const std::vector<NearLine> near = LinesNear(side, ids, lines, params.reach_px);
    std::vector<bool> is_edge(lines), covered(static_cast<std::size_t>(side.length()));
    for (std::size_t i = 0; i < lines; ++i) {
      const NearLine& line = near[i];
      is_edge[i] = line.pixels > 0 && line.pixels >= params.min_near_share * pixels[i] &&
                   HasOutsideBeyond(side, line, params);
      if (!is_edge[i]) continue;
      for (const Place& place : line.places) covered[static_cast<std::size_t>(place.along)] = true;
    }
    const auto length = static_cast<double>(std::ranges::count(covered, true));
    if (length == 0 || length < params.min_side_share * side.length()) continue;
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
