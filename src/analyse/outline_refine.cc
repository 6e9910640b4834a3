// SPDX-License-Identifier: Apache-2.0
#include "analyse/outline_refine.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "analyse/quadrilateral.h"

namespace glint {
namespace {

using Colour = std::array<double, 3>;

/// Bilinear; the point lies inside the frame by at least a pixel.
Colour Sample(const Plane& rgb, Point p) {
  const int x = static_cast<int>(std::floor(p.x));
  const int y = static_cast<int>(std::floor(p.y));
  const double fx = p.x - x;
  const double fy = p.y - y;
  const std::uint8_t* above = rgb.Row<std::uint8_t>(y) + std::ptrdiff_t{3} * x;
  const std::uint8_t* below = rgb.Row<std::uint8_t>(y + 1) + std::ptrdiff_t{3} * x;
  Colour colour{};
  for (std::size_t c = 0; c < 3; ++c) {
    const double top = above[c] + fx * (above[c + 3] - above[c]);
    const double bottom = below[c] + fx * (below[c + 3] - below[c]);
    colour[c] = top + fy * (bottom - top);
  }
  return colour;
}

bool Inside(const Plane& rgb, Point p) {
  return p.x >= 1 && p.y >= 1 && p.x < rgb.width() - 2 && p.y < rgb.height() - 2;
}

/// An edge beside a side: how far along it and how far out.
struct SideEdge {
  double along;
  double out;
};

/// A side as a straight line: out = offset + slope * along.
struct SideLine {
  double offset = 0;
  double slope = 0;
  double Residual(const SideEdge& edge) const { return edge.out - offset - slope * edge.along; }
};

/// One side with its own axes.
struct SideFrame {
  Point origin;
  Point along;
  Point out;
  double length;

  SideFrame(Point from, Point to)
      : origin(from), along((to - from) * (1 / Distance(from, to))), length(Distance(from, to)) {
    out = {along.y, -along.x};
  }
  Point At(double position, double outwards) const {
    return origin + along * position + out * outwards;
  }
};

/// Where the profile across the side at `position` has its strongest edge; those near the middle
/// are preferred a little.
std::optional<SideEdge> EdgeAt(const Plane& rgb, const SideFrame& side, double position,
                               double reach, const RefinementParams& params) {
  const double step = params.profile_step_px;
  const int half = static_cast<int>(std::ceil((reach + 1) / step)) + 1;
  std::vector<Colour> profile;
  for (int i = -half; i <= half; ++i) {
    Colour sum{};
    for (const double beside : {-1.0, 0.0, 1.0}) {
      const Point p = side.At(position + beside, i * step);
      if (!Inside(rgb, p)) return std::nullopt;
      const Colour colour = Sample(rgb, p);
      for (std::size_t c = 0; c < 3; ++c) sum[c] += colour[c] / 3;
    }
    profile.push_back(sum);
  }
  // Contrast over four samples, of those from 2 to size - 3.
  const auto contrast = [&](std::size_t i) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double change = profile[i + 2][c] - profile[i - 2][c];
      sum += change * change;
    }
    return std::sqrt(sum);
  };
  double best = 0;
  double best_out = 0;
  for (std::size_t i = 3; i + 3 < profile.size(); ++i) {
    const double here = contrast(i);
    const double before = contrast(i - 1);
    const double after = contrast(i + 1);
    if (here < params.min_contrast || here < before || here <= after) continue;
    const double out = (static_cast<int>(i) - half) * step;
    const double preference = here * (1 - 0.5 * std::abs(out) / (reach + 1));
    if (preference <= best) continue;
    best = preference;
    best_out = out + step * 0.5 * (before - after) / (before - 2 * here + after);
  }
  if (best == 0) return std::nullopt;
  return SideEdge{position, best_out};
}

/// The line through two edges that most of the others agree with.
SideLine Consensus(const std::vector<SideEdge>& edges, const RefinementParams& params) {
  const std::size_t stride = std::max<std::size_t>(1, edges.size() / params.max_anchors);
  SideLine best;
  std::ptrdiff_t most = -1;
  for (std::size_t i = 0; i < edges.size(); i += stride) {
    for (std::size_t j = i + stride; j < edges.size(); j += stride) {
      SideLine line;
      line.slope = (edges[j].out - edges[i].out) / (edges[j].along - edges[i].along);
      line.offset = edges[i].out - line.slope * edges[i].along;
      const auto agree = std::ranges::count_if(edges, [&](const SideEdge& edge) {
        return std::abs(line.Residual(edge)) <= params.on_line_px;
      });
      if (agree > most) {
        most = agree;
        best = line;
      }
    }
  }
  return best;
}

