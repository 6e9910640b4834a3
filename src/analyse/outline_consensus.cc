// SPDX-License-Identifier: Apache-2.0
#include "analyse/outline_consensus.h"

#include <algorithm>
#include <cmath>

#include "analyse/outline_search.h"
#include "analyse/quadrilateral.h"
#include "base/median.h"

namespace glint {
namespace {

bool Shows(Size size, const Quadrilateral& corners, double out) {
  return std::ranges::all_of(corners, [&](Point p) {
    return p.x >= -out && p.y >= -out && p.x <= size.width - 1 + out &&
           p.y <= size.height - 1 + out;
  });
}

/// Mean corner distance as a share of the diagonal.
double Apart(const Quadrilateral& a, const Quadrilateral& b) {
  return CornerDistance(Ordered(a), Ordered(b)) / Diagonal(b);
}

/// Mean score and support of an outline over the frames that show it.
struct OutlineRating {
  double score = 0;
  double support = 0;
};

OutlineRating RateOutline(const Quadrilateral& outline, std::span<const ProposingFrame> frames,
                          const ConsensusParams& params) {
  OutlineRating sum;
  int showing = 0;
  int able = 0;
  for (const ProposingFrame& frame : frames) {
    if (!frame.from_reference) continue;
    ++able;
    const Quadrilateral here = Map(*frame.from_reference, outline);
    if (!IsConvex(here) || !Shows(frame.size, here, params.in_view_px)) continue;
    ++showing;
    // Nearby proposals count the less the farther off they are: a line close to a side is another
    // candidate, and must not borrow the side's support.
    double most = 0;
    double support = 0;
    for (const OutlineProposal& proposal : frame.proposals) {
      const double apart = Apart(proposal.corners, here) / params.same_outline_share;
      const double likeness = std::max(0.0, 1 - apart * apart);
      const double strength = OutlineScore(proposal.support, 1) * likeness;
      if (strength <= most) continue;
      most = strength;
      support = proposal.support * likeness;
    }
    sum.score += most * Area(outline);
    sum.support += support;
  }
  // An outline that most of the frames cut off has to be the better for it.
  const int count = std::max({1, showing, (able + 1) / 2});
  return {sum.score / count, sum.support / count};
}

/// How far outwards a fit's side lies at both ends of the agreed outline's side.
struct SideOffset {
  double at_begin = 0;
  double at_end = 0;
};

SideOffset OffsetOf(const Quadrilateral& outline, const Quadrilateral& fit, std::size_t side) {
  const Point from = outline[side];
  const Point to = outline[(side + 1) % 4];
  const Point along = (to - from) * (1 / Distance(from, to));
  const Point out{along.y, -along.x};
  const Point a = fit[side];
  const Point b = fit[(side + 1) % 4];
  const auto at = [&](Point p) {
    // Where the fit's line crosses the perpendicular through p.
    const double t = Dot(p - a, along) / Dot(b - a, along);
    return Dot(a + (b - a) * t - p, out);
  };
  return {at(from), at(to)};
}

SideOffset JoinSide(const Quadrilateral& outline, std::span<const FittedOutline> fits,
                    std::size_t side, const ConsensusParams& params) {
  std::vector<double> begins;
  std::vector<double> ends;
  for (const FittedOutline& fit : fits) {
    if (fit.support[side] < params.min_side_support) continue;
    const SideOffset offset = OffsetOf(outline, fit.corners, side);
    begins.push_back(offset.at_begin);
    ends.push_back(offset.at_end);
  }
  if (begins.empty()) return {};
  const SideOffset median{Median(begins), Median(ends)};
  if (fits.front().support[side] < params.min_side_support) return median;
  const SideOffset own = OffsetOf(outline, fits.front().corners, side);
  const double near = std::max(params.min_near_px, params.near_median_share * Diagonal(outline));
  const bool agrees = std::abs(own.at_begin - median.at_begin) <= near &&
                      std::abs(own.at_end - median.at_end) <= near;
  // Of two frames that disagree, neither is the odd one out: the reference decides.
  return agrees || begins.size() < 3 ? own : median;
}

}  // namespace

std::optional<ConsensusOutline> FindConsensusOutline(std::span<const ProposingFrame> frames,
                                                     const ConsensusParams& params) {
  std::optional<ConsensusOutline> best;
  double most = 0;
  for (const ProposingFrame& frame : frames) {
    if (!frame.from_reference) continue;
    const auto to_reference = Inverse(*frame.from_reference);
    if (!to_reference) continue;
    for (const OutlineProposal& proposal : frame.proposals) {
      const Quadrilateral corners = Map(*to_reference, proposal.corners);
      if (!IsConvex(corners)) continue;
      const OutlineRating rating = RateOutline(corners, frames, params);
      // The reference comes first, so of equal outlines its own stays.
      if (best &&
          (rating.score <= most || (Apart(corners, best->corners) <= params.same_outline_share &&
                                    rating.score <= params.same_outline_gain * most)))
        continue;
      most = rating.score;
      best = ConsensusOutline{corners, rating.support};
    }
  }
  return best;
}

Quadrilateral JoinFits(const Quadrilateral& outline, std::span<const FittedOutline> fits,
                       const ConsensusParams& params) {
  struct Line {
    Point at;
    Point along;
  };
  std::array<Line, 4> lines{};
  for (std::size_t i = 0; i < 4; ++i) {
    const Point from = outline[i];
    const Point to = outline[(i + 1) % 4];
    const Point along = (to - from) * (1 / Distance(from, to));
    const Point out{along.y, -along.x};
    const SideOffset offset = JoinSide(outline, fits, i, params);
    const Point begin = from + out * offset.at_begin;
    lines[i] = {begin, to + out * offset.at_end - begin};
  }
  Quadrilateral joined{};
  for (std::size_t i = 0; i < 4; ++i) {
    const Line& a = lines[(i + 3) % 4];
    const Line& b = lines[i];
    joined[i] = a.at + a.along * (Cross(b.at - a.at, b.along) / Cross(a.along, b.along));
  }
  return IsConvex(joined) ? joined : outline;
}

}  // namespace glint
