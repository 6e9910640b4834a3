// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/outline_judge.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <vector>

#include "analyse/location/outline_shapes.h"
#include "analyse/quadrilateral.h"
#include "analyse/side_line.h"
#include "base/median.h"

namespace glint {
namespace {

/// A side of an outline with its axes.
struct Side {
  Point from, to, along, inwards;
  double length;

  Side(Point a, Point b) : from(a), to(b), length(Distance(a, b)) {
    along = (b - a) * (1 / length);
    inwards = {-along.y, along.x};
  }
  Point At(double position) const { return from + (to - from) * position; }
};

std::array<Side, 4> SidesOf(const Quadrilateral& q) {
  return {Side(q[0], q[1]), Side(q[1], q[2]), Side(q[2], q[3]), Side(q[3], q[0])};
}

bool IsTooSmall(const std::array<Side, 4>& sides, const JudgingParams& params) {
  return std::ranges::any_of(sides,
                             [&](const Side& side) { return side.length < params.min_side_px; });
}

double Intervals(std::size_t places) { return static_cast<double>(places - 1); }

double Share(int part, int whole, int least) {
  return whole > least ? static_cast<double>(part) / whole : 0;
}

/// Whether a place of a side lies in the picture, and whether it is on an edge or the foreground
/// ends there.
EdgeMap::Edge ProbeSide(const EdgeMap& edges, const Side& side, double position, int reach) {
  const Point p = side.At(position);
  EdgeMap::Edge edge = edges.Probe(p, side.inwards, reach);
  edge.found = edge.found || edges.EndsForeground(p, side.inwards);
  return edge;
}

void JudgeSide(const EdgeMap& edges, const Side& side, int reach, std::size_t i,
               OutlineJudgement& judged) {
  int found = 0;
  int inside = 0;
  for (std::size_t s = 0; s < kSideSamples; ++s) {
    const auto edge = ProbeSide(edges, side, SamplePosition(s, edges.params()), reach);
    inside += edge.inside ? 1 : 0;
    if (!edge.inside || !edge.found) continue;
    ++found;
    judged.found[i].set(s);
  }
  judged.support[i] = Share(found, inside, edges.params().min_side_places);
  judged.seen[i] = static_cast<double>(inside) / kSideSamples;
}

double MedianContrast(const EdgeMap& edges, const Side& side) {
  std::vector<double> contrasts;
  for (std::size_t s = 0; s < kSideSamples; s += 2) {
    const Point p = side.At(SamplePosition(s, edges.params()));
    const cv::Vec3f step = edges.Beside(p, side.inwards) - edges.Beside(p, side.inwards * -1);
    contrasts.push_back(std::sqrt(static_cast<double>(step.dot(step))));
  }
  return UpperMedian(contrasts);
}

/// The mean colour right outside of a side, next to one of its ends.
cv::Vec3f OutsideAtEnd(const EdgeMap& edges, const Side& side, bool at_end) {
  const JudgingParams& params = edges.params();
  cv::Vec3f sum(0, 0, 0);
  for (std::size_t s = 0; s < params.extension_places; ++s) {
    const double share = static_cast<double>(s) / Intervals(params.extension_places);
    const double position = params.corner_share + params.surroundings_share * share;
    sum += edges.Beside(side.At(at_end ? 1 - position : position), side.inwards * -1);
  }
  return sum * (1.0F / static_cast<float>(params.extension_places));
}

/// Whether an edge on the continuation of a side parts the object from the table beside that side.
bool PartsObject(const EdgeMap& edges, Point p, Point inwards, const cv::Vec3f& table) {
  const JudgingParams& params = edges.params();
  const cv::Vec3f inside = edges.Beside(p, inwards);
  const cv::Vec3f outside = edges.Beside(p, inwards * -1);
  return cv::norm(inside - outside) >= params.min_object_step &&
         cv::norm(inside - table) >= params.min_object_step &&
         cv::norm(outside - table) < params.max_table_step;
}

/// What lies on the continuation of a side beyond its end.
struct Extension {
  double edges = 0;   // share of its places with an edge
  double object = 0;  // share with an edge that parts the object from the table, as the side does
};

Extension ExtensionOf(const EdgeMap& edges, const Side& side, bool beyond_end) {
  const JudgingParams& params = edges.params();
  const double reach = std::min(params.extension_share * side.length, params.max_extension_px);
  const double gap = params.extension_gap_share;
  const cv::Vec3f table = OutsideAtEnd(edges, side, beyond_end);
  int found = 0;
  int object = 0;
  int inside = 0;
  for (std::size_t s = 0; s < params.extension_places; ++s) {
    const double away =
        params.extension_gap_px +
        reach * (gap + (1 - gap) * static_cast<double>(s) / Intervals(params.extension_places));
    const Point p = beyond_end ? side.to + side.along * away : side.from - side.along * away;
    const auto edge = edges.Probe(p, side.inwards, params.extension_reach_px);
    inside += edge.inside ? 1 : 0;
    if (!edge.inside || !edge.found) continue;
    ++found;
    object += PartsObject(edges, p, side.inwards, table) ? 1 : 0;
  }
  return {Share(found, inside, params.min_extension_places),
          Share(object, inside, params.min_extension_places)};
}

/// Judges the continuations of all sides.
void JudgeExtensions(const EdgeMap& edges, const std::array<Side, 4>& sides,
                     OutlineJudgement& judged) {
  std::array<Extension, 4> before;
  std::array<Extension, 4> beyond;
  for (std::size_t i = 0; i < 4; ++i) {
    before[i] = ExtensionOf(edges, sides[i], false);
    beyond[i] = ExtensionOf(edges, sides[i], true);
    judged.extension += (before[i].edges + beyond[i].edges) / 8;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    judged.passed[i] = std::min(beyond[(i + 3) % 4].object, before[(i + 1) % 4].object);
  }
}

/// The line through the edges with Geman and McClure's weights; nothing where they lie at one
/// place.
std::optional<SideLine> Refitted(const std::vector<SideEdge>& found, const SideLine& line,
                                 double scale) {
  SideLineFit fit;
  for (const SideEdge& edge : found) {
    const double off = line.Residual(edge) / scale;
    fit.Add(edge, 1 / ((1 + off * off) * (1 + off * off)));
  }
  return fit.Line();
}

/// A side as a robust straight line through edges near it, along it from -1/2 to 1/2.
SideLine FitSide(const EdgeMap& edges, const Side& side, int reach) {
  const JudgingParams& params = edges.params();
  std::vector<SideEdge> found;
  for (std::size_t s = 0; s < kSideSamples; ++s) {
    const double t = SamplePosition(s, params);
    const auto edge = edges.Probe(side.At(t), side.inwards, reach);
    if (edge.inside && edge.found) found.push_back({t - 0.5, static_cast<double>(edge.out)});
  }
  if (static_cast<double>(found.size()) <= params.min_refit_share * kSideSamples) return {};
  SideLine line;
  double scale = 1e3;
  for (int round = 0; round < 5; ++round) {
    const auto fitted = Refitted(found, line, scale);
    if (!fitted) return {};
    line = *fitted;
    std::vector<double> off;
    off.reserve(found.size());
    for (const SideEdge& e : found) off.push_back(std::abs(line.Residual(e)));
    scale = std::max(params.min_refit_spread_px, UpperMedian(off));
  }
  if (std::abs(line.slope) > params.max_refit_turn_share * side.length) return {};
  return line;
}

/// The pixels over what is grain in the picture, each with what its surroundings ask for.
EdgePixels PixelsOf(const ColourGradient& gradient, const JudgingParams& params) {
  const cv::Mat& length = gradient.length;
  std::vector<float> all(length.begin<float>(), length.end<float>());
  const float grain = std::min(UpperMedian(all), params.max_grain_sobel);
  const float least = std::max(params.min_edge_sobel, params.min_edge_medians * grain);
  cv::Mat threshold;
  cv::blur(length, threshold, {params.surroundings_px, params.surroundings_px});
  cv::max(threshold, least, threshold);
  return {gradient, threshold, least};
}

}  // namespace

double SamplePosition(std::size_t sample, const JudgingParams& params, std::size_t count) {
  return params.corner_share +
         (1 - 2 * params.corner_share) * static_cast<double>(sample) / Intervals(count);
}

EdgeMap::EdgeMap(const cv::Mat& rgb, const ColourGradient& gradient, const JudgingParams& params)
    : pixels_(PixelsOf(gradient, params)), params_(params) {
  cv::blur(rgb, smooth_, {3, 3});
}

EdgeMap::Edge EdgeMap::Probe(Point p, Point normal, int reach) const {
  const Size picture = size();
  const auto in_picture = [&](double x, double y) {
    return x >= 1 && y >= 1 && x <= picture.width - 2 && y <= picture.height - 2;
  };
  Edge edge{.inside = in_picture(p.x, p.y)};
  double best = 0;
  float threshold = 0;
  for (int o = -reach; o <= reach; ++o) {
    const double x = p.x + o * normal.x;
    const double y = p.y + o * normal.y;
    if (!in_picture(x, y)) continue;
    const EdgePixels::Pixel* pixel = pixels_.At(cvFloor(x + 0.5), cvFloor(y + 0.5));
    if (pixel == nullptr) continue;  // no edge, and too weak to hide one
    const double cosine = std::abs(pixel->normal[0] * normal.x + pixel->normal[1] * normal.y);
    if (cosine <= params_.along_cosine) continue;
    double strength = cosine * pixel->length;
    if (reach > params_.lossless_reach_px) strength *= 1 - params_.loss_per_px * std::abs(o);
    if (strength <= best) continue;
    best = strength;
    edge.out = o;
    threshold = pixel->threshold;
  }
  edge.found = best > threshold && best > 0 && std::abs(edge.out) < reach;
  return edge;
}

bool EdgeMap::EndsForeground(Point p, Point inwards) const {
  if (foreground_.empty()) return false;
  const auto count = [&](double sign) {
    int foreground = 0;
    for (const double o : params_.colour_places_px) {
      const Point at = p + inwards * (sign * o);
      const cv::Point pixel(std::clamp(cvRound(at.x), 0, foreground_.cols - 1),
                            std::clamp(cvRound(at.y), 0, foreground_.rows - 1));
      foreground += foreground_.at<std::uint8_t>(pixel) != 0 ? 1 : 0;
    }
    return foreground;
  };
  const auto places = static_cast<int>(params_.colour_places_px.size());
  return 2 * count(1) > places && 2 * count(-1) < places;
}

bool EdgeMap::HasEdgeNear(Point p) const {
  const int x = cvRound(p.x);
  const int y = cvRound(p.y);
  if (x < 0 || y < 0 || x >= size().width || y >= size().height) return false;
  return pixels_.IsNear(x, y);
}

cv::Vec3f EdgeMap::Colour(Point p) const {
  const int x = std::clamp(cvRound(p.x), 0, smooth_.cols - 1);
  const int y = std::clamp(cvRound(p.y), 0, smooth_.rows - 1);
  return smooth_.at<cv::Vec3b>(y, x);
}

cv::Vec3f EdgeMap::Beside(Point p, Point normal) const {
  cv::Vec3f sum(0, 0, 0);
  for (const double o : params_.colour_places_px) sum += Colour(p + normal * o);
  return sum * (1.0F / static_cast<float>(params_.colour_places_px.size()));
}

double OutlineJudgement::MeanSupport() const {
  return std::accumulate(support.begin(), support.end(), 0.0) / 4;
}
double OutlineJudgement::LeastSupport() const { return *std::ranges::min_element(support); }
double OutlineJudgement::MeanSeen() const {
  return std::accumulate(seen.begin(), seen.end(), 0.0) / 4;
}
double OutlineJudgement::MeanContrast() const {
  return std::accumulate(contrast.begin(), contrast.end(), 0.0) / 4;
}

OutlineJudgement JudgeOutline(const EdgeMap& edges, const Quadrilateral& outline, int reach,
                              JudgedParts parts) {
  OutlineJudgement judged;
  const auto sides = SidesOf(outline);
  if (IsTooSmall(sides, edges.params())) return judged;
  int beside = 0;
  int beside_inside = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    JudgeSide(edges, sides[i], reach, i, judged);
    if (parts == JudgedParts::kSides) continue;
    judged.contrast[i] = MedianContrast(edges, sides[i]);
    for (const double position : edges.params().corner_places) {
      const auto edge = ProbeSide(edges, sides[i], position, reach);
      beside_inside += edge.inside ? 1 : 0;
      beside += edge.inside && edge.found ? 1 : 0;
    }
  }
  judged.corners = Share(beside, beside_inside, 0);
  if (parts == JudgedParts::kAll) JudgeExtensions(edges, sides, judged);
  return judged;
}

Quadrilateral RefitOutline(const EdgeMap& edges, const Quadrilateral& outline, int reach) {
  const auto sides = SidesOf(outline);
  if (IsTooSmall(sides, edges.params())) return outline;
  std::array<OutlineSide, 4> moved;
  for (std::size_t i = 0; i < 4; ++i) {
    const SideLine shift = FitSide(edges, sides[i], reach);
    moved[i] = {sides[i].from + sides[i].inwards * (shift.offset - 0.5 * shift.slope),
                sides[i].to + sides[i].inwards * (shift.offset + 0.5 * shift.slope)};
  }
  const auto fitted = MeetSides(moved, edges.params().min_corner_sine);
  const double limit = edges.params().max_refit_reaches * reach;
  const bool fits = fitted && IsConvex(*fitted) && CornerDistance(*fitted, outline) <= limit;
  return fits ? *fitted : outline;
}

}  // namespace glint
