// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "glint/report.h"

namespace glint {

/// What the person who filmed could do better: one sentence each, the most useful first; empty when
/// nothing stands out.
/// @param frames           every frame's measures
/// @param chosen           golden frames that were found
/// @param motion_limit_px  up to which a frame counted as steady, pixels per frame
std::vector<std::string> FilmingAdvice(std::span<const FrameMeasure> frames, std::size_t chosen,
                                       double motion_limit_px);

/// What to tell the person who filmed about the light. @param light_change
/// photometric::LightChange of the views
std::vector<std::string> LightAdvice(double light_change);

}  // namespace glint
