// SPDX-License-Identifier: Apache-2.0
#include "analyse/outline_search.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analyse/quadrilateral.h"

namespace glint {
namespace {

/// Lines and where they meet.
class Arrangement {
 public:
  Arrangement(std::vector<EvidenceLine> lines, double min_sine)
      : lines_(std::move(lines)), at_(lines_.size() * lines_.size()) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      for (std::size_t j = 0; j < lines_.size(); ++j) {
        if (Sine(i, j) >= min_sine) at_[i * lines_.size() + j] = Meet(lines_[i], lines_[j]);
      }
    }
  }

  std::size_t size() const { return lines_.size(); }
  const EvidenceLine& line(std::size_t i) const { return lines_[i]; }
  double Sine(std::size_t i, std::size_t j) const {
    return std::abs(Cross(lines_[i].normal, lines_[j].normal));
  }
  /// Where lines i and j meet, if their angle is large enough.
  Point At(std::size_t i, std::size_t j) const { return at_[i * lines_.size() + j]; }

 private:
  static Point Meet(const EvidenceLine& a, const EvidenceLine& b) {
    const double sine = Cross(a.normal, b.normal);
    return {(a.offset * b.normal.y - b.offset * a.normal.y) / sine,
            (b.offset * a.normal.x - a.offset * b.normal.x) / sine};
  }

  std::vector<EvidenceLine> lines_;
  std::vector<Point> at_;
};

/// One side of a candidate: its part in view without the ends, as positions on its line.
struct Side {
  double from = 0;
  double to = 0;
  double covered = 0;
};

struct Candidate {
  OutlineCandidate outline;
  std::array<const EvidenceLine*, 4> lines{};
  std::array<Side, 4> sides{};
};

/// The part of the line between two corners; nothing when too little of it is in view.
std::optional<Side> SideOf(const EvidenceLine& line, Point a, Point b,
                           const QuadrilateralParams& params) {
  double from = line.Position(a);
  double to = line.Position(b);
  if (from > to) std::swap(from, to);
  const double trim = params.corner_share * (to - from);
  Side side{std::max(from + trim, line.begin), std::min(to - trim, line.end)};
  if (side.to - side.from < params.min_in_view * (to - from)) return std::nullopt;
  side.covered = line.Covered(side.from, side.to);
  if (side.covered < params.min_side_support * (side.to - side.from)) return std::nullopt;
  return side;
}

/// Support and score from the sides' evidence.
void Rate(Candidate& candidate, Size size) {
  double product = 1;
  for (const Side& side : candidate.sides) product *= side.covered / (side.to - side.from);
  OutlineCandidate& outline = candidate.outline;
  outline.support = std::pow(product, 0.25);
  outline.score =
      OutlineScore(outline.support, Area(outline.corners) / static_cast<double>(size.area()));
}

/// The candidate with lines top and bottom, left and right (in any order), if it is one.
std::optional<Candidate> Make(const Arrangement& all, std::array<std::size_t, 4> ids, Size size,
                              const QuadrilateralParams& params) {
  Candidate candidate;
  Quadrilateral& corners = candidate.outline.corners;
  for (std::size_t i = 0; i < 4; ++i) corners[i] = all.At(ids[(i + 3) % 4], ids[i]);
  if (Area(corners) < 0) {
    std::swap(ids[1], ids[3]);
    for (std::size_t i = 0; i < 4; ++i) corners[i] = all.At(ids[(i + 3) % 4], ids[i]);
  }
  if (Area(corners) < params.min_area_share * static_cast<double>(size.area()) ||
      !IsConvex(corners))
    return std::nullopt;
  const double out = params.max_outside_share * std::max(size.width, size.height);
  int borders = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Point corner = corners[i];
    if (corner.x < -out || corner.y < -out || corner.x > size.width + out ||
        corner.y > size.height + out ||
        Distance(corner, corners[(i + 1) % 4]) <
            params.min_side_share * std::min(size.width, size.height))
      return std::nullopt;
    candidate.lines[i] = &all.line(ids[i]);
    borders += candidate.lines[i]->border ? 1 : 0;
    const auto side = SideOf(*candidate.lines[i], corner, corners[(i + 1) % 4], params);
    if (!side) return std::nullopt;
    candidate.sides[i] = *side;
  }
  if (borders > 1) return std::nullopt;
  Rate(candidate, size);
  if (candidate.outline.support < params.min_support) return std::nullopt;
  return candidate;
}

bool Better(const Candidate& a, const Candidate& b) { return a.outline.score > b.outline.score; }

/// Keeps the best `count` candidates, first come first among equals.
void KeepBest(std::vector<Candidate>& candidates, std::size_t count) {
  std::ranges::stable_sort(candidates, Better);
  if (candidates.size() > count) candidates.resize(count);
}

std::vector<Candidate> Enumerate(const Arrangement& all, Size size,
                                 const QuadrilateralParams& params) {
  std::vector<std::pair<std::size_t, std::size_t>> opposite;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (all.Sine(i, j) <= params.max_opposite_sine) opposite.emplace_back(i, j);
    }
  }
  std::vector<Candidate> candidates;
  for (std::size_t p = 0; p < opposite.size(); ++p) {
    const auto [a, c] = opposite[p];
    for (std::size_t q = p + 1; q < opposite.size(); ++q) {
      const auto [b, d] = opposite[q];
      if (all.Sine(a, b) < params.min_adjacent_sine || all.Sine(a, d) < params.min_adjacent_sine ||
          all.Sine(c, b) < params.min_adjacent_sine || all.Sine(c, d) < params.min_adjacent_sine)
        continue;
      if (auto candidate = Make(all, {a, b, c, d}, size, params)) candidates.push_back(*candidate);
    }
    if (candidates.size() > 20 * params.max_examined) KeepBest(candidates, params.max_examined);
  }
  KeepBest(candidates, params.max_examined);
  return candidates;
}

