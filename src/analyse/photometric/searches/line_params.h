// SPDX-License-Identifier: Apache-2.0
// Every number that decides which lines that answer to the light are found.
#pragma once

#include "analyse/photometric/evidence/line_response.h"
#include "analyse/photometric/evidence/surround_normalisation.h"
#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lines/line_paths.h"
#include "analyse/photometric/lost_ink/broken_ink.h"
#include "analyse/photometric/lost_ink/corner_streaks.h"
#include "analyse/photometric/lost_ink/dash_row_params.h"
#include "analyse/photometric/lost_ink/lit_dashes.h"
#include "analyse/photometric/lost_ink/lost_ink.h"
#include "analyse/photometric/lost_ink/paper_dashes.h"
#include "analyse/photometric/lost_ink/white_strokes.h"
#include "analyse/photometric/print/print_contours.h"
#include "analyse/photometric/searches/contour_shift.h"
#include "analyse/photometric/searches/corner_creases.h"
#include "analyse/photometric/searches/dull_lines.h"
#include "analyse/photometric/searches/faint_paths.h"
#include "analyse/photometric/searches/line_bridges.h"
#include "analyse/photometric/searches/line_extension.h"
#include "analyse/photometric/searches/line_segments.h"
#include "analyse/photometric/searches/long_lines.h"
#include "analyse/photometric/searches/rim_ticks.h"
#include "analyse/photometric/searches/side_lines.h"
#include "analyse/photometric/searches/stroke_lines.h"
#include "analyse/photometric/searches/through_folds.h"
#include "analyse/photometric/searches/veiled_print.h"
#include "base/params.h"

namespace glint::photometric {

struct LineParams {
  /// what evidence is compared with
  GLINT_PARAM(SurroundParams, surround);
  /// evidence of a path's ridge pixels, in units of the surroundings'
  GLINT_PARAM(double, weak_energy, 0, 1000) = 1.65;
  /// what counts as the print's own
  GLINT_PARAM(PrintContourParams, print);
  GLINT_PARAM(PathParams, paths) = {.min_peak_levels = 0,
                                    .min_length_px = 10,
                                    .min_score = 6.5,
                                    .min_rim_score = 11.7,
                                    .min_touch_score = 5.2,
                                    .lone_share = 0.94,
                                    .follow_rounds = 2,
                                    .min_end_share = 0.5,
                                    .end_reach_px = 12};
  GLINT_PARAM(LongLineParams, long_lines);
  /// which paths are print after all
  GLINT_PARAM(VeiledPrintParams, veiled_print);
  /// which lines show by the ink that they lost
  GLINT_PARAM(BrokenInkParams, broken_ink);
  /// what is bare paper amid print, and which of it is a line
  GLINT_PARAM(PaperDashParams, paper_dashes);
  GLINT_PARAM(DashRowParams, dash_rows);
  /// which of both are white strokes of the print
  GLINT_PARAM(WhiteStrokeParams, white_strokes);
  /// which lines across a corner are plain without any light
  GLINT_PARAM(CornerStreakParams, corner_streaks);
  /// how straight lines answer to the light beside their parallels
  GLINT_PARAM(LineResponseParams, response);
  /// which paths need that, too
  GLINT_PARAM(FaintPathParams, faint_paths);
  /// which lines are the object's own edge
  GLINT_PARAM(SideLineParams, side_lines);
  /// which lines that the light shows are white strokes of the print
  GLINT_PARAM(StrokeLineParams, stroke_lines);
  /// which short lines at the rim are ticks
  GLINT_PARAM(RimTickParams, rim_ticks);
  GLINT_PARAM(CornerCreaseParams, corner_creases);
  /// which lines through the whole object are folds
  GLINT_PARAM(ThroughFoldParams, through_folds);
  /// which rows of dashes the light shows
  GLINT_PARAM(LitRowParams, lit_rows);
  /// which single dashes of paper are part of a line
  GLINT_PARAM(LitDashParams, lit_dashes);
  /// which dark strokes of the artwork are lines, as they do not shine
  GLINT_PARAM(DullLineParams, dull_lines);
  /// which long straight segments are lines
  GLINT_PARAM(LineSegmentParams, segments);
  /// what of all of them is new
  GLINT_PARAM(AddedLineParams, added_lines);
  /// how far lines are followed beyond their ends
  GLINT_PARAM(LineExtensionParams, extension);
  /// which lines are contours of the print, shifted in some views
  GLINT_PARAM(ContourShiftParams, contour_shift);
  GLINT_PARAM(LostInkParams, lost_ink);
  /// which lines are one, with a gap between them
  GLINT_PARAM(LineBridgeParams, bridges);
};

}  // namespace glint::photometric
