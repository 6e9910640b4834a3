// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/printed_strip.h"

#include <algorithm>
#include <cmath>

#include "analyse/location/colour_in_light.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/quadrilateral.h"

namespace glint {
namespace {

/// A side, and where it is when it is moved outwards along its neighbours.
class MovableSide {
 public:
  MovableSide(const Quadrilateral& outline, std::size_t side)
      : outline_(outline), first_(side), second_((side + 1) % 4) {}

  /// @param from,to  px that its ends are moved by
  Quadrilateral Moved(double from, double to) const {
    Quadrilateral moved = outline_;
    moved[first_] = Slid(first_, (first_ + 3) % 4, from);
    moved[second_] = Slid(second_, (second_ + 1) % 4, to);
    return moved;
  }
  OutlineSide Of(const Quadrilateral& outline) const { return {outline[first_], outline[second_]}; }

 private:
  Point Slid(std::size_t corner, std::size_t away_from, double by) const {
    const Point along = outline_[corner] - outline_[away_from];
    return outline_[corner] + along * (by / Length(along));
  }

  const Quadrilateral& outline_;
  std::size_t first_;
  std::size_t second_;
};

/// How much the colour changes across a line: over places of frames.
struct Step {
  double share = 0;  // of the places, at which it does
  double mean = 0;   // distance in RGB, up to what is plain
};

/// Looks for the edge of a strip in the frames together.
class StripEdges {
 public:
  StripEdges(const SearchedClip& clip, const std::map<std::size_t, Homography>& motion,
             std::span<const std::size_t> frames, const PrintedStripParams& params)
      : clip_(clip), motion_(motion), frames_(frames), params_(params) {}

  /// Across a part of a line, at so many places of it, from its left to its right.
  Step Across(const OutlineSide& line, double begin, double end, std::size_t places) const {
    Step step;
    double asked = 0;
    for (const std::size_t at : frames_) {
      const OutlineSide here{Map(motion_.at(at), line.from), Map(motion_.at(at), line.to)};
      const Point run = here.to - here.from;
      const Point right = Point{-run.y, run.x} * (params_.step_px / std::max(1e-9, Length(run)));
      for (std::size_t i = 0; i < places; ++i) {
        const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(places);
        const double change =
            ChangeAt(clip_[at].edges, here.from + run * (begin + (end - begin) * share), right);
        step.share += change >= params_.min_hue ? 1 : 0;
        step.mean += std::min(change, params_.plain_hue);
        ++asked;
      }
    }
    step.share /= asked;
    step.mean /= asked;
    return step;
  }

 private:
  /// How unlike all that light makes of the colour on the left the one on the right is.
  double ChangeAt(const EdgeMap& edges, Point p, Point right) const {
    return UnlikeInAnyLight(edges.Colour(p + right), edges.Colour(p - right),
                            params_.max_light_ratio);
  }

  const SearchedClip& clip_;
  const std::map<std::size_t, Homography>& motion_;
  std::span<const std::size_t> frames_;
  const PrintedStripParams& params_;
};

/// The outline with the side where its colour ends outside of it.
std::optional<Quadrilateral> OuterEdgeOf(const StripEdges& edges, const Quadrilateral& outline,
                                         std::size_t index, const PrintedStripParams& params) {
  const MovableSide side(outline, index);
  const int most = static_cast<int>(params.max_width_share * Diagonal(outline));
  const double begin = params.corner_share;
  std::optional<Quadrilateral> best;
  double plainest = 0;
  for (int width = params.min_width_px; width <= most; ++width) {
    for (int turn = -params.turn_px; turn <= params.turn_px; ++turn) {
      const Quadrilateral moved = side.Moved(width, width + turn);
      const Step step = edges.Across(side.Of(moved), begin, 1 - begin, params.places);
      if (step.share < params.min_edges || step.mean <= plainest) continue;
      plainest = step.mean;
      best = moved;
    }
  }
  return best;
}

/// Whether the strip ends where the object does: at one end at least, for the other may be torn
/// off; and its outer edge with it.
bool EndsWithObject(const StripEdges& edges, const OutlineSide& inner, const OutlineSide& outer,
                    const PrintedStripParams& params) {
  const std::size_t places = params.end_places;
  const double begin = params.end_corner_share;
  const double first = edges.Across({inner.from, outer.from}, begin, 1 - begin, places).share;
  const double last = edges.Across({outer.to, inner.to}, begin, 1 - begin, places).share;
  if (std::max(first, last) < params.min_end_edges) return false;
  const double beyond = params.beyond_share;
  return edges.Across(outer, -beyond, 0, places).share <= params.max_beyond_edges &&
         edges.Across(outer, 1, 1 + beyond, places).share <= params.max_beyond_edges;
}

}  // namespace

std::optional<Quadrilateral> WithPrintedStrips(const SearchedClip& clip,
                                               const std::map<std::size_t, Homography>& motion,
                                               std::span<const std::size_t> frames,
                                               const Quadrilateral& outline,
                                               const PrintedStripParams& params) {
  const StripEdges edges(clip, motion, frames, params);
  Quadrilateral wider = outline;
  bool found = false;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto moved = OuterEdgeOf(edges, wider, i, params);
    if (!moved || !IsConvex(*moved)) continue;
    const OutlineSide inner{wider[i], wider[(i + 1) % 4]};
    const OutlineSide outer{(*moved)[i], (*moved)[(i + 1) % 4]};
    if (!EndsWithObject(edges, inner, outer, params)) continue;
    wider = *moved;
    found = true;
  }
  return found ? std::optional(wider) : std::nullopt;
}

}  // namespace glint