/// Least squares with Tukey's weights, from a first guess.
SideLine FitRobustly(const std::vector<SideEdge>& edges, SideLine line,
                     const RefinementParams& params) {
  for (int round = 0; round < 8; ++round) {
    double w = 0;
    double a = 0;
    double o = 0;
    double aa = 0;
    double ao = 0;
    for (const SideEdge& edge : edges) {
      const double scaled = line.Residual(edge) / params.outlier_px;
      if (std::abs(scaled) >= 1) continue;
      const double weight = (1 - scaled * scaled) * (1 - scaled * scaled);
      w += weight;
      a += weight * edge.along;
      o += weight * edge.out;
      aa += weight * edge.along * edge.along;
      ao += weight * edge.along * edge.out;
    }
    const double determinant = w * aa - a * a;
    if (!(determinant > 1e-9 * w * aa)) return line;
    line.slope = (w * ao - a * o) / determinant;
    line.offset = (o - line.slope * a) / w;
  }
  return line;
}

struct FittedSide {
  Point from;
  Point to;
  double support = 0;
};

FittedSide FitSide(const Plane& rgb, Point from, Point to, double reach,
                   const RefinementParams& params) {
  const SideFrame side(from, to);
  FittedSide fitted{from, to};
  const double length = (1 - 2 * params.corner_share) * side.length;
  const int count =
      std::clamp(static_cast<int>(length / params.spacing_px), 8, params.max_profiles);
  std::vector<SideEdge> edges;
  int in_view = 0;
  for (int i = 0; i < count; ++i) {
    const double position = params.corner_share * side.length + (i + 0.5) / count * length;
    if (!Inside(rgb, side.At(position, 0))) continue;
    ++in_view;
    if (const auto edge = EdgeAt(rgb, side, position, reach, params)) edges.push_back(*edge);
  }
  if (edges.size() < 4 || 2 * in_view < count) return fitted;
  const SideLine line = FitRobustly(edges, Consensus(edges, params), params);
  const auto agree = std::ranges::count_if(edges, [&](const SideEdge& edge) {
    return std::abs(line.Residual(edge)) <= params.on_line_px;
  });
  const double support = static_cast<double>(agree) / in_view;
  if (support < params.min_support) return fitted;
  return {side.At(0, line.offset), side.At(side.length, line.offset + line.slope * side.length),
          support};
}

/// Where the lines through two sides meet.
std::optional<Point> Meet(const FittedSide& a, const FittedSide& b) {
  const Point along = a.to - a.from;
  const Point other = b.to - b.from;
  const double sine = Cross(along, other);
  if (std::abs(sine) < 0.2 * Length(along) * Length(other)) return std::nullopt;
  return a.from + along * (Cross(b.from - a.from, other) / sine);
}

}  // namespace

RefinedOutline RefineOutline(const Plane& rgb, const Quadrilateral& outline, double reach,
                             const RefinementParams& params) {
  RefinedOutline refined{outline, {}};
  for (double r = std::max(reach, params.finest_reach_px);;
       r = std::max(r / 2, params.finest_reach_px)) {
    std::array<FittedSide, 4> sides;
    for (std::size_t i = 0; i < 4; ++i)
      sides[i] = FitSide(rgb, refined.corners[i], refined.corners[(i + 1) % 4], r, params);
    Quadrilateral corners{};
    for (std::size_t i = 0; i < 4; ++i) {
      const auto corner = Meet(sides[(i + 3) % 4], sides[i]);
      if (!corner) return refined;
      corners[i] = *corner;
    }
    if (!IsConvex(corners)) return refined;
    refined.corners = corners;
    for (std::size_t i = 0; i < 4; ++i) refined.support[i] = sides[i].support;
    if (r == params.finest_reach_px) return refined;
  }
}

}  // namespace glint
