// SPDX-License-Identifier: Apache-2.0
#include "analyse/outline_refine.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "analyse/location/outline_shapes.h"
#include "analyse/quadrilateral.h"
#include "analyse/side_line.h"

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
    const double preference = here * (1 - params.reach_loss * std::abs(out) / (reach + 1));
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
  for (int round = 0; round < params.fit_rounds; ++round) {
    SideLineFit fit;
    for (const SideEdge& edge : edges) {
      const double scaled = line.Residual(edge) / params.outlier_px;
      if (std::abs(scaled) < 1) fit.Add(edge, (1 - scaled * scaled) * (1 - scaled * scaled));
    }
    const auto fitted = fit.Line();
    if (!fitted) return line;
    line = *fitted;
  }
  return line;
}

struct FittedSide {
  OutlineSide ends;
  double support = 0;
};

FittedSide FitSide(const Plane& rgb, Point from, Point to, double reach,
                   const RefinementParams& params) {
  const SideFrame side(from, to);
  const FittedSide unfitted{.ends = {from, to}};
  const double length = (1 - 2 * params.corner_share) * side.length;
  const int count = std::clamp(static_cast<int>(length / params.spacing_px), params.min_profiles,
                               params.max_profiles);
  std::vector<SideEdge> edges;
  int in_view = 0;
  for (int i = 0; i < count; ++i) {
    const double position = params.corner_share * side.length + (i + 0.5) / count * length;
    if (!Inside(rgb, side.At(position, 0))) continue;
    ++in_view;
    if (const auto edge = EdgeAt(rgb, side, position, reach, params)) edges.push_back(*edge);
  }
  if (edges.size() < params.min_edges || in_view < params.min_in_view * count) return unfitted;
  const SideLine line = FitRobustly(edges, Consensus(edges, params), params);
  const auto agree = std::ranges::count_if(edges, [&](const SideEdge& edge) {
    return std::abs(line.Residual(edge)) <= params.on_line_px;
  });
  const double support = static_cast<double>(agree) / in_view;
  if (support < params.min_support) return unfitted;
  const Point begin = side.At(0, line.offset);
  const Point end = side.At(side.length, line.offset + line.slope * side.length);
  return {{begin, end}, support};
}

}  // namespace

RefinedOutline RefineOutline(const Plane& rgb, const Quadrilateral& outline, double reach,
                             const RefinementParams& params) {
  RefinedOutline refined{outline, {}};
  for (double r = std::max(reach, params.finest_reach_px);;
       r = std::max(r / 2, params.finest_reach_px)) {
    std::array<OutlineSide, 4> sides;
    std::array<double, 4> support{};
    for (std::size_t i = 0; i < 4; ++i) {
      const FittedSide fitted =
          FitSide(rgb, refined.corners[i], refined.corners[(i + 1) % 4], r, params);
      sides[i] = fitted.ends;
      support[i] = fitted.support;
    }
    const auto corners = MeetSides(sides, params.min_corner_sine);
    if (!corners || !IsConvex(*corners)) return refined;
    refined = {*corners, support};
    if (r == params.finest_reach_px) return refined;
  }
}

}  // namespace glint
