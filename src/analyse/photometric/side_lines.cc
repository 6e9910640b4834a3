// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/side_lines.h"

#include <algorithm>
#include <array>
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

  /// Of a pixel of the object: along the side, and its distance from it.
  std::pair<int, int> Place(int x, int y) const {
    const std::array<int, kSides> depths{y, object_.width - 1 - x, object_.height - 1 - y, x};
    return {IsLevel() ? x : y, depths[number_]};
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

/// The squared sine of the angle between two colours; black is like none.
double SquaredTurn(const Colour& a, const Colour& b) {
  const double squares = Square(a) * Square(b);
  if (squares == 0) return 1;
  const Colour normal(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                      a[0] * b[1] - a[1] * b[0]);
  return Square(normal) / squares;
}

bool IsOutsideBeyond(const Side& side, int along, int depth, const SideLineParams& params) {
  const Colour between = side.SumAt(along, depth / 2, params.along_px);
  const Colour inside = side.SumAt(along, depth + params.away_px, params.along_px);
  const Colour outside = side.SumAt(along, -params.away_px, params.along_px);
  const double share = params.max_turn_share;
  return SquaredTurn(between, outside) < share * share * SquaredTurn(between, inside);
}

/// Lines near a side.
struct NearSide {
  std::vector<int> pixels;  ///< per line
  std::vector<int> depths;  ///< per place along the side, the least of one; -1 where there is none
};

NearSide LinesNear(const Side& side, const Plane& ids, const std::vector<bool>& candidates,
                   std::size_t lines, int reach) {
  NearSide near{.pixels = std::vector<int>(lines),
                .depths = std::vector<int>(static_cast<std::size_t>(side.length()), -1)};
  for (int y = 0; y < ids.height(); ++y) {
    const auto* row = ids.Row<std::int32_t>(y);
    for (int x = 0; x < ids.width(); ++x) {
      if (row[x] == 0) continue;
      const auto line = static_cast<std::size_t>(row[x] - 1);
      const auto [along, depth] = side.Place(x, y);
      if (depth > reach || !candidates[line]) continue;
      ++near.pixels[line];
      int& least = near.depths[static_cast<std::size_t>(along)];
      if (least < 0 || depth < least) least = depth;
    }
  }
  return near;
}

bool IsEdge(const Side& side, const std::vector<int>& depths, const SideLineParams& params) {
  int places = 0, outside = 0;
  for (int along = 0; along < side.length(); ++along) {
    const int depth = depths[static_cast<std::size_t>(along)];
    if (depth < 0) continue;
    ++places;
    outside += static_cast<int>(IsOutsideBeyond(side, along, depth, params));
  }
  return places >= params.min_side_share * side.length() &&
         outside >= params.min_outside_share * places;
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
    std::vector<bool> runs(lines, true);
    const NearSide all = LinesNear(side, ids, runs, lines, params.reach_px);
    for (std::size_t i = 0; i < lines; ++i) {
      runs[i] = all.pixels[i] > 0 && all.pixels[i] >= params.min_near_share * pixels[i];
    }
    if (std::ranges::find(runs, true) == runs.end()) continue;
    const NearSide near = LinesNear(side, ids, runs, lines, params.reach_px);
    if (!IsEdge(side, near.depths, params)) continue;
    for (std::size_t i = 0; i < lines; ++i) sides[i] = sides[i] || runs[i];
  }
  return sides;
}

Lines DropSides(Lines lines, const cv::Mat& colour, const SideLineParams& params) {
  std::vector<bool> kept = AreSides(lines.ids, lines.paths.size(), colour, params);
  kept.flip();
  return DropLines(std::move(lines), kept, params.drawn_px);
}

}  // namespace glint::photometric
