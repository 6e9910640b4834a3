// SPDX-License-Identifier: Apache-2.0
// Whether what was looked at allows a verdict at all.
#pragma once

#include <optional>

#include "base/params.h"
#include "glint/report.h"

namespace glint {

struct Detection;

/// What views of an object have to show for a verdict.
struct JudgeableParams {
  /// photometric::LightChange: below it nothing glints, and what answers is the codec's noise. One
  /// frame again and again has 0.0004 and less, a clip without any lamp that moves 0.005
  GLINT_PARAM(double, min_light_change, 0, 1) = 0.004;
  /// that show a line, for lines to be believed nevertheless
  GLINT_PARAM(int, min_line_views, 1, 64) = 2;
  /// of the object, that may be unknown: hidden, clipped or seen too rarely
  GLINT_PARAM(double, max_unknown_share, 0, 1) = 0.5;
};

/// Whether the light on an object never changed, so that a line is believed only where views show
/// it.
/// @param light_change  photometric::LightChange of its views; nothing where that is not known
bool IsStill(const std::optional<double>& light_change, const JudgeableParams& params);

/// What a scan's views lack for a verdict; nothing where they lack nothing. First that holds: the
/// object is too small to be looked at (kNoObject), too much of it is not known (kFewViews), or the
/// light on it never changed and nothing was found that shows without (kStillLight).
/// @param light_matters  false where something else than light is looked at, too: the cracks of an
///                       unprinted surface, a good copy
std::optional<NotJudgedCause> WhyNotJudgeable(const Detection& found, bool light_matters,
                                              const JudgeableParams& params);

}  // namespace glint
