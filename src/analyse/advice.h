// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <span>
#include <string>
#include <vector>

#include "base/params.h"
#include "glint/report.h"

namespace glint {

/// When a person who filmed is advised.
struct AdviceParams {
  /// below which the light hardly changed: a lamp carried by hand changes it by 0.08 to 0.12
  GLINT_PARAM(double, min_light_change, 0, 1) = 0.02;
  /// share of pixels without detail in the middle frame of a clip
  GLINT_PARAM(double, max_clipped, 0, 1) = 0.10;
};

/// What the person who filmed could do better: one sentence each, the most useful first; empty when
/// nothing stands out.
/// @param frames           every frame's measures
/// @param chosen           frames that are compared: golden ones, or views where there are more
/// @param motion_limit_px  up to which a frame counted as steady, pixels per frame
std::vector<std::string> FilmingAdvice(std::span<const FrameMeasure> frames, std::size_t chosen,
                                       double motion_limit_px, const AdviceParams& params = {});

/// The one thing to tell the person who filmed a clip that cannot be judged: what counts most of
/// what it lacks, when, and what to do.
std::string NotJudgedAdvice(const NotJudged& why);

/// What to tell the person who filmed about the light. @param light_change
/// photometric::LightChange of the views
std::vector<std::string> LightAdvice(double light_change, const AdviceParams& params = {});

/// What to tell whoever has an object without print scanned as a printed one.
std::string PlainObjectAdvice();

}  // namespace glint
