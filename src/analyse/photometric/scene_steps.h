// SPDX-License-Identifier: Apache-2.0
// The steps of DetectPhotometric up to what light does not explain, in their order. Each takes what
// the steps before it gave and gives a value; what later steps do not need is moved in, so that its
// memory is free as early as can be. Errors of all: those of the stages; OUT_OF_MEMORY; INTERNAL
// when OpenCV fails.
#pragma once

#include <absl/status/statusor.h>

#include <opencv2/core.hpp>
#include <optional>
#include <span>
#include <vector>

#include "analyse/photometric/detect.h"
#include "analyse/photometric/params.h"
#include "analyse/photometric/scene/occluders.h"
#include "analyse/stage_set.h"
#include "base/thread_pool.h"
#include "glint/photometric_stages.h"

namespace glint::photometric {

/// The views on the host.
struct HostViews {
  std::vector<Plane> greys, valid;
};
absl::StatusOr<HostViews> DownloadViews(const ViewStack& views, Backend& backend);

/// Where the object is, and damage along its outline: kU8 on the host, 0 and 255.
struct SurfaceMasks {
  Plane gaps;     ///< in the outline
  Plane covered;  ///< by something that lies over the rim in every view
  Plane damage;   ///< gaps and worn corners
  Plane surface;  ///< where lines are looked for
};
absl::StatusOr<SurfaceMasks> FindSurface(const ViewStack& views, const HostViews& host,
                                         const PhotometricOptions& options,
                                         const PhotometricParams& params);

/// Where the object is, and where something lies in front of it.
struct Scene {
  SurfaceMasks masks;
  OcclusionMasks occluded;
};
absl::StatusOr<Scene> FindScene(const ViewStack& views, const HostViews& host,
                                const PhotometricOptions& options, const PhotometricParams& params,
                                ThreadPool& pool);

/// The views without what occludes the object.
struct ClearViews {
  HostViews host;                ///< `valid` without what is occluded
  std::vector<Plane> valid;      ///< the same, on the device
  Plane surface;                 ///< on the device: where the albedo is known
  std::vector<Plane> inpainted;  ///< greys on the device, for the albedo alone
  std::vector<Plane> filled;     ///< the same on the host
};
absl::StatusOr<ClearViews> LeaveOutOccluders(const ViewStack& views, const Scene& scene,
                                             HostViews host, const InpaintingParams& params,
                                             Backend& backend, ThreadPool& pool);

/// What light explains of the views.
struct LightModel {
  Albedo albedo;                       ///< on the device
  Albedo on_host;                      ///< the same
  std::vector<StoredPlane> residuals;  ///< kS16 per view, where the stage left it: what it does
                                       ///< not explain
};
/// @param inpainted,shown  of all views: ClearViews::inpainted and ViewStack::valid
/// @param views            without what is occluded
absl::StatusOr<LightModel> SubtractLight(std::vector<Plane> inpainted, std::span<const Plane> shown,
                                         const PhotometricViews& views,
                                         const ResidualParams& params, StageSet& stages);

/// The residuals on the host: where they lie there, the same.
absl::StatusOr<std::vector<StoredPlane>> DownloadResiduals(const LightModel& model,
                                                           Backend& backend);

/// What does not depend on lines.
struct Survey {
  Plane known;
  std::optional<double> light_change;
  Plane glare;
};
/// Begins the survey: it fills the pool while the search for lines runs on one thread. All that is
/// given must outlive what is returned.
/// @param survey  filled when Pending::Finish returns
ThreadPool::Pending StartSurvey(const HostViews& host, const Albedo& on_host,
                                const cv::Mat& persistent, const PhotometricParams& params,
                                ThreadPool& pool, Survey& survey);

}  // namespace glint::photometric
