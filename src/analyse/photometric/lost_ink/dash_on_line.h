// SPDX-License-Identifier: Apache-2.0
// Where dashes lie on a line, and what they count there. Object pixels.
#pragma once

#include <vector>

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lost_ink/dash_row_params.h"
#include "analyse/photometric/lost_ink/paper_dashes.h"

namespace glint::photometric {

/// How far along a line a dash's middle lies, from the line's own point on.
double DashAlong(const StraightLine& line, const PaperDash& dash);

/// How far from a line it lies.
double DashAcross(const StraightLine& line, const PaperDash& dash);

/// By how much a dash may be turned from its line, degrees: a short one hardly has a direction.
double MostTurn(const PaperDash& dash, const DashRowParams& params);

/// Whether a dash runs as a line does, as far as it has a direction.
bool RunsAlong(const StraightLine& line, const PaperDash& dash, const DashRowParams& params);

/// Whether a dash lies on a line, which goes on without end, and runs as it does.
bool IsOnLine(const StraightLine& line, const PaperDash& dash, const DashRowParams& params);

/// What a dash counts for its row: its length, less where it is faint.
double DashScore(const PaperDash& dash, const DashRowParams& params);

/// The score of the dashes that lie on a line, as that of a row.
double DashScoreOn(const StraightLine& line, const std::vector<PaperDash>& dashes,
                   const DashRowParams& params);

}  // namespace glint::photometric
