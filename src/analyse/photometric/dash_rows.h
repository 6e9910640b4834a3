// SPDX-License-Identifier: Apache-2.0
// Rows of dashes: what a crease or a scratch leaves where it breaks the ink here and there.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analyse/photometric/dash_row_evidence.h"
#include "analyse/photometric/dash_row_print.h"
#include "analyse/photometric/found_lines.h"
#include "analyse/photometric/paper_dashes.h"
#include "base/params.h"

namespace glint::photometric {

/// Which dashes are one line. Object pixels.
struct DashRowParams {
  /// between the middles of the two that give a row its direction
  GLINT_PARAM(double, min_base_px, 1, 500) = 8;
  /// between them, too
  GLINT_PARAM(double, max_base_px, 1, 1000) = 120;
  /// between two that follow each other
  GLINT_PARAM(double, max_gap_px, 0, 500) = 45;
  /// of a middle from the row
  GLINT_PARAM(double, max_offset_px, 0, 20) = 2;
  /// of a dash from the row's direction, and so much more over its length: a short one hardly has
  /// a direction
  GLINT_PARAM(double, max_turn_deg, 0, 90) = 14;
  /// that, times px
  GLINT_PARAM(double, turn_deg_px, 0, 1000) = 60;
  /// of a row, that its dashes cover
  GLINT_PARAM(double, min_cover_share, 0, 1) = 0.12;
  /// of one of two dashes
  GLINT_PARAM(double, min_pair_cover_share, 0, 1) = 0.5;
  /// from which on a dash counts with its whole length
  GLINT_PARAM(double, full_contrast_grey, 1, 255) = 80;
  /// of all dashes, each by its contrast
  GLINT_PARAM(double, min_score_px, 0, 1000) = 22;
  /// how surely dashes are one line
  GLINT_PARAM(DashRowEvidenceParams, evidence);
  /// of a row, its dashes and that they are of one line
  GLINT_PARAM(double, min_linked_evidence, -100, 100) = 8;
  /// of its dashes alone, each without a limit
  GLINT_PARAM(double, min_evidence, -100, 100) = 10;
  /// where print runs along it
  GLINT_PARAM(DashRowPrintParams, print);
  /// beyond a row's ends: of a dash from where the row points, and so much more on the way to it
  GLINT_PARAM(double, end_offset_px, 0, 20) = 2;
  /// by which that may be turned
  GLINT_PARAM(double, end_turn_deg, 0, 45) = 7;
  /// to that dash at most, paper without ink included
  GLINT_PARAM(double, max_end_gap_px, 0, 1000) = 160;
  /// of ink, on the way to a dash where dashes are rare
  GLINT_PARAM(double, max_rare_gap_px, 0, 1000) = 100;
  /// dashes that would go on with a row's end if all lay anywhere: where they are fewer they are
  /// rare
  GLINT_PARAM(double, max_by_chance, 0, 10) = 0.02;
  /// of a row that needs no light, around its middle: where strokes beside it are counted
  GLINT_PARAM(double, shower_px, 1, 1000) = 60;
  /// of its own dashes: as many may lie there that run as it does
  GLINT_PARAM(double, max_beside_share, 0, 100) = 1.5;
  /// candidates by their evidence, plain ones by their length; more are a pattern of the print
  GLINT_PARAM(int, max_dashes, 2, 10000) = 1000;
};

/// Finds straight rows of dashes: first those of any dashes whose evidence is enough (their
/// score is that of their dashes); then those of plain dashes that are long, each dash weighed
/// by its contrast, if they are believed (their score is that length): two of the print that happen
/// to lie on one line are short or faint. A row goes on beyond its ends with what it points at,
/// over paper on which there is no ink to lose, and round a slight bend; the dashes there count for
/// the length, too, where they hardly lie there by chance: the number of false alarms of an
/// a-contrario test (Desolneux, Moisan, Morel: Meaningful Alignments, International Journal of
/// Computer Vision 2000).
/// @param believe  whether a long row is one
/// @return what each goes on with right behind it; no two of a kind share more than one dash
std::vector<FoundLine> FindDashRows(
    const PaperDashes& paper, const DashRowParams& params,
    const std::function<bool(const FoundLine&)>& believe = [](const FoundLine&) { return true; });

/// The score of the dashes that lie on a line, as that of a row.
double DashScoreOn(const StraightLine& line, const std::vector<PaperDash>& dashes,
                   const DashRowParams& params);

/// What a line goes on with that was found by other means: the stretch from its end to that of the
/// nearest dash before it, if hardly a dash would lie there by chance.
/// @param tip  where it ends, and where it points; its own length does not matter
/// @return from 0 on; nothing where there is no such dash
std::optional<StraightLine> StretchToDash(const StraightLine& tip, const PaperDashes& paper,
                                          const DashRowParams& params);

}  // namespace glint::photometric
