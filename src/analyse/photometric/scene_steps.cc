// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/scene_steps.h"

#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "analyse/photometric/outline/background.h"
#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/outline/passing_occluders.h"
#include "analyse/photometric/outline/printed_gaps.h"
#include "analyse/photometric/pixels/block_sums.h"
#include "analyse/photometric/pixels/masks.h"
#include "analyse/photometric/scene/inpainting.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/status_macros.h"

namespace glint::photometric {
namespace {

Plane Filled(Size size, std::uint8_t value) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  AsMat(plane).setTo(value);
  return plane;
}

absl::StatusOr<std::vector<Plane>> DownloadAll(std::span<const Plane> planes, Backend& backend) {
  std::vector<Plane> on_host;
  on_host.reserve(planes.size());
  for (const Plane& plane : planes) {
    GLINT_ASSIGN_OR_RETURN(on_host.emplace_back(), backend.Download(plane));
  }
  return on_host;
}

absl::StatusOr<Albedo> DownloadAlbedo(const Albedo& albedo, Backend& backend) {
  Albedo on_host;
  GLINT_ASSIGN_OR_RETURN(on_host.grey, backend.Download(albedo.grey));
  GLINT_ASSIGN_OR_RETURN(on_host.gradient, backend.Download(albedo.gradient));
  GLINT_ASSIGN_OR_RETURN(on_host.curvature, backend.Download(albedo.curvature));
  GLINT_ASSIGN_OR_RETURN(on_host.count, backend.Download(albedo.count));
  return on_host;
}

}  // namespace

absl::StatusOr<HostViews> DownloadViews(const ViewStack& views, Backend& backend) {
  HostViews host;
  GLINT_ASSIGN_OR_RETURN(host.greys, DownloadAll(views.greys, backend));
  GLINT_ASSIGN_OR_RETURN(host.valid, DownloadAll(views.valid, backend));
  return host;
}

absl::StatusOr<SurfaceMasks> FindSurface(const ViewStack& views, const HostViews& host,
                                         const PhotometricOptions& options,
                                         const PhotometricParams& params) {
  const Size size = views.greys[0].size();
  Outline outline{.damage = Filled(size, 0),
                  .torn = {},
                  .covered = Filled(size, 0),
                  .body = Filled(size, 255),
                  .shape = {}};
  if (options.outline) {
    GLINT_ASSIGN_OR_RETURN(outline, FindOutline(views.colour, params.outline));
    GLINT_RETURN_IF_ERROR(HostCall("outline", [&] {
      GiveBackPrintedGaps(host.greys, host.valid, views.surroundings, params.outline.printed_gaps,
                          outline);
      CoverClosedGaps(host.greys, host.valid, params.outline.passing_occluders, outline);
    }));
  }
  SurfaceMasks masks{
      .gaps = outline.damage, .covered = outline.covered, .damage = outline.damage, .surface = {}};
  if (options.outline && options.worn_corners) {
    GLINT_ASSIGN_OR_RETURN(const Plane worn,
                           FindWornCorners(views.colour, outline.shape, params.worn_corners));
    masks.damage = AsPlane(AsMat(masks.gaps) | AsMat(worn));
  }
  cv::Mat surface;
  cv::erode(AsMat(outline.body), surface, Square(params.outline.rim_px), {-1, -1}, 1,
            cv::BORDER_CONSTANT, cv::Scalar(0));
  masks.surface = AsPlane(surface);
  return masks;
}

absl::StatusOr<Scene> FindScene(const ViewStack& views, const HostViews& host,
                                const PhotometricOptions& options, const PhotometricParams& params,
                                ThreadPool& pool) {
  absl::StatusOr<SurfaceMasks> masks;
  OcclusionMasks occluded;
  absl::Status surface_done, occluders_done;
  pool.ParallelFor(2, [&](std::int64_t part) {
    if (part == 0) {
      surface_done = HostCall("detect", [&] { masks = FindSurface(views, host, options, params); });
    } else {
      occluders_done = HostCall("detect", [&] {
        occluded = FindOccluders(views.thumbnails, host.valid, params.occluders, pool);
      });
    }
  });
  GLINT_RETURN_IF_ERROR(surface_done);
  GLINT_RETURN_IF_ERROR(masks.status());
  GLINT_RETURN_IF_ERROR(occluders_done);
  if (cv::countNonZero(AsMat(masks->covered)) > 0) {
    const cv::Mat covered = CellsTouchedBy(AsMat(masks->covered));
    occluded.persistent = occluded.persistent.empty() ? covered : occluded.persistent | covered;
  }
  return Scene{.masks = *std::move(masks), .occluded = std::move(occluded)};
}

