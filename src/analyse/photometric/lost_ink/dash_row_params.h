// SPDX-License-Identifier: Apache-2.0
// Which dashes of bare paper are one line, and what a line goes on with.
#pragma once

#include "analyse/photometric/lost_ink/dash_row_evidence.h"
#include "analyse/photometric/lost_ink/dash_row_print.h"
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

}  // namespace glint::photometric
