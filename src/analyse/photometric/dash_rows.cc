// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/dash_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <opencv2/core.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/rounding.h"

namespace glint::photometric {
namespace {

/// Dashes on one line, in their order along it.
struct Row {
  std::vector<std::size_t> dashes;
  FoundLine found;
  double linked = 0;    // what speaks for it, and for its dashes to be of one line
  double evidence = 0;  // what speaks for its dashes
};

bool Has(const Row& row, std::size_t dash) {
  return std::ranges::find(row.dashes, dash) != row.dashes.end();
}

/// How far along a line a dash's middle lies, px from the line's point.
double Along(const StraightLine& line, const PaperDash& dash) {
  return (dash.x - line.x) * line.cosine + (dash.y - line.y) * line.sine;
}

/// How far from a line it lies.
double Across(const StraightLine& line, const PaperDash& dash) {
  return std::abs((dash.y - line.y) * line.cosine - (dash.x - line.x) * line.sine);
}

/// By how much a dash may be turned from its line, degrees.
double MostTurn(const PaperDash& dash, const DashRowParams& params) {
  return std::min(params.max_turn_deg + params.turn_deg_px / dash.length, 90.0);
}

/// Whether a dash runs as a line does, as far as it has a direction.
bool RunsAlong(const StraightLine& line, const PaperDash& dash, const DashRowParams& params) {
  const double turn = std::abs(line.cosine * dash.sine - line.sine * dash.cosine);
  return turn <= std::sin(MostTurn(dash, params) * std::numbers::pi / 180);
}

bool IsOn(const StraightLine& line, const PaperDash& dash, const DashRowParams& params) {
  return Across(line, dash) <= params.max_offset_px && RunsAlong(line, dash, params);
}

/// What a dash adds to its row's score, px.
double ScoreOf(const PaperDash& dash, const DashRowParams& params) {
  return std::min(dash.contrast / params.full_contrast_grey, 1.0) * dash.length;
}

/// How many dashes two rows have in common.
std::ptrdiff_t Shared(const Row& a, const Row& b) {
  return std::ranges::count_if(a.dashes, [&](std::size_t dash) { return Has(b, dash); });
}

class RowFinder {
 public:
  /// @param dashes  those that rows are made of; the direction of one is that of two of them
  RowFinder(const std::vector<PaperDash>& dashes, const DashRowParams& params)
      : dashes_(dashes), params_(params) {}

  /// All rows that a judge lets pass, the surest first; no two share more than one dash.
  /// @param judge   bool(Row&): may leave out dashes
  /// @param surety  double(const Row&)
  template <class Judge, class Surety>
  std::vector<Row> Find(Judge judge, Surety surety) const {
    std::vector<Row> all;
    for (std::size_t i = 0; i < dashes_.size(); ++i) {
      for (std::size_t j = i + 1; j < dashes_.size(); ++j) {
        auto row = Through(i, j);
        if (row && judge(*row)) all.push_back(*std::move(row));
      }
    }
    std::ranges::stable_sort(all, std::greater<>(), surety);
    std::vector<Row> kept;
    for (Row& row : all) {
      if (IsApart(row, kept)) kept.push_back(std::move(row));
    }
    return kept;
  }

  /// What is told of a row by its dashes.
  FoundLine Describe(const StraightLine& line, const std::vector<std::size_t>& dashes) const {
    FoundLine found{.line = line, .score = 0, .needed = 0, .bare = true};
    found.line.begin = RoundToInt(Begin(line, dashes.front()));
    found.line.end = RoundToInt(End(line, dashes.back()));
    for (const std::size_t i : dashes) found.score += ScoreOf(dashes_[i], params_);
    return found;
  }

  /// Whether a row's dashes cover enough of it.
  bool IsCovered(const Row& row) const {
    double covered = 0;
    for (const std::size_t i : row.dashes) covered += dashes_[i].length;
    const double share =
        row.dashes.size() == 2 ? params_.min_pair_cover_share : params_.min_cover_share;
    return covered >= share * row.found.line.length();
  }

 private:
  /// Whether a row shares no two dashes with others.
  static bool IsApart(const Row& row, const std::vector<Row>& others) {
    return std::ranges::all_of(others, [&](const Row& other) { return Shared(row, other) < 2; });
  }

