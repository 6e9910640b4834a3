// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_ends.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "analyse/photometric/lost_ink/dash_on_line.h"
#include "base/rounding.h"

namespace glint::photometric {
namespace {

/// The share of the directions in which a dash runs with a line: by chance it is one of them.
double TurnsByChance(const PaperDash& dash, const DashRowParams& params) {
  return std::min(MostTurn(dash, params) / 90, 1.0);
}

/// Looks for what lines go on with.
class EndFinder {
 public:
  EndFinder(const PaperDashes& paper, const DashRowParams& params)
      : paper_(paper), params_(params) {}

  /// Adds the stretches beyond one of a row's ends, one dash after the other.
  /// @param sign  -1: beyond its beginning; 1: beyond its end
  /// @return the score of the dashes that hardly lie there by chance
  double GoOn(const FoundLine& row, int sign, std::vector<FoundLine>& lines) const {
    double score = 0;
    const int end = sign < 0 ? row.line.begin : row.line.end;
    StraightLine tip{.x = row.line.x + end * row.line.cosine,
                     .y = row.line.y + end * row.line.sine,
                     .cosine = sign * row.line.cosine,
                     .sine = sign * row.line.sine};
    std::vector<bool> taken(paper_.dashes.size());  // or a ring of dashes would never end
    const auto is_next = [&](std::size_t i) {
      return !taken[i] && IsLikely(tip, paper_.dashes[i]);
    };
    while (const auto next = Next(tip, is_next)) {
      taken[*next] = true;
      const PaperDash& dash = paper_.dashes[*next];
      if (IsRare(tip, dash)) score += DashScore(dash, params_);
      FoundLine stretch = row;
      stretch.line = StretchTo(dash, tip);
      lines.push_back(stretch);
      const double length = FarFrom(tip, dash);
      tip = stretch.line;
      tip.x += length * tip.cosine;
      tip.y += length * tip.sine;
    }
    return score;
  }

  /// The stretch that a line surely goes on with.
  std::optional<StraightLine> SureStretch(const StraightLine& tip) const {
    const auto next = Next(tip, [&](std::size_t i) { return IsRare(tip, paper_.dashes[i]); });
    return next ? std::optional(StretchTo(paper_.dashes[*next], tip)) : std::nullopt;
  }

 private:
  /// From a line's end to the far end of a dash.
  static double FarFrom(const StraightLine& tip, const PaperDash& dash) {
    return std::hypot(dash.x - tip.x, dash.y - tip.y) + dash.length / 2;
  }

  static StraightLine StretchTo(const PaperDash& dash, const StraightLine& tip) {
    const double dx = dash.x - tip.x, dy = dash.y - tip.y;
    const double length = std::hypot(dx, dy);
    return {.x = tip.x,
            .y = tip.y,
            .cosine = dx / length,
            .sine = dy / length,
            .begin = 0,
            .end = RoundToInt(FarFrom(tip, dash))};
  }

  /// The nearest dash that a line goes on with.
  /// @param tip      where it ends, and where it points
  /// @param is_next  whether it may be that dash
  template <class IsNext>
  std::optional<std::size_t> Next(const StraightLine& tip, IsNext is_next) const {
    std::optional<std::size_t> next;
    double nearest = params_.max_end_gap_px;
    const double turn = params_.end_turn_deg * std::numbers::pi / 180;
    for (std::size_t i = 0; i < paper_.dashes.size(); ++i) {
      const PaperDash& dash = paper_.dashes[i];
      const double along = DashAlong(tip, dash);
      if (along <= dash.length / 2 || along >= nearest ||
          DashAcross(tip, dash) > params_.end_offset_px + along * std::tan(turn) ||
          !RunsAlong(tip, dash, params_) || !is_next(i)) {
        continue;
      }
      next = i;
      nearest = along;
    }
    return next;
  }

  /// Whether a row may go on with a dash in spite of the ink between them.
  bool IsLikely(const StraightLine& tip, const PaperDash& dash) const {
    return InkBetween(tip, dash) <= params_.max_gap_px || IsRare(tip, dash);
  }

  /// A longer stretch of ink is believed where dashes are so rare that hardly one would lie there
  /// by chance.
  bool IsRare(const StraightLine& tip, const PaperDash& dash) const {
    return InkBetween(tip, dash) <= params_.max_rare_gap_px &&
           ByChance(tip, dash) <= params_.max_by_chance;
  }

  /// How many dashes would lie before a line's end, no further than a certain one, and run as it
  /// does, if all of them lay anywhere: the number of false alarms of an a-contrario test
  /// (Desolneux, Moisan, Morel: Meaningful Alignments, 2000).
  double ByChance(const StraightLine& tip, const PaperDash& dash) const {
    const double along = DashAlong(tip, dash);
    const double slope = std::tan(params_.end_turn_deg * std::numbers::pi / 180);
    const double area = along * (2 * params_.end_offset_px + along * slope);
    return static_cast<double>(paper_.dashes.size()) * TurnsByChance(dash, params_) * area /
           static_cast<double>(paper_.bare.total());
  }

  /// Pixels between a line's end and a dash that bear ink.
  int InkBetween(const StraightLine& tip, const PaperDash& dash) const {
    const double far = std::hypot(dash.x - tip.x, dash.y - tip.y);
    const int steps = RoundToInt(far - dash.length / 2);
    int ink = 0;
    for (int step = 1; step < steps; ++step) {
      const cv::Point at(RoundToInt(tip.x + step * (dash.x - tip.x) / far),
                         RoundToInt(tip.y + step * (dash.y - tip.y) / far));
      const bool inside = cv::Rect({}, paper_.bare.size()).contains(at);
      ink += inside && paper_.bare.at<std::uint8_t>(at) != 0 ? 0 : 1;
    }
    return ink;
  }

  const PaperDashes& paper_;
  const DashRowParams& params_;
};

}  // namespace

double GoOnWithDashes(const FoundLine& row, int sign, const PaperDashes& paper,
                      const DashRowParams& params, std::vector<FoundLine>& stretches) {
  return EndFinder(paper, params).GoOn(row, sign, stretches);
}

std::optional<StraightLine> StretchToDash(const StraightLine& tip, const PaperDashes& paper,
                                          const DashRowParams& params) {
  return EndFinder(paper, params).SureStretch(tip);
}

}  // namespace glint::photometric
