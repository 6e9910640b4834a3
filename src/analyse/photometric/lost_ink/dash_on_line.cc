// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_on_line.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace glint::photometric {

double DashAlong(const StraightLine& line, const PaperDash& dash) {
  return (dash.x - line.x) * line.cosine + (dash.y - line.y) * line.sine;
}

double DashAcross(const StraightLine& line, const PaperDash& dash) {
  return std::abs((dash.y - line.y) * line.cosine - (dash.x - line.x) * line.sine);
}

double MostTurn(const PaperDash& dash, const DashRowParams& params) {
  return std::min(params.max_turn_deg + params.turn_deg_px / dash.length, 90.0);
}

bool RunsAlong(const StraightLine& line, const PaperDash& dash, const DashRowParams& params) {
  const double turn = std::abs(line.cosine * dash.sine - line.sine * dash.cosine);
  return turn <= std::sin(MostTurn(dash, params) * std::numbers::pi / 180);
}

bool IsOnLine(const StraightLine& line, const PaperDash& dash, const DashRowParams& params) {
  return DashAcross(line, dash) <= params.max_offset_px && RunsAlong(line, dash, params);
}

double DashScore(const PaperDash& dash, const DashRowParams& params) {
  return std::min(dash.contrast / params.full_contrast_grey, 1.0) * dash.length;
}

double DashScoreOn(const StraightLine& line, const std::vector<PaperDash>& dashes,
                   const DashRowParams& params) {
  double score = 0;
  for (const PaperDash& dash : dashes) {
    const double along = DashAlong(line, dash);
    if (along < line.begin || along > line.end || !IsOnLine(line, dash, params)) continue;
    score += DashScore(dash, params);
  }
  return score;
}

}  // namespace glint::photometric