absl::StatusOr<ClearViews> LeaveOutOccluders(const ViewStack& views, const Scene& scene,
                                             HostViews host, const InpaintingParams& params,
                                             Backend& backend, ThreadPool& pool) {
  const OcclusionMasks& occluded = scene.occluded;
  ClearViews clear{
      .host = std::move(host), .valid = views.valid, .surface = {}, .inpainted = views.greys};
  std::vector<Plane> inpainted;
  Plane surface;
  GLINT_RETURN_IF_ERROR(HostCall("detect", [&] {
    inpainted = InpaintOccluded(clear.host.greys, clear.host.valid, occluded, params, pool);
    surface = ClearOccluded(scene.masks.surface, occluded.persistent);
    for (std::size_t i = 0; i < occluded.views.size(); ++i) {
      clear.host.valid[i] = ClearOccluded(clear.host.valid[i], occluded.views[i]);
    }
  }));
  GLINT_ASSIGN_OR_RETURN(clear.surface, backend.Upload(surface));
  clear.filled = clear.host.greys;
  for (std::size_t i = 0; i < occluded.views.size(); ++i) {
    if (occluded.views[i].empty()) continue;
    clear.filled[i] = inpainted[i];
    GLINT_ASSIGN_OR_RETURN(clear.inpainted[i], backend.Upload(inpainted[i]));
    GLINT_ASSIGN_OR_RETURN(clear.valid[i], backend.Upload(clear.host.valid[i]));
  }
  return clear;
}

absl::StatusOr<LightModel> SubtractLight(std::vector<Plane> inpainted, std::span<const Plane> shown,
                                         const PhotometricViews& views,
                                         const ResidualParams& params, StageSet& stages) {
  LightModel model;
  GLINT_ASSIGN_OR_RETURN(
      model.albedo,
      stages.albedo->Run({.greys = inpainted, .valid = shown, .surface = views.surface}));
  inpainted.clear();
  GLINT_ASSIGN_OR_RETURN(model.residuals, stages.residual->Run(views, model.albedo, params));
  GLINT_ASSIGN_OR_RETURN(model.on_host, DownloadAlbedo(model.albedo, *stages.backend));
  return model;
}

absl::StatusOr<std::vector<StoredPlane>> DownloadResiduals(const LightModel& model,
                                                           Backend& backend) {
  std::vector<StoredPlane> on_host;
  on_host.reserve(model.residuals.size());
  for (const StoredPlane& residual : model.residuals) {
    if (residual.device().is_host()) {
      on_host.push_back(residual);
    } else {
      GLINT_ASSIGN_OR_RETURN(const Plane plane, backend.Download(residual.on_device()));
      on_host.emplace_back(plane);
    }
  }
  return on_host;
}

ThreadPool::Pending StartSurvey(const HostViews& host, const Albedo& on_host,
                                const cv::Mat& persistent, const PhotometricParams& params,
                                ThreadPool& pool, Survey& survey) {
  return pool.Start(3, [&](std::int64_t part) {
    if (part == 0) {
      survey.known = ClearOccluded(
          WellExposed(host.greys, host.valid, params.exposure, params.evidence.min_views, pool),
          persistent);
    } else if (part == 1) {
      survey.light_change = LightChange(host.greys, host.valid, params.exposure, pool);
    } else {
      survey.glare = FindGlare(SumBlocks(on_host), SumBlocks(host.greys, host.valid, pool),
                               on_host.grey.size(), params.glare, pool);
    }
  });
}

}  // namespace glint::photometric
