// SPDX-License-Identifier: Apache-2.0
// Lines that do not answer to the light but are seen in every view: cracks in an unprinted surface.
#pragma once

#include <absl/status/statusor.h>

#include "analyse/photometric/line_paths.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/photometric_stages.h"

namespace glint::photometric {

/// What decides which dark lines of the median view are cracks.
struct StaticLineParams {
  int mean_reach_px = 20;               ///< of the local mean
  int contrast_reach_px = 40;           ///< of the local contrast
  double max_contrast_deviations = 3;   ///< that a pixel counts at most
  double smoothing_px = 2.0;            ///< sigma
  double along_px = 8.0;                ///< sigma along the line
  int half_length_px = 16;              ///< of the filter to either side
  int tap_step_px = 2;                  ///< between its taps
  double weak_energy_deviations = 2.4;  ///< a ridge runs where the evidence is above it
  /// Cracks are long, and broken by grain.
  PathParams paths = {.min_peak_levels = 4.0,
                      .min_length_px = 40,
                      .min_score = 12.0,
                      .min_rim_score = 12.0,
                      .min_touch_score = 12.0,
                      .link_px = 3,
                      .dilation_px = 3,
                      .closing_px = 3};

  GLINT_PARAMS(self, visit) {
    visit("mean_reach_px", self.mean_reach_px, 1, 1000);
    visit("contrast_reach_px", self.contrast_reach_px, 1, 1000);
    visit("max_contrast_deviations", self.max_contrast_deviations, 0.1, 7);
    visit("smoothing_px", self.smoothing_px, 0.1, 50);
    visit("along_px", self.along_px, 0.1, 100);
    visit("half_length_px", self.half_length_px, 0, 100);
    visit("tap_step_px", self.tap_step_px, 1, 16);
    visit("weak_energy_deviations", self.weak_energy_deviations, 0, 1000);
    visit("paths", self.paths);
  }
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
