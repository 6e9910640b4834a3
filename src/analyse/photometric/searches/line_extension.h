// SPDX-License-Identifier: Apache-2.0
// Lines followed on beyond their ends, where their evidence is too faint to begin with.
#pragma once

#include <array>
#include <opencv2/core.hpp>

#include "analyse/photometric/evidence/line_response.h"
#include "analyse/photometric/lines/line_paths.h"
#include "analyse/photometric/lines/line_signature.h"
#include "analyse/photometric/lines/print_along.h"
#include "analyse/photometric/lost_ink/dash_row_params.h"
#include "analyse/photometric/lost_ink/paper_dashes.h"
#include "analyse/photometric/lost_ink/paper_dots.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// How far lines are followed. Object pixels.
struct LineExtensionParams {
  using Lengths = std::array<int, 2>;

  /// of what is added at a time
  GLINT_PARAM(Lengths, lengths_px, 4, 200) = {24, 40};
  /// of a line's end, whose direction it goes on in
  GLINT_PARAM(int, end_px, 4, 200) = 28;
  /// of a line, that has to have so much of a direction
  GLINT_PARAM(int, min_length_px, 4, 1000) = 24;
  /// to either side of that direction
  GLINT_PARAM(int, max_turn_deg, 0, 45) = 9;
  /// from one direction that is tried to the next
  GLINT_PARAM(int, turn_step_deg, 1, 45) = 3;
  /// to either side of the end, where it may go on
  GLINT_PARAM(int, max_shift_px, 0, 20) = 2;
  /// to either side, where the parallels lie that it is compared with
  GLINT_PARAM(int, beside_px, 20, 200) = 40;
  /// of what is added, LineResponse
  GLINT_PARAM(double, min_score, 0, 100) = 2;
  /// of what is added at a time to a long line, where the light shows too little of it for that
  GLINT_PARAM(Lengths, far_lengths_px, 10, 1000) = {80, 160};
  /// of a line so far, that is added so at most: its direction has to be known
  GLINT_PARAM(double, max_far_share, 0, 10) = 0.5;
  /// to either side of the direction of twice as much of it, in steps of a degree
  GLINT_PARAM(int, max_far_turn_deg, 0, 45) = 2;
  /// of what is added so
  GLINT_PARAM(double, min_far_score, 0, 100) = 2;
  /// of its half that lies farther off
  GLINT_PARAM(double, min_far_half_score, 0, 100) = 1.8;
  /// of what is added where the light shows too little of it, but as the line before it shows: the
  /// longest is asked first
  GLINT_PARAM(Lengths, like_lengths_px, 4, 200) = {40, 24};
  /// of a line's end that tells how it shows
  GLINT_PARAM(int, like_end_px, 4, 200) = 48;
  /// to either side of its direction, in steps of turn_step_deg
  GLINT_PARAM(int, max_like_turn_deg, 0, 45) = 3;
  /// of what is added so, SignatureScores
  GLINT_PARAM(double, min_like_score, 0, 100) = 2.6;
  /// where print runs with it, which may cost no more: a contour of print shows in one way all
  /// along, too
  GLINT_PARAM(double, max_like_print_cost, 1, 100) = 1.5;
  /// how the line before it shows
  GLINT_PARAM(SignatureParams, signature);
  /// SignatureScores of the line's end itself: what shows little tells little of how it shows
  GLINT_PARAM(double, min_like_end_score, 0, 100) = 5;
  /// SignatureResponse of what is added so, of that of the line's end: a line goes on about as
  /// bright as it was, what is as sure and much fainter is the mottle of a calm place
  GLINT_PARAM(double, min_like_share, 0, 1) = 0.14;
  /// of it at most, that runs beside what is known already: that is another line's answer
  GLINT_PARAM(double, max_known_share, 0, 1) = 0.2;
  /// to either side of what is known
  GLINT_PARAM(int, known_px, 0, 20) = 3;
  /// where print runs with it
  GLINT_PARAM(PrintAlongParams, print);
  /// of a line with faint ends
  GLINT_PARAM(int, min_faint_length_px, 4, 1000) = 40;
  /// of the first step of a faint end, whether print runs with it or not
  GLINT_PARAM(double, min_faint_score, 0, 100) = 1.65;
  /// more for every degree that it is turned
  GLINT_PARAM(double, faint_turn_score, 0, 10) = 0.05;
  /// of a line so far: the way to a dash of paper that it goes on with is no longer
  GLINT_PARAM(double, max_dash_share, 0, 10) = 1;
  /// of dots of paper that it goes on with
  GLINT_PARAM(DotRowParams, dots);
  /// times that something is added at an end, by each of both functions below
  GLINT_PARAM(int, max_steps, 0, 100) = 12;
};

/// What lines are followed by.
struct LineGuides {
  const LineResponse& response;  ///< of the views
  Plane albedo;                  ///< kS16 on the host, 1/64 grey
  const PaperDashes& paper;      ///< where their ink is gone
  const DashRowParams& dash_rows;
};

/// Follows each line from both of its ends as long as its straight continuation answers to the
/// light more than its parallels do, or a dash of paper lies before it. Few places are tried, so
/// much less is asked of them than of a line that could be anywhere (F. O'Gorman and M. B. Clowes,
/// IEEE Trans. Computers 1976: a line's own direction says where to look for more of it).
/// @param lines  their `ids` are extended, and `extensions` say where; `mask` is set where it goes
///               on to dashes, whatever the light shows there; the paths say what they were
Lines ExtendLines(Lines lines, const LineGuides& guides, const LineExtensionParams& params,
                  ThreadPool& pool);

/// Goes on with each line that is one beyond where ExtendLines ended: one step that answers a
/// little less, and what follows it. Of 289 ends of lines on labelled scans 45 answer so; 40 of
/// these lines go on there, and print that runs along tells nothing of whether they do.
/// @param lines    those that ExtendLines followed, without what turned out to be print
/// @param dropped  CV_8U, of the object's size: not 0 where that was, which no step follows
Lines ExtendFaintEnds(Lines lines, const cv::Mat& dropped, const LineGuides& guides,
                      const LineExtensionParams& params, ThreadPool& pool);

}  // namespace glint::photometric
