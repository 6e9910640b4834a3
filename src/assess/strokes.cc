// SPDX-License-Identifier: Apache-2.0
#include "assess/strokes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

namespace glint {
namespace {

constexpr int kAngles = 180;           // directions tried, 1 degree apart
constexpr int kRounds = 5;             // of fitting a line to what lies near it
constexpr double kReachShare = 0.007;  // of the object: half of the width that a line may have
constexpr double kLeastReachPx = 3;
constexpr double kMinLengthShare = 0.03;  // of the object: shorter strokes are burrs
constexpr double kMinOfLongest = 0.2;     // and so are those that are short beside the longest
constexpr double kMinFresh = 0.5;         // pixels of its own per pixel of length
constexpr std::size_t kMaxStrokes = 8;
constexpr double kMinCrossingDegrees = 20;
constexpr double kFromEnd = 0.1;  // a crossing lies this share of a stroke away from its ends

/// A straight line through a point.
struct Line {
  Point at;
  Point along;  ///< of length 1

  double Place(const Point& p) const { return (p.x - at.x) * along.x + (p.y - at.y) * along.y; }
  double Distance(const Point& p) const {
    return std::abs((p.y - at.y) * along.x - (p.x - at.x) * along.y);
  }
  Point At(double place) const { return {at.x + place * along.x, at.y + place * along.y}; }
};

std::vector<Point> PixelsOf(const Plane& labels, int id, const Rectangle& box) {
  std::vector<Point> pixels;
  for (int y = box.y; y < box.y + box.height; ++y) {
    const auto* row = labels.Row<std::int32_t>(y);
    for (int x = box.x; x < box.x + box.width; ++x) {
      if (row[x] == id) pixels.push_back({static_cast<double>(x), static_cast<double>(y)});
    }
  }
  return pixels;
}

/// The principal direction of the pixels, through their middle.
Line FitLine(const std::vector<Point>& pixels) {
  Point mean;
  for (const Point& p : pixels) {
    mean.x += p.x / static_cast<double>(pixels.size());
    mean.y += p.y / static_cast<double>(pixels.size());
  }
  double xx = 0, xy = 0, yy = 0;
  for (const Point& p : pixels) {
    xx += (p.x - mean.x) * (p.x - mean.x);
    xy += (p.x - mean.x) * (p.y - mean.y);
    yy += (p.y - mean.y) * (p.y - mean.y);
  }
  const double angle = 0.5 * std::atan2(2 * xy, xx - yy);
  return {mean, {std::cos(angle), std::sin(angle)}};
}

/// The line of kAngles directions that most pixels lie near to.
Line MostPopularLine(const std::vector<Point>& pixels, double reach) {
  Line best;
  std::size_t most = 0;
  for (int i = 0; i < kAngles; ++i) {
    const double angle = std::numbers::pi * i / kAngles;
    const Point along{std::cos(angle), std::sin(angle)};
    std::vector<double> offsets;
    offsets.reserve(pixels.size());
    for (const Point& p : pixels) offsets.push_back(p.y * along.x - p.x * along.y);
    std::ranges::sort(offsets);
    for (std::size_t first = 0, last = 0; first < offsets.size(); ++first) {
      while (last < offsets.size() && offsets[last] <= offsets[first] + 2 * reach) ++last;
      if (last - first <= most) continue;
      most = last - first;
      const double offset = offsets[first] + reach;
      best = {{-offset * along.y, offset * along.x}, along};
    }
  }
  return best;
}

/// Fits the line to the pixels near it until it lies along them: a direction that is one degree off
/// leaves a long line before its ends.
Line Settle(Line line, const std::vector<Point>& pixels, double reach) {
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Point> near;
    for (const Point& p : pixels) {
      if (line.Distance(p) <= reach) near.push_back(p);
    }
    line = FitLine(near);
  }
  return line;
}

/// The longest stretch of the line that pixels cover without gaps; nothing when none does.
std::optional<Stroke> LongestRun(const std::vector<Point>& pixels, const Line& line, double reach) {
  std::vector<double> places;
  for (const Point& p : pixels) {
    if (line.Distance(p) <= reach) places.push_back(line.Place(p));
  }
  if (places.size() < 2) return std::nullopt;
  std::ranges::sort(places);
  std::pair<double, double> longest{0, 0};
  for (std::size_t first = 0, i = 1; i <= places.size(); ++i) {
    if (i < places.size() && places[i] - places[i - 1] <= 3 * reach) continue;
    if (places[i - 1] - places[first] > longest.second - longest.first) {
      longest = {places[first], places[i - 1]};
    }
    first = i;
  }
  return Stroke{.from = line.At(longest.first), .to = line.At(longest.second)};
}

double DistanceTo(const Stroke& stroke, const Point& p) {
  const double dx = stroke.to.x - stroke.from.x, dy = stroke.to.y - stroke.from.y;
  const double square = dx * dx + dy * dy;
  const double t =
      square == 0 ? 0 : ((p.x - stroke.from.x) * dx + (p.y - stroke.from.y) * dy) / square;
  const double at = std::clamp(t, 0.0, 1.0);
  return std::hypot(p.x - stroke.from.x - at * dx, p.y - stroke.from.y - at * dy);
}

/// Takes one straight stroke after the other out of the pixels, the most popular first. A stroke
/// may run over pixels that one before it has taken: there they cross.
std::vector<Stroke> StraightStrokes(const std::vector<Point>& all, double reach,
                                    double min_length) {
  std::vector<Point> pixels = all;
  std::vector<Stroke> strokes;
  while (strokes.size() < kMaxStrokes && pixels.size() >= 2) {
    const Line line = Settle(MostPopularLine(pixels, reach), pixels, reach);
    const auto stroke = LongestRun(all, line, reach);
    const double least =
        strokes.empty() ? min_length : std::max(min_length, kMinOfLongest * strokes[0].length());
    if (!stroke || stroke->length() < least) break;
    const auto fresh = std::ranges::count_if(
        pixels, [&](const Point& p) { return DistanceTo(*stroke, p) <= reach; });
    if (static_cast<double>(fresh) < kMinFresh * stroke->length()) break;
    strokes.push_back(*stroke);
    std::erase_if(pixels, [&](const Point& p) { return DistanceTo(*stroke, p) <= 1.5 * reach; });
  }
  return strokes;
}

/// Whether the strokes cross: each passes the other, and at least one of them goes on behind it.
bool Cross(const Stroke& a, const Stroke& b, double slack_px) {
  const Point u{a.to.x - a.from.x, a.to.y - a.from.y}, v{b.to.x - b.from.x, b.to.y - b.from.y};
  const double cross = u.x * v.y - u.y * v.x;
  const double sine = std::abs(cross) / (a.length() * b.length());
  if (sine < std::sin(kMinCrossingDegrees * std::numbers::pi / 180)) return false;
  const Point w{b.from.x - a.from.x, b.from.y - a.from.y};
  const double on_a = (w.x * v.y - w.y * v.x) / cross, on_b = (w.x * u.y - w.y * u.x) / cross;
  const auto passes = [](double t) { return t >= kFromEnd && t <= 1 - kFromEnd; };
  const auto reaches = [&](double t, const Stroke& stroke) {
    const double slack = slack_px / stroke.length();
    return t >= -slack && t <= 1 + slack;
  };
  return (passes(on_a) && reaches(on_b, b)) || (passes(on_b) && reaches(on_a, a));
}

std::vector<Stroke> CrossingOnes(const std::vector<Stroke>& strokes, double slack_px) {
  std::vector<Stroke> crossing;
  for (const Stroke& stroke : strokes) {
    const bool crosses = std::ranges::any_of(strokes, [&](const Stroke& other) {
      return &other != &stroke && Cross(stroke, other, slack_px);
    });
    if (crosses) crossing.push_back(stroke);
  }
  return crossing;
}

/// Gives each pixel to the nearest stroke.
void ShareOut(const std::vector<Point>& pixels, std::vector<Stroke>& strokes) {
  for (const Point& p : pixels) {
    std::ranges::min_element(strokes, {}, [&](const Stroke& s) {
      return DistanceTo(s, p);
    })->pixels.push_back(p);
  }
  for (Stroke& stroke : strokes) {
    const auto [left, right] = std::ranges::minmax(stroke.pixels, {}, &Point::x);
    const auto [top, bottom] = std::ranges::minmax(stroke.pixels, {}, &Point::y);
    stroke.box = {static_cast<int>(left.x), static_cast<int>(top.y),
                  static_cast<int>(right.x - left.x) + 1, static_cast<int>(bottom.y - top.y) + 1};
  }
}

/// The region as one stroke, from end to end of its principal direction.
Stroke WholeStroke(const std::vector<Point>& pixels) {
  const Line line = FitLine(pixels);
  const auto place = [&](const Point& p) { return line.Place(p); };
  const auto [first, last] = std::ranges::minmax(pixels, {}, place);
  return {.from = line.At(line.Place(first)), .to = line.At(line.Place(last))};
}

}  // namespace

double Stroke::length() const { return std::hypot(to.x - from.x, to.y - from.y); }

bool MayCross(const DefectRegion& region) {
  return region.family != kOutlineLayer && region.kind != RegionKind::kStain &&
         region.kind != RegionKind::kFading;
}

std::vector<Stroke> StrokesOf(const Plane& labels, int id, const Rectangle& box, bool split) {
  const std::vector<Point> pixels = PixelsOf(labels, id, box);
  if (pixels.empty()) return {};
  std::vector<Stroke> strokes;
  if (split) {
    const double scale = std::sqrt(static_cast<double>(labels.size().area()));
    const double reach = std::max(kLeastReachPx, kReachShare * scale);
    strokes = CrossingOnes(StraightStrokes(pixels, reach, kMinLengthShare * scale), 3 * reach);
  }
  if (strokes.size() < 2) strokes = {WholeStroke(pixels)};
  ShareOut(pixels, strokes);
  std::erase_if(strokes, [](const Stroke& stroke) { return stroke.pixels.empty(); });
  return strokes;
}

}  // namespace glint
