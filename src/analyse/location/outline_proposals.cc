// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/outline_proposals.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "analyse/location/edge_segments.h"
#include "analyse/location/foreground_outline.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/quadrilateral.h"

namespace glint {
namespace {

/// Lines, and which of them meet near their ends.
class LineMeetings {
 public:
  LineMeetings(std::vector<EdgeLine> lines, Size picture, const ProposalParams& params)
      : params_(params), lines_(std::move(lines)), meets_(lines_.size() * lines_.size()) {
    const double margin = params.max_outside_share * std::max(picture.width, picture.height);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      for (std::size_t j = i + 1; j < lines_.size(); ++j) {
        const auto at = Meet(i, j);
        if (!at || at->x < -margin || at->y < -margin) continue;
        if (at->x > picture.width + margin || at->y > picture.height + margin) continue;
        meets_[i * lines_.size() + j] = meets_[j * lines_.size() + i] = at;
      }
    }
  }

  std::size_t size() const { return lines_.size(); }
  const std::optional<Point>& At(std::size_t i, std::size_t j) const {
    return meets_[i * lines_.size() + j];
  }
  double Sine(std::size_t i, std::size_t j) const { return std::abs(Cross(Along(i), Along(j))); }

 private:
  Point Along(std::size_t i) const {
    const Point along = lines_[i].ends.to - lines_[i].ends.from;
    return along * (1 / Length(along));
  }

  /// Where two lines meet, if that is not too far from their ends for how long they are.
  std::optional<Point> Meet(std::size_t i, std::size_t j) const {
    const Point a = Along(i);
    const Point b = Along(j);
    const double sine = Cross(a, b);
    if (std::abs(sine) <= params_.min_adjacent_sine) return std::nullopt;
    const Point between = lines_[j].ends.from - lines_[i].ends.from;
    const double on_i = Cross(between, b) / sine;
    const double on_j = Cross(between, a) / sine;
    const double cost_i = Cost(i, on_i);
    const double cost_j = Cost(j, on_j);
    if (cost_i > 1 || cost_j > 1 || cost_i + cost_j > params_.max_corner_cost) return std::nullopt;
    return lines_[i].ends.from + a * on_i;
  }

  /// How far a position lies from the nearest end, inside or outside, by the line's length.
  double Cost(std::size_t i, double position) const {
    const double length = Distance(lines_[i].ends.from, lines_[i].ends.to);
    const double beyond = std::max({-position, position - length, 0.0});
    const double within =
        position > 0 && position < length ? std::min(position, length - position) : 0;
    const double free = params_.free_corner_px;
    return std::max(beyond - free, 0.0) / (params_.max_beyond_lengths * length) +
           std::max(within - free, 0.0) / (params_.max_within_lengths * length);
  }