  /// The row that two dashes are part of.
  std::optional<Row> Through(std::size_t first, std::size_t second) const {
    const PaperDash& from = dashes_[first];
    const double dx = dashes_[second].x - from.x, dy = dashes_[second].y - from.y;
    const double base = std::hypot(dx, dy);
    if (base < params_.min_base_px || base > params_.max_base_px) return std::nullopt;
    const StraightLine line{.x = from.x, .y = from.y, .cosine = dx / base, .sine = dy / base};
    if (!RunsAlong(line, from, params_) || !RunsAlong(line, dashes_[second], params_)) {
      return std::nullopt;
    }
    Row row{.dashes = Connected(line, first), .found = {}};
    if (!Has(row, second)) return std::nullopt;
    row.found = Describe(line, row.dashes);
    return row;
  }

  double Begin(const StraightLine& line, std::size_t dash) const {
    return Along(line, dashes_[dash]) - dashes_[dash].length / 2;
  }
  double End(const StraightLine& line, std::size_t dash) const {
    return Along(line, dashes_[dash]) + dashes_[dash].length / 2;
  }

  /// The dashes on a line that hang together with one of them.
  std::vector<std::size_t> Connected(const StraightLine& line, std::size_t with) const {
    std::vector<std::size_t> on;
    for (std::size_t i = 0; i < dashes_.size(); ++i) {
      if (IsOn(line, dashes_[i], params_)) on.push_back(i);
    }
    std::ranges::stable_sort(on, {}, [&](std::size_t i) { return Along(line, dashes_[i]); });
    const auto follows = [&](std::size_t one, std::size_t next) {
      return Begin(line, next) - End(line, one) <= params_.max_gap_px;
    };
    auto begin = std::ranges::find(on, with), end = begin + 1;
    while (begin != on.begin() && follows(*(begin - 1), *begin)) --begin;
    while (end != on.end() && follows(*(end - 1), *end)) ++end;
    return {begin, end};
  }

