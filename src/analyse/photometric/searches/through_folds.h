// SPDX-License-Identifier: Apache-2.0
// Folds that run through the whole object, from one side to the other.
#pragma once

#include <span>
#include <vector>

#include "analyse/photometric/evidence/line_response.h"
#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lines/print_beside.h"
#include "analyse/photometric/searches/margin_steps.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What of a piece lies away from the contours of the print, which are never registered perfectly.
struct PlainPieceParams {
  /// of the albedo per px: more is a contour
  GLINT_PARAM(int, max_gradient_grey, 0, 255) = 6;
  /// around one
  GLINT_PARAM(int, near_px, 0, 20) = 2;
  /// of a piece, that lies away from them, where it is asked
  GLINT_PARAM(double, min_share, 0.01, 1) = 0.25;
  /// of those pieces, on average, LineResponse: a fold shows there, too
  GLINT_PARAM(double, min_score, 0, 100) = 1.5;
};

/// Of a fold that runs along lines whose ink is gone.
struct BareFoldParams {
  /// to either side of such a line
  GLINT_PARAM(int, near_px, 0, 20) = 4;
  /// of a fold, that lie so near: it needs less of the light
  GLINT_PARAM(int, min_px, 1, 1000) = 60;
  /// of its pieces, on average
  GLINT_PARAM(double, min_score, 0, 100) = 1.7;
  /// of them, that show it
  GLINT_PARAM(double, min_shown_share, 0, 1) = 0.5;
  /// added for where a fold runs, by the share of a piece that lies so near
  GLINT_PARAM(double, place_score, 0, 100) = 2;
  /// of its pieces, on average, where both margins show it as well: any fold has that by chance,
  /// but no print has steps and such a line between them
  GLINT_PARAM(double, min_margin_score, 0, 100) = 1;
};

/// What is a fold through the object. It is looked for piece by piece. Object pixels.
struct ThroughFoldParams {
  /// of a piece, or nearly: as many of one length as fit
  GLINT_PARAM(int, piece_px, 20, 500) = 80;
  /// of them: in a smaller object a fold is no longer than another line
  GLINT_PARAM(int, min_pieces, 1, 100) = 4;
  /// from the object's sides, where the first piece begins
  GLINT_PARAM(int, rim_px, 0, 100) = 6;
  /// across, over a piece: the turn from straight through the object
  GLINT_PARAM(int, max_slope_px, 0, 100) = 8;
  /// from one slope that is tried to the next
  GLINT_PARAM(int, slope_step_px, 1, 50) = 2;
  /// from the slope of one piece to that of the next: paper bends a little
  GLINT_PARAM(int, max_bend_px, 0, 50) = 2;
  /// across, from the end of one piece to where the next begins
  GLINT_PARAM(int, max_step_px, 0, 20) = 1;
  /// to either side: the lines that a piece is compared with
  GLINT_PARAM(int, beside_px, 10, 1000) = 80;
  /// of a piece, LineResponse: no more of it counts for where a fold runs
  GLINT_PARAM(double, max_place_score, 1, 100) = 4;
  /// and no more of it for whether it is one, or a few strong pieces would be
  GLINT_PARAM(double, max_piece_score, 1, 100) = 2.4;
  /// of the pieces, on average
  GLINT_PARAM(double, min_score, 0, 100) = 2.2;
  /// of one that nearly all of them show
  GLINT_PARAM(double, min_even_score, 0, 100) = 2;
  /// of a piece that shows the fold
  GLINT_PARAM(double, min_shown_score, 0, 100) = 1.6;
  /// of the pieces, that do
  GLINT_PARAM(double, min_shown_share, 0, 1) = 0.7;
  /// of them, that are nearly all
  GLINT_PARAM(double, min_even_share, 0, 1) = 0.9;
  /// whether print runs along a piece
  GLINT_PARAM(PrintBesideParams, print);
  /// of a piece along which it does: no more counts
  GLINT_PARAM(double, max_print_score, 0, 100) = 1;
  /// what of a fold is plain, beside no print
  GLINT_PARAM(PlainPieceParams, plain);
  /// what a fold needs that broke the ink
  GLINT_PARAM(BareFoldParams, bare);
  /// across, to either side: both flanks of a fold answer, and it is in the middle, where a place
  /// counts as the mean of those within this
  GLINT_PARAM(int, flank_px, 0, 50) = 3;
  /// across, from the sides that a fold runs along
  GLINT_PARAM(int, side_px, 0, 1000) = 30;
  /// across, between folds: of nearer ones the stronger counts
  GLINT_PARAM(int, apart_px, 1, 1000) = 12;
  /// of the margins, at which a fold begins and ends
  GLINT_PARAM(MarginStepParams, margins);
  /// of the steps of a fold at both of its ends, on average
  GLINT_PARAM(double, min_margins_grey, 0, 255) = 2.8;
  /// of the pieces of such a fold, on average, whatever print runs along them
  GLINT_PARAM(double, min_margin_score, 0, 100) = 1.6;
};

/// Finds folds through the object, be they too faint for every part of it to be found alone: of all
/// lines from one side to the other that hardly bend, those that answer to the light most, by
/// dynamic programming over their pieces (Barrow and Tenenbaum, Artificial Intelligence 1981; the
/// energy of each is a matched filter's, LineResponse).
/// @param response  of the views
/// @param albedo    kS16 on the host, 1/64 grey
/// @param lost_ink  lines whose ink is gone: a fold that runs along them needs less of the light
/// @return the pieces of each, one after the other, the surest fold first
std::vector<FoundLine> FindThroughFolds(const LineResponse& response, const Plane& albedo,
                                        std::span<const FoundLine> lost_ink,
                                        const ThroughFoldParams& params, ThreadPool& pool);

}  // namespace glint::photometric
