// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/weak_side.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "analyse/location/outline_shapes.h"
#include "analyse/quadrilateral.h"

namespace glint {
namespace {

/// How far the ends of a side were moved along its neighbours, away from the opposite side, and how
/// many of its places have an edge there.
struct MovedEnds {
  double from = 0;
  double to = 0;
  double support = 0;
};

/// A side that may slide along its neighbours.
class SlidingSide {
 public:
  SlidingSide(const OutlineViews& views, const Quadrilateral& corners, std::size_t side,
              const WeakSideParams& params)
      : views_(views), corners_(corners), side_(side), params_(params) {}

  double from_length() const { return Distance(Opposite(0), End(0)); }
  double to_length() const { return Distance(Opposite(1), End(1)); }

  /// The share of the side's places with an edge within `reach`, over the frames.
  double SupportAt(const MovedEnds& moved, int reach) const {
    const OutlineSide here = Moved(moved);
    int found = 0;
    int inside = 0;
    for (const std::size_t at : views_.frames) {
      const Homography& motion = views_.motion.at(at);
      const Point a = Map(motion, here.from);
      const Point run = Map(motion, here.to) - a;
      const double length = Length(run);
      const EdgeMap& edges = views_.clip[at].edges;
      if (length < edges.params().min_side_px) return 0;
      const Point inwards = Point{-run.y, run.x} * (1 / length);
      for (std::size_t s = 0; s < params_.places; ++s) {
        const double t = SamplePosition(s, edges.params(), params_.places);
        const auto edge = edges.Probe(a + run * t, inwards, reach);
        inside += edge.inside ? 1 : 0;
        found += edge.inside && edge.found ? 1 : 0;
      }
    }
    const auto asked = static_cast<double>(views_.frames.size() * params_.places);
    return inside >= params_.min_seen * asked && inside > 0 ? static_cast<double>(found) / inside
                                                            : 0;
  }

  Quadrilateral OutlineAt(const MovedEnds& moved) const {
    const OutlineSide here = Moved(moved);
    Quadrilateral outline = corners_;
    outline[side_] = here.from;
    outline[(side_ + 1) % 4] = here.to;
    return outline;
  }

 private:
  /// The corner at which the side begins (0) or ends (1), and its neighbour's other one.
  Point End(std::size_t end) const { return corners_[(side_ + end) % 4]; }
  Point Opposite(std::size_t end) const { return corners_[(side_ + 3 - end) % 4]; }

  OutlineSide Moved(const MovedEnds& moved) const {
    const auto slide = [&](std::size_t end, double by) {
      const Point along = End(end) - Opposite(end);
      return End(end) + along * (by / Length(along));
    };
    return {slide(0, moved.from), slide(1, moved.to)};
  }

  const OutlineViews& views_;
  const Quadrilateral& corners_;
  std::size_t side_;
  const WeakSideParams& params_;
};

/// Places with most edges, far enough from each other, on a coarse grid.
std::vector<MovedEnds> CoarsePlaces(const SlidingSide& side, const WeakSideParams& params) {
  const double from = side.from_length();
  const double to = side.to_length();
  const auto steps = [&](double share, double length) {
    return static_cast<int>(share * length / params.step_px);
  };
  std::vector<MovedEnds> all;
  for (int i = -steps(params.max_inwards_share, from); i <= steps(params.max_outwards_share, from);
       ++i) {
    for (int k = -steps(params.max_inwards_share, to); k <= steps(params.max_outwards_share, to);
         ++k) {
      MovedEnds place{i * params.step_px, k * params.step_px};
      if (std::abs(place.from / from - place.to / to) > params.max_turn_share) continue;
      place.support = side.SupportAt(place, params.coarse_reach_px);
      if (place.support >= params.min_support) all.push_back(place);
    }
  }
  std::ranges::stable_sort(all, std::greater<>(), &MovedEnds::support);
  std::vector<MovedEnds> apart;
  for (const MovedEnds& place : all) {
    if (apart.size() == params.max_places) break;
    const bool known = std::ranges::any_of(apart, [&](const MovedEnds& other) {
      return std::abs(other.from - place.from) + std::abs(other.to - place.to) < params.apart_px;
    });
    if (!known) apart.push_back(place);
  }
  return apart;
}

/// Moves a place to the most edges around it, pixel by pixel.
MovedEnds Refine(const SlidingSide& side, MovedEnds place, const WeakSideParams& params) {
  place.support = 0;
  for (int round = 0; round < params.fine_rounds; ++round) {
    const MovedEnds before = place;
    for (int a = -params.fine_px; a <= params.fine_px; ++a) {
      for (int b = -params.fine_px; b <= params.fine_px; ++b) {
        MovedEnds moved{before.from + a, before.to + b};
        moved.support = side.SupportAt(moved, params.fine_reach_px);
        if (moved.support > place.support) place = moved;
      }
    }
    if (place.from == before.from && place.to == before.to) break;
  }
  return place;
}

}  // namespace

bool HasWeakSide(const std::array<double, 4>& support, const WeakSideParams& params) {
  std::array<double, 4> sorted = support;
  std::ranges::sort(sorted);
  const double mean = (sorted[1] + sorted[2] + sorted[3]) / 3;
  return sorted[0] <= params.max_weak_support && sorted[1] >= params.min_other_support &&
         mean >= params.min_mean_support;
}

std::vector<Quadrilateral> SearchWeakSide(const OutlineViews& views, const Quadrilateral& corners,
                                          const std::array<double, 4>& support,
                                          const WeakSideParams& params) {
  if (!HasWeakSide(support, params)) return {};
  const auto weakest =
      static_cast<std::size_t>(std::ranges::min_element(support) - support.begin());
  const SlidingSide side(views, corners, weakest, params);
  std::vector<Quadrilateral> outlines;
  for (const MovedEnds& place : CoarsePlaces(side, params)) {
    const Quadrilateral moved = side.OutlineAt(Refine(side, place, params));
    if (IsConvex(moved)) outlines.push_back(moved);
  }
  return outlines;
}

}  // namespace glint
