// SPDX-License-Identifier: Apache-2.0
// The steps of DetectPhotometric from what light does not explain to lines, in their order, after
// those of scene_steps.h, and as these.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "analyse/photometric/detect.h"
#include "analyse/photometric/lines/line_paths.h"
#include "analyse/photometric/params.h"
#include "analyse/photometric/scene_steps.h"
#include "analyse/stage_set.h"
#include "base/thread_pool.h"
#include "glint/photometric_stages.h"

namespace glint::photometric {

absl::StatusOr<NoiseModel> MeasureNoise(const PhotometricViews& views, const LightModel& model,
                                        const PhotometricParams& params, StageSet& stages);

/// Lines that answer to the light.
struct LineSearch {
  Plane energy;      ///< PhotometricResult::energy
  Plane directions;  ///< LineEvidence::direction, on the host
  Lines lines;       ///< without their mask: DrawWideLines makes it
  PrintContours print;
  Plane lost_ink;  ///< kU8 on the host: FindLostInk; empty: none was looked for
};
/// @param host  ClearViews::host
/// @return all but the lost ink
absl::StatusOr<LineSearch> SearchLines(const PhotometricViews& views, const LightModel& model,
                                       const NoiseModel& noise, const SurfaceMasks& masks,
                                       const HostViews& host, const PhotometricParams& params,
                                       StageSet& stages, ThreadPool& pool);

/// Straight lines that are looked for as such: by the ink that they lost, ticks at the rim, folds;
/// dull strokes; what all lines go on with beyond their ends; and the lost ink of all.
/// @param host    ClearViews::host
/// @param colour  ViewStack::colour; empty: no bare paper is looked for
absl::Status AddStraightLines(const LightModel& model, const HostViews& host, const Plane& surface,
                              const Plane& colour, const LineParams& params, Backend& backend,
                              ThreadPool& pool, LineSearch& search);

/// Folds that are too wide for SearchLines, looked for in smaller views.
/// @param clear   its views on the host
/// @param marked  kU8 on the host: what is known of them already
/// @return kU8 on the host, 0 and 255
absl::StatusOr<Plane> SearchWideFolds(const ClearViews& clear, const SurfaceMasks& masks,
                                      const Plane& marked, const PhotometricParams& params,
                                      StageSet& stages, ThreadPool& pool);

/// Lines that every view shows.
struct StaticLineSearch {
  Plane mask, energy;  ///< PhotometricResult::static_lines and ::static_energy
};
absl::StatusOr<StaticLineSearch> SearchStaticLines(const Albedo& on_host, const SurfaceMasks& masks,
                                                   const PhotometricParams& params,
                                                   StageSet& stages, ThreadPool& pool);

/// Lines as wide as they are, and the views that show them.
struct WideLines {
  Plane mask;  ///< kU8 on the host, 0 and 255
  std::vector<PhotometricLine> found;
};
/// @param valid  HostViews::valid
/// @param search  loses the lines that no view shows
absl::StatusOr<WideLines> DrawWideLines(const LightModel& model, std::span<const Plane> valid,
                                        const NoiseModel& noise, const PhotometricParams& params,
                                        Backend& backend, ThreadPool& pool, LineSearch& search);

}  // namespace glint::photometric
