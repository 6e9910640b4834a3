// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <opencv2/core.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "analyse/photometric/lost_ink/dash_ends.h"
#include "analyse/photometric/lost_ink/dash_on_line.h"
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
    for (const std::size_t i : dashes) found.score += DashScore(dashes_[i], params_);
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
    return DashAlong(line, dashes_[dash]) - dashes_[dash].length / 2;
  }
  double End(const StraightLine& line, std::size_t dash) const {
    return DashAlong(line, dashes_[dash]) + dashes_[dash].length / 2;
  }

  /// The dashes on a line that hang together with one of them.
  std::vector<std::size_t> Connected(const StraightLine& line, std::size_t with) const {
    std::vector<std::size_t> on;
    for (std::size_t i = 0; i < dashes_.size(); ++i) {
      if (IsOnLine(line, dashes_[i], params_)) on.push_back(i);
    }
    std::ranges::stable_sort(on, {}, [&](std::size_t i) { return DashAlong(line, dashes_[i]); });
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

/// How many dashes that speak for themselves lie beside a row, near its middle, and run as it does.
std::ptrdiff_t CountBeside(const StraightLine& row, const std::vector<PaperDash>& dashes,
                           const DashRowParams& params) {
  const cv::Point middle = row.At((row.begin + row.end) / 2);
  return std::ranges::count_if(dashes, [&](const PaperDash& dash) {
    return dash.evidence > 0 && DashAcross(row, dash) > params.max_offset_px &&
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
      : paper_(paper), params_(params), believe_(believe) {}

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
      whole.line.score += GoOnWithDashes(row.found, sign, paper_, params_, whole.stretches);
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

  const PaperDashes& paper_;
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

}  // namespace glint::photometric
