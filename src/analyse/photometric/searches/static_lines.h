// SPDX-License-Identifier: Apache-2.0
// Lines that do not answer to the light but are seen in every view: cracks in an unprinted surface.
#pragma once

#include <absl/status/statusor.h>

#include "analyse/photometric/lines/line_paths.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/photometric_stages.h"

namespace glint::photometric {

/// What decides which dark lines of the median view are cracks.
struct StaticLineParams {
  /// of the local mean
  GLINT_PARAM(int, mean_reach_px, 1, 1000) = 20;
  /// of the local contrast
  GLINT_PARAM(int, contrast_reach_px, 1, 1000) = 40;
  /// that a pixel counts at most
  GLINT_PARAM(double, max_contrast_deviations, 0.1, 7) = 3;
  /// sigma
  GLINT_PARAM(double, smoothing_px, 0.1, 50) = 2.0;
  /// sigma along the line
  GLINT_PARAM(double, along_px, 0.1, 100) = 8.0;
  /// of the filter to either side
  GLINT_PARAM(int, half_length_px, 0, 100) = 16;
  /// between its taps
  GLINT_PARAM(int, tap_step_px, 1, 16) = 2;
  /// a ridge runs where the evidence is above it
  GLINT_PARAM(double, weak_energy_deviations, 0, 1000) = 2.4;
  /// Cracks are long, and broken by grain.
  GLINT_PARAM(PathParams, paths) = {.min_peak_levels = 4.0,
                                    .min_length_px = 40,
                                    .min_score = 12.0,
                                    .min_rim_score = 12.0,
                                    .min_touch_score = 12.0,
                                    .min_follower_score = 6.0,
                                    .follow_rounds = 2,
                                    .min_piece_score = 7.5,
                                    .link_px = 3,
                                    .trimmed_link_px = 2,
                                    .dilation_px = 3,
                                    .closing_px = 3};
};

/// What stands out of the median view as long dark lines.
struct StaticLines {
  LineEvidence evidence;       ///< on the host; `point` repeats the energy
  std::int32_t deviation = 1;  ///< of the energy where there is no line
};

/// Looks for dark lines: the median view in units of its local contrast, smoothed, averaged along
/// lines of LineEvidenceStage::kDirections directions.
/// @param grey   kS16 on the host: Albedo::grey
/// @param count  kU8 on the host: Albedo::count; pixels without a view do not count
/// Errors: OUT_OF_MEMORY; INTERNAL when OpenCV fails
absl::StatusOr<StaticLines> FindStaticLines(const Plane& grey, const Plane& count,
                                            const StaticLineParams& params, ThreadPool& pool);

/// Energies in deviations. @param deviation  StaticLines::deviation
/// @return kS32 on the host, 1/kEnergyUnit
Plane InDeviations(const Plane& energy, std::int32_t deviation);

}  // namespace glint::photometric