  const ProposalParams& params_;
  std::vector<EdgeLine> lines_;
  std::vector<std::optional<Point>> meets_;
};

/// Sides under a phone's perspective: opposite ones are alike.
bool IsPlausible(const Quadrilateral& q, Size picture, const ProposalParams& params) {
  if (!IsConvex(q)) return false;
  if (Area(q) < params.min_area_share * static_cast<double>(picture.area())) return false;
  const double least = params.min_side_share * std::max(picture.width, picture.height);
  for (std::size_t i = 0; i < 2; ++i) {
    const double a = Distance(q[i], q[i + 1]);
    const double b = Distance(q[i + 2], q[(i + 3) % 4]);
    if (std::min(a, b) < least) return false;
    if (std::max(a, b) > params.max_opposite_ratio * std::min(a, b)) return false;
  }
  return true;
}

/// Lines that meet both of two opposite ones.
std::vector<std::size_t> CommonOf(const LineMeetings& lines, std::size_t a, std::size_t b,
                                  std::size_t max_common) {
  std::vector<std::size_t> common;
  for (std::size_t i = 0; i < lines.size() && common.size() < max_common; ++i) {
    if (lines.At(a, i) && lines.At(b, i)) common.push_back(i);
  }
  return common;
}

/// Every four lines that meet in turn.
std::vector<Quadrilateral> FourCycles(const LineMeetings& lines, Size picture,
                                      const ProposalParams& params) {
  std::vector<Quadrilateral> cycles;
  for (std::size_t a = 0; a < lines.size(); ++a) {
    for (std::size_t b = a + 1; b < lines.size(); ++b) {
      if (lines.Sine(a, b) > params.max_opposite_sine) continue;
      const std::vector<std::size_t> common = CommonOf(lines, a, b, params.max_common_lines);
      for (std::size_t i = 0; i < common.size(); ++i) {
        for (std::size_t j = i + 1; j < common.size(); ++j) {
          const std::size_t c = common[i];
          const std::size_t d = common[j];
          if (c < a || lines.Sine(c, d) > params.max_opposite_sine)
            continue;  // found from `a` only once
          Quadrilateral q = {*lines.At(a, c), *lines.At(b, c), *lines.At(b, d), *lines.At(a, d)};
          if (Area(q) < 0) std::swap(q[1], q[3]);
          if (IsPlausible(q, picture, params)) cycles.push_back(q);
        }
      }
    }
  }
  return cycles;
}

double Score(double mean, double least, double area_share, const ObjectSearchParams& params) {
  return mean * std::min(1.0, params.weakest_side_base + least) *
         std::pow(area_share, params.proposals.area_exponent);
}

/// The score by edges near the sides, whichever way they run; 0 where a side has few.
double QuickScore(const EdgeMap& edges, const Quadrilateral& q, const ObjectSearchParams& params) {
  const std::size_t places = params.proposals.quick_places;
  double mean = 0;
  double least = 1;
  for (std::size_t i = 0; i < 4; ++i) {
    int found = 0;
    for (std::size_t s = 0; s < places; ++s) {
      const double t = SamplePosition(s, params.judging, places);
      found += edges.HasEdgeNear(q[i] + (q[(i + 1) % 4] - q[i]) * t) ? 1 : 0;
    }
    const double support = static_cast<double>(found) / static_cast<double>(places);
    least = std::min(least, support);
    mean += support / 4;
  }
  if (least < params.proposals.min_quick_support) return 0;
  return Score(mean, least, Area(q) / static_cast<double>(edges.size().area()), params);
}

/// The best by the quick score.
std::vector<Quadrilateral> Preselect(const EdgeMap& edges, const std::vector<Quadrilateral>& all,
                                     const ObjectSearchParams& params) {
  std::vector<std::pair<double, std::size_t>> scored;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double score = QuickScore(edges, all[i], params);
    if (score > 0) scored.emplace_back(score, i);
  }
  std::ranges::stable_sort(scored, std::greater<>(), &std::pair<double, std::size_t>::first);
  const std::size_t count = std::min(scored.size(), params.proposals.max_candidates);
  scored.resize(count);
  std::vector<Quadrilateral> best;
  best.reserve(scored.size());
  for (const auto& [score, i] : scored) best.push_back(all[i]);
  return best;
}

/// An outline as a proposal, if the edges near it say so.
std::optional<JudgedOutline> Propose(const EdgeMap& edges, const Quadrilateral& q,
                                     const ObjectSearchParams& params) {
  const ProposalParams& limits = params.proposals;
  const OutlineJudgement by_edges = JudgeOutline(edges, q, limits.reach_px);
  if (by_edges.LeastSupport() < limits.min_side_support) return std::nullopt;
  if (by_edges.MeanSupport() < limits.min_support) return std::nullopt;
  const double score = Score(by_edges.MeanSupport(), by_edges.LeastSupport(),
                             Area(q) / static_cast<double>(edges.size().area()), params);
  return JudgedOutline{Ordered(q), score * (1 - limits.extension_weight * by_edges.extension)};
}

}  // namespace

std::vector<JudgedOutline> ProposeOutlines(const EdgeMap& edges, const ColourGradient& gradient,
                                           const ObjectSearchParams& params) {
  const Size picture = edges.size();
  const ProposalParams& limits = params.proposals;
  const auto segments = FindSegments(gradient, params.segments);
  const LineMeetings lines(JoinSegments(segments, params.segments), picture, limits);
  std::vector<JudgedOutline> judged;
  for (const Quadrilateral& q : Preselect(edges, FourCycles(lines, picture, limits), params)) {
    if (const auto proposal = Propose(edges, q, params)) judged.push_back(*proposal);
  }
  std::ranges::stable_sort(judged, std::greater<>(), &JudgedOutline::score);
  std::vector<JudgedOutline> kept;
  for (const JudgedOutline& outline : judged) {
    const double same = params.SameOutlinePx(outline.corners);
    const bool known = std::ranges::any_of(kept, [&](const JudgedOutline& other) {
      return TurnedCornerDistance(outline.corners, other.corners) <= same;
    });
    if (!known) kept.push_back(outline);
    if (kept.size() == limits.max_proposals) break;
  }
  return kept;
}

std::optional<JudgedOutline> ProposeForeground(const EdgeMap& edges, const cv::Mat& foreground,
                                               const ObjectSearchParams& params) {
  const auto outline = OutlineOfForeground(foreground);
  if (!outline || !IsPlausible(*outline, edges.size(), params.proposals)) return std::nullopt;
  auto proposal = Propose(edges, RefitOutline(edges, *outline, params.foreground.refit_px), params);
  if (proposal) proposal->foreground = true;
  return proposal;
}

}  // namespace glint