using Colour = std::array<double, 3>;

/// Mean colour beside a side: `sign` 1 outside, -1 inside. Nothing outside the picture.
std::optional<Colour> ColourBeside(const cv::Mat& rgb, Point on, Point outwards, double sign,
                                   const QuadrilateralParams& params) {
  Colour sum{};
  int count = 0;
  for (int distance = params.nearest_colour_px; distance <= params.farthest_colour_px; ++distance) {
    const Point p = on + outwards * (sign * distance);
    const int x = static_cast<int>(std::lround(p.x));
    const int y = static_cast<int>(std::lround(p.y));
    if (x < 0 || y < 0 || x >= rgb.cols || y >= rgb.rows) continue;
    const auto& pixel = rgb.at<cv::Vec3b>(y, x);
    for (int c = 0; c < 3; ++c) sum[static_cast<std::size_t>(c)] += pixel[c];
    ++count;
  }
  if (count == 0) return std::nullopt;
  for (double& value : sum) value /= count;
  return sum;
}

bool Alike(const Colour& a, const Colour& b, double most) {
  double sum = 0;
  for (std::size_t c = 0; c < 3; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum < most * most;
}

/// Colours along the four sides of a candidate.
using SideColours = std::array<std::vector<Colour>, 4>;

SideColours ColoursBeside(const Candidate& candidate, const cv::Mat& rgb, double sign,
                          const QuadrilateralParams& params) {
  SideColours colours;
  for (std::size_t i = 0; i < 4; ++i) {
    const EvidenceLine& line = *candidate.lines[i];
    const Side& side = candidate.sides[i];
    const Point middle =
        (candidate.outline.corners[i] + candidate.outline.corners[(i + 2) % 4]) * 0.5;
    const Point outwards = line.normal * (Dot(line.normal, middle) < line.offset ? 1 : -1);
    for (int s = 0; s < params.colour_samples; ++s) {
      const Point on =
          line.At(side.from + (s + 0.5) / params.colour_samples * (side.to - side.from));
      if (const auto colour = ColourBeside(rgb, on, outwards, sign, params))
        colours[i].push_back(*colour);
    }
  }
  return colours;
}

/// Share of the colours that are found among the others, leaving out one side of those.
double ShareFound(const std::vector<Colour>& colours, const SideColours& others,
                  std::optional<std::size_t> left_out, double like_colour) {
  const auto found = std::ranges::count_if(colours, [&](const Colour& colour) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == left_out) continue;
      if (std::ranges::any_of(
              others[i], [&](const Colour& other) { return Alike(colour, other, like_colour); }))
        return true;
    }
    return false;
  });
  return static_cast<double>(found) / static_cast<double>(colours.size());
}

/// Takes away evidence of a side whose inner colours are found outside the outline, too (it parts
/// nothing), and some of a side whose outer colours are mostly not found outside the other sides
/// (what lies around the object goes all around it, as a rule).
void CompareColours(Candidate& candidate, const cv::Mat& rgb, const QuadrilateralParams& params) {
  const SideColours inside = ColoursBeside(candidate, rgb, -1, params);
  const SideColours outside = ColoursBeside(candidate, rgb, 1, params);
  for (std::size_t i = 0; i < 4; ++i) {
    double& covered = candidate.sides[i].covered;
    if (!inside[i].empty()) {
      const double own = 1 - ShareFound(inside[i], outside, std::nullopt, params.like_colour);
      covered *= std::clamp(own / params.own_colours_share, params.min_kept_share, 1.0);
    }
    if (!outside[i].empty()) {
      const double unlike = 1 - 2 * ShareFound(outside[i], outside, i, params.like_colour);
      covered *= 1 - params.unlike_surroundings_loss * std::max(0.0, unlike);
    }
  }
}

}  // namespace

double OutlineScore(double support, double area) { return support * support * support * area; }

std::vector<OutlineCandidate> FindOutlines(const SmallPicture& picture, std::size_t count,
                                           const EdgeParams& edges, const OutlineLineParams& lines,
                                           const QuadrilateralParams& params) {
  const Size size{picture.rgb.cols, picture.rgb.rows};
  const Arrangement all(FindLines(FindEdgePoints(picture.rgb, edges), size, lines),
                        params.min_adjacent_sine);
  std::vector<Candidate> candidates = Enumerate(all, size, params);
  for (Candidate& candidate : candidates) {
    CompareColours(candidate, picture.rgb, params);
    Rate(candidate, size);
  }
  std::ranges::stable_sort(candidates, Better);
  std::vector<OutlineCandidate> outlines;
  for (const Candidate& candidate : candidates) {
    const bool known = std::ranges::any_of(outlines, [&](const OutlineCandidate& other) {
      const auto distance =
          CornerDistance(Ordered(candidate.outline.corners), Ordered(other.corners));
      return distance < params.same_outline_share * Diagonal(other.corners);
    });
    if (!known) outlines.push_back(candidate.outline);
    if (outlines.size() == count) break;
  }
  return outlines;
}

}  // namespace glint
