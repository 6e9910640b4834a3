// SPDX-License-Identifier: Apache-2.0
// Long straight segments anywhere on the object, each part of which answers to the light a little.
#pragma once

#include <vector>

#include "analyse/photometric/evidence/line_response.h"
#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lines/line_paths.h"
#include "analyse/photometric/lines/print_along.h"
#include "analyse/photometric/lines/print_border.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Which straight segments are lines. Object pixels.
struct LineSegmentParams {
  /// of a piece, or up to 3 less: a segment is some of them, one after the other
  GLINT_PARAM(int, piece_px, 8, 200) = 40;
  /// of a segment, but for min_short_score
  GLINT_PARAM(int, min_pieces, 2, 100) = 3;
  /// the same at most: longer ones bend
  GLINT_PARAM(int, max_pieces, 2, 100) = 6;
  /// to either side: the lines that a piece is compared with
  GLINT_PARAM(int, beside_px, 10, 1000) = 40;
  /// across, to either side of a segment, where its pieces may lie
  GLINT_PARAM(int, bend_px, 0, 20) = 2;
  /// of every piece, LineResponse: fainter ones are not looked at
  GLINT_PARAM(double, min_piece_score, 0, 100) = 1.3;
  /// of every piece of a segment that has fewer, of two at least: a short scratch that glints in a
  /// few views only
  GLINT_PARAM(double, min_short_score, 0, 100) = 1.7;
  /// of the pieces' mean, times the fourth root of the segment's length in px
  GLINT_PARAM(double, min_score, 0, 100) = 6;
  /// of a piece where segments that share pieces are compared: the longer one is wanted, though one
  /// of its pieces be the strongest ...
  GLINT_PARAM(double, full_piece_score, 0, 100) = 3;
  /// ... of what it has above that, which counts: of two as long, the one that runs along the line
  GLINT_PARAM(double, excess_share, 0, 1) = 0.1;
  /// from a thin segment to what lies beside it and is taken off: the mottle of a coat, which is
  /// wider. Segments are looked for both with that and without it; 0: only without it
  GLINT_PARAM(int, thin_px, 0, 20) = 3;
  /// where print runs with it ...
  GLINT_PARAM(PrintAlongParams, print_along);
  /// ... and what that may cost
  GLINT_PARAM(double, max_print_cost, 1, 100) = 1.1;
  /// or a border of it, whose codec's smear answers, too
  GLINT_PARAM(PrintBorderParams, border);
  /// across, to either side of a segment, where parts of it may lie that are asked again
  GLINT_PARAM(int, part_bend_px, 0, 20) = 3;
  /// of each half of its pieces: what print answers with comes and goes along it
  GLINT_PARAM(double, min_half_score, 0, 100) = 1.55;
  /// of halves, one after the other, that have it, or all of a segment of two pieces: a scratch
  /// seldom ends where a piece does
  GLINT_PARAM(int, min_halves, 2, 200) = 5;
  /// of all of it at once: pieces that answer in other views, or with another sign, are less
  GLINT_PARAM(double, min_whole_score, 0, 100) = 2.7;
  /// the same of a segment of two pieces
  GLINT_PARAM(double, min_short_whole_score, 0, 100) = 3;
  /// the same of one that runs square with the object, as rows of letters and ruled lines do
  GLINT_PARAM(double, min_square_whole_score, 0, 100) = 3.5;
  /// from either axis of the object: less is square
  GLINT_PARAM(double, square_degrees, 0, 45) = 1;
  /// of the better piece's score, of two pieces at once: what one of them answers with alone, as
  /// letters do, is less together
  GLINT_PARAM(double, min_short_share, 0, 10) = 0.9;
  /// from the object's sides that it runs along
  GLINT_PARAM(int, side_px, 0, 1000) = 14;
  /// to either side of what is known
  GLINT_PARAM(int, known_px, 0, 100) = 12;
  /// of a segment, that lies there at most: the light that a strong line throws aside
  GLINT_PARAM(double, max_known_share, 0, 1) = 0.3;
};

/// Finds long segments that are too faint for a part of them to be a line, by a matched filter of
/// one length at every place and in every direction (LineResponse, on 2 x 2 pixels at a time, so
/// that its flanks are twice as far): what follows upon one another in one line over and over is
/// none by chance. A mean grows surer with its length as in A. Desolneux, L. Moisan, J.-M. Morel,
/// "Meaningful Alignments", IJCV 2000. A mean says nothing of where a segment answers, and nothing
/// of whether its pieces do so together: each is asked for both.
/// @param response  of the views
/// @param albedo    kS16 on the host, 1/64 grey
/// @param known     lines that were found by other means
/// @return those that answer as they are, then those that do so beside their flanks only, which are
///         less sure of their direction; the surest first of each
std::vector<FoundLine> FindLineSegments(const LineResponse& response, const Plane& albedo,
                                        const Lines& known, const LineSegmentParams& params,
                                        ThreadPool& pool);

}  // namespace glint::photometric
