// SPDX-License-Identifier: Apache-2.0
// Dashes of bare paper on lines that the light shows, too.
#pragma once

#include <array>
#include <vector>

#include "analyse/photometric/evidence/line_response.h"
#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lines/line_paths.h"
#include "analyse/photometric/lines/print_along.h"
#include "analyse/photometric/lost_ink/paper_dashes.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Where a straight line is looked for, and what it is compared with. Object pixels.
struct LineProbeParams {
  /// from the object's sides, where a line ends
  GLINT_PARAM(int, rim_px, 0, 100) = 5;
  /// to either side, where it may lie
  GLINT_PARAM(int, max_shift_px, 0, 20) = 2;
  /// to either side, where the parallels lie that it is compared with
  GLINT_PARAM(int, beside_px, 20, 200) = 40;
};

/// Which dashes are part of a line. Object pixels.
struct LitDashParams {
  using Lengths = std::array<int, 2>;

  /// of a dash, weighed by its contrast: a shorter one has no direction
  GLINT_PARAM(double, min_length_px, 1, 500) = 12;
  /// from which on it counts with its whole length
  GLINT_PARAM(double, full_contrast_grey, 1, 255) = 80;
  /// to either side of what is known, where a dash is part of that
  GLINT_PARAM(int, known_px, 0, 100) = 6;
  /// the longest; more are a pattern of the print
  GLINT_PARAM(int, max_dashes, 1, 10000) = 200;
  /// to either side of its ends, where the line through it has to show
  GLINT_PARAM(Lengths, ahead_px, 4, 500) = {40, 60};
  /// how that line is looked for
  GLINT_PARAM(LineProbeParams, probe);
  /// of it, LineResponse
  GLINT_PARAM(double, min_score, 0, 100) = 2.3;
  /// of either half of what lies ahead at one end, to be part of it
  GLINT_PARAM(double, min_ahead_score, 0, 100) = 1.8;
  /// where print runs with it
  GLINT_PARAM(PrintAlongParams, print);
  /// of it, that lies near a surer one at most
  GLINT_PARAM(double, max_known_share, 0, 1) = 0.3;
};

/// Finds dashes whose straight continuation answers to the light. A printed stroke looks like a
/// dash of paper, and print moves like a faint line, but a stroke does not lie on one: two signs in
/// one place, each of which is too weak alone.
/// @param dashes    PaperDashes::dashes
/// @param known     lines that were found by other means, which go on by themselves
/// @param response  of the views
/// @param albedo    kS16 on the host, 1/64 grey
/// @return each dash with what is ahead of it, the surest first
std::vector<FoundLine> FindLitDashes(const std::vector<PaperDash>& dashes, const Lines& known,
                                     const LineResponse& response, const Plane& albedo,
                                     const LitDashParams& params, ThreadPool& pool);

/// Which rows of dashes the light shows. Object pixels.
struct LitRowParams {
  /// beyond a row's ends
  GLINT_PARAM(int, ahead_px, 0, 500) = 20;
  /// how the row's line is looked for
  GLINT_PARAM(LineProbeParams, probe);
  /// of that line, LineResponse
  GLINT_PARAM(double, min_score, 0, 100) = 1.2;
  /// where print runs with it
  GLINT_PARAM(PrintAlongParams, print);
};

/// Whether the line of a row of dashes answers to the light, by more than print along it may.
/// Lights on a printed blade are dashes in a row.
/// @param row     FindDashRows
/// @param albedo  kS16 on the host, 1/64 grey
bool IsLit(const StraightLine& row, const LineResponse& response, const Plane& albedo,
           const LitRowParams& params);

}  // namespace glint::photometric