  const std::vector<PaperDash>& dashes_;
  const DashRowParams& params_;
};

std::vector<PaperDash> DashesOf(const Row& row, const std::vector<PaperDash>& all) {
  std::vector<PaperDash> own;
  own.reserve(row.dashes.size());
  for (const std::size_t i : row.dashes) own.push_back(all[i]);
  return own;
}

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
      if (IsRare(tip, dash)) score += ScoreOf(dash, params_);
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
      const double along = Along(tip, dash);
      if (along <= dash.length / 2 || along >= nearest ||
          Across(tip, dash) > params_.end_offset_px + along * std::tan(turn) ||
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
    const double along = Along(tip, dash);
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

/// How many dashes that speak for themselves lie beside a row, near its middle, and run as it does.
std::ptrdiff_t CountBeside(const StraightLine& row, const std::vector<PaperDash>& dashes,
                           const DashRowParams& params) {
  const cv::Point middle = row.At((row.begin + row.end) / 2);
  return std::ranges::count_if(dashes, [&](const PaperDash& dash) {
    return dash.evidence > 0 && Across(row, dash) > params.max_offset_px &&
           std::hypot(dash.x - middle.x, dash.y - middle.y) < params.shower_px &&
           RunsAlong(row, dash, params);
  });
}

/// Whether a row is one of many strokes that the print has side by side: rain, hatching.
bool IsOfShower(const Row& row, const std::vector<PaperDash>& dashes, const DashRowParams& params) {
  const auto own = static_cast<double>(row.dashes.size());
  return static_cast<double>(CountBeside(row.found.line, dashes, params)) >
         params.max_beside_share * own;
}

/// Rows by what speaks for them. One that is no line in the end takes those with it that share two
/// dashes with it.
std::vector<Row> FindEvidentRows(const std::vector<PaperDash>& dashes, const PaperDashes& paper,
                                 const DashRowParams& params) {
  const DashRowEvidence evidence(dashes, static_cast<double>(paper.bare.total()), params.evidence);
  const RowFinder finder(dashes, params);
  const auto judge = [&](Row& row) {
    const DashRowEvidence::Part part = evidence.BestPart(row.found.line, row.dashes);
    row.dashes = {row.dashes.begin() + static_cast<std::ptrdiff_t>(part.first),
                  row.dashes.begin() + static_cast<std::ptrdiff_t>(part.last) + 1};
    row.found = finder.Describe(row.found.line, row.dashes);
    row.linked = part.evidence;
    row.evidence = 0;
    for (const std::size_t i : row.dashes) row.evidence += dashes[i].evidence;
    return row.linked >= params.min_linked_evidence;
  };
  std::vector<Row> rows = finder.Find(judge, [](const Row& row) { return row.linked; });
  std::erase_if(rows, [&](const Row& row) {
    return row.evidence < params.min_evidence || IsOfShower(row, dashes, params) ||
           HasContour(row.found.line, DashesOf(row, dashes), paper.whiteness, params.print);
  });
  return rows;
}

/// Rows by the length of their dashes.
std::vector<Row> FindLongRows(const std::vector<PaperDash>& dashes, const DashRowParams& params) {
  const RowFinder finder(dashes, params);
  const auto judge = [&](const Row& row) {
    return finder.IsCovered(row) && row.found.score >= params.min_score_px;
  };
  return finder.Find(judge, [](const Row& row) { return row.found.score; });
}

/// Lines of rows, each with what it goes on with.
class RowLines {
 public:
  using Believe = std::function<bool(const FoundLine&)>;

  RowLines(const PaperDashes& paper, const DashRowParams& params, const Believe& believe)
      : ends_(paper, params), params_(params), believe_(believe) {}

  /// Adds a row that its evidence is enough for.
  void AddEvident(const Row& row) {
    Whole whole = WholeOf(row);
    whole.line.score = row.evidence;
    whole.line.needed = params_.min_evidence;
    Add(whole);
  }

  /// Adds a long row if it is believed.
  void AddLong(const Row& row) {
    const Whole whole = WholeOf(row);
    if (believe_(whole.line)) Add(whole);
  }

  std::vector<FoundLine> Take() && { return std::move(lines_); }

 private:
  struct Whole {
    FoundLine line;
    std::vector<FoundLine> stretches;
  };

  Whole WholeOf(const Row& row) const {
    Whole whole{.line = row.found, .stretches = {}};
    whole.line.needed = params_.min_score_px;
    for (const int sign : {-1, 1}) {
      whole.line.score += ends_.GoOn(row.found, sign, whole.stretches);
    }
    return whole;
  }

  void Add(const Whole& whole) {
    lines_.push_back(whole.line);
    for (FoundLine stretch : whole.stretches) {
      stretch.score = whole.line.score;
      stretch.needed = whole.line.needed;
      lines_.push_back(stretch);
    }
  }

  EndFinder ends_;
  const DashRowParams& params_;
  const Believe& believe_;
  std::vector<FoundLine> lines_;
};

}  // namespace

std::vector<FoundLine> FindDashRows(const PaperDashes& paper, const DashRowParams& params,
                                    const std::function<bool(const FoundLine&)>& believe) {
  const auto most = [&](std::vector<PaperDash> dashes, double PaperDash::*of) {
    std::ranges::stable_sort(dashes, std::greater<>(), of);
    dashes.resize(std::min(dashes.size(), static_cast<std::size_t>(params.max_dashes)));
    return dashes;
  };
  RowLines lines(paper, params, believe);
  for (const Row& row :
       FindEvidentRows(most(paper.candidates, &PaperDash::evidence), paper, params)) {
    lines.AddEvident(row);
  }
  for (const Row& row : FindLongRows(most(paper.dashes, &PaperDash::length), params))
    lines.AddLong(row);
  return std::move(lines).Take();
}

double DashScoreOn(const StraightLine& line, const std::vector<PaperDash>& dashes,
                   const DashRowParams& params) {
  double score = 0;
  for (const PaperDash& dash : dashes) {
    const double along = Along(line, dash);
    if (along < line.begin || along > line.end || !IsOn(line, dash, params)) continue;
    score += ScoreOf(dash, params);
  }
  return score;
}

std::optional<StraightLine> StretchToDash(const StraightLine& tip, const PaperDashes& paper,
                                          const DashRowParams& params) {
  return EndFinder(paper, params).SureStretch(tip);
}

}  // namespace glint::photometric
