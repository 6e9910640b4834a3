// SPDX-License-Identifier: Apache-2.0
// How surely dashes that lie in a row are one line whose ink is lost.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lost_ink/paper_dashes.h"
#include "base/params.h"

namespace glint::photometric {

/// What speaks for a row. Evidence is the natural logarithm of a ratio: how often lost ink looks
/// so, over how often print does. That of one dash is DashEvidence.
struct DashRowEvidenceParams {
  /// for one dash at most: no single one makes a row
  GLINT_PARAM(double, max_dash_evidence, 0, 20) = 4;
  /// for one at least
  GLINT_PARAM(double, min_dash_evidence, -20, 0) = -9;

  /// from one dash of a line to the next, on average; fewer the longer
  GLINT_PARAM(double, mean_gap_px, 1, 200) = 15;
  /// of a dash's middle from the row of the one before it, one standard deviation
  GLINT_PARAM(double, offset_px, 0.1, 20) = 0.8;
  /// of a dash from the row's direction, one standard deviation ...
  GLINT_PARAM(double, turn_deg, 0.1, 45) = 3.5;
  /// ... and so much more over its length
  GLINT_PARAM(double, turn_deg_px, 0, 1000) = 45;

  /// of a row of two dashes: these lie on a line by chance most easily
  GLINT_PARAM(double, pair_cost, 0, 20) = 3.5;
  /// around a dash, where others are counted: what is many there lies in a row by chance
  GLINT_PARAM(double, around_px, 1, 1000) = 60;
  /// of them, that may be of its own row
  GLINT_PARAM(int, own_dashes, 0, 100) = 2;
  /// of those counted once more, the difference in direction: hatching is many alike
  GLINT_PARAM(double, alike_deg, 1, 90) = 20;
};

/// The weight of evidence (I. J. Good, Probability and the Weighing of Evidence, 1950) of rows
/// among the dashes of one object, the sum of log likelihood ratios: of each dash that it is lost
/// ink, of its direction and place that it belongs to the row, over the dashes that lie there by
/// chance (as many as around it, of any direction or of its own). The same from either end.
class DashRowEvidence {
 public:
  /// @param dashes  all of them: indices are of these
  /// @param area    of the object, px^2
  DashRowEvidence(std::span<const PaperDash> dashes, double area,
                  const DashRowEvidenceParams& params);

  /// A part of a row.
  struct Part {
    double evidence = 0;
    std::size_t first = 0, last = 0;  ///< both are of it; indices into the row
  };

  /// The part of a row that most speaks for.
  /// @param row     the direction
  /// @param dashes  in their order along it, two at least
  Part BestPart(const StraightLine& row, std::span<const std::size_t> dashes) const;

 private:
  double OfTurn(const StraightLine& row, const PaperDash& dash) const;
  double OfLink(const StraightLine& row, std::size_t from, std::size_t to) const;

  std::span<const PaperDash> dashes_;
  const DashRowEvidenceParams& params_;
  std::vector<double> own_;      // evidence of each dash
  std::vector<double> density_;  // of dashes around it, per px^2 and radian
};

}  // namespace glint::photometric
