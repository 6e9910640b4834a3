// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/detect.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyse/photometric/line_steps.h"
#include "analyse/photometric/outline/outline.h"
#include "base/freed_memory.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "stages/shared/check_plane.h"
#include "stages/shared/check_views.h"

namespace glint {
namespace {

using photometric::kBackgroundMargin;
using photometric::kThumbnailStep;

absl::Status CheckThumbnails(const ViewStack& views, Size object) {
  if (views.thumbnails.empty()) return absl::OkStatus();
  GLINT_RETURN_IF_ERROR(CheckPlanes("detect: thumbnail", views.thumbnails, PixelType::kU8x3, {}));
  const Size size{object.width / kThumbnailStep, object.height / kThumbnailStep};
  if (views.thumbnails.size() == views.greys.size() && views.thumbnails[0].size() == size) {
    return absl::OkStatus();
  }
  return Error(Reason::kInternal,
               "detect: every view needs a thumbnail of a quarter of its size, or none");
}

absl::Status CheckViews(const ViewStack& views, const PhotometricOptions& options, Device device) {
  GLINT_RETURN_IF_ERROR(CheckPlanes("detect: view", views.greys, PixelType::kU8, device));
  if (views.greys.empty()) {
    return Error(Reason::kInternal, "detect: no view was given; at least one is needed");
  }
  const Size size = views.greys[0].size();
  if (std::min(size.width, size.height) < photometric::kMinViewSide) {
    return Error(
        Reason::kInvalidOption,
        fmt::format("detect: the object is {}; a side must have {} pixels: film it from nearer",
                    ToString(size), photometric::kMinViewSide));
  }
  GLINT_RETURN_IF_ERROR(CheckThumbnails(views, size));
  if (!options.outline && views.colour.empty()) return absl::OkStatus();
  GLINT_RETURN_IF_ERROR(CheckPlane("detect: colour", views.colour, PixelType::kU8x3, {}));
  if (views.colour.width() == size.width + 2 * kBackgroundMargin &&
      views.colour.height() == size.height + 2 * kBackgroundMargin) {
    return absl::OkStatus();
  }
  return Error(Reason::kInternal, "detect: the colour view must show 24 px around the object");
}

/// The views without light and without what occludes them: all that the search for lines needs.
struct Explained {
  photometric::Scene scene;
  photometric::ClearViews clear;
  photometric::LightModel model;

  /// @param stack  that it was made of
  PhotometricViews Views(const ViewStack& stack) const {
    return {.greys = stack.greys, .valid = clear.valid, .surface = clear.surface};
  }
};

absl::StatusOr<Explained> Explain(const ViewStack& views, const PhotometricOptions& options,
                                  const PhotometricParams& params, StageSet& stages,
                                  ThreadPool& pool, const CancelToken& cancel) {
  Backend& backend = *stages.backend;
  Explained to;
  GLINT_RETURN_IF_ERROR(cancel.Check());
  GLINT_ASSIGN_OR_RETURN(photometric::HostViews host, photometric::DownloadViews(views, backend));
  GLINT_RETURN_IF_ERROR(cancel.Check());
  GLINT_ASSIGN_OR_RETURN(to.scene, photometric::FindScene(views, host, options, params, pool));
  GLINT_RETURN_IF_ERROR(cancel.Check());
  GLINT_ASSIGN_OR_RETURN(
      to.clear, photometric::LeaveOutOccluders(views, to.scene, std::move(host), params.inpainting,
                                               backend, pool));
  GLINT_RETURN_IF_ERROR(cancel.Check());
  ReturnFreedMemory();  // residuals are most of what this scan will need
  GLINT_ASSIGN_OR_RETURN(to.model,
                         photometric::SubtractLight(std::move(to.clear.inpainted), views.valid,
                                                    to.Views(views), params.residual, stages));
  return to;
}

/// What the search for lines has found.
struct LineFindings {
  NoiseModel noise;
  photometric::LineSearch search;
  photometric::StaticLineSearch fixed;  // empty unless asked for
  photometric::WideLines wide;
  Plane folds;  // kU8: those that are wider than lines
};

/// @param explained  its residuals are let go when they have been looked at
/// @param colour     ViewStack::colour
absl::StatusOr<LineFindings> SearchAllLines(Explained& explained, const PhotometricViews& shown,
                                            const Plane& colour, const PhotometricOptions& options,
                                            const PhotometricParams& params, StageSet& stages,
                                            ThreadPool& pool, const CancelToken& cancel) {
  auto& [scene, clear, model] = explained;
  LineFindings to;
  GLINT_ASSIGN_OR_RETURN(to.noise, photometric::MeasureNoise(shown, model, params, stages));
  GLINT_RETURN_IF_ERROR(cancel.Check());
  ReturnFreedMemory();
  GLINT_ASSIGN_OR_RETURN(to.search, photometric::SearchLines(shown, model, to.noise, scene.masks,
                                                             clear.host, params, stages, pool));
  const Plane clear_surface = photometric::ClearAroundOccluded(
      scene.masks.surface, scene.occluded.persistent, params.occluders.line_margin_cells);
  GLINT_RETURN_IF_ERROR(photometric::AddStraightLines(
      model, clear.host, clear_surface, colour, params.lines, *stages.backend, pool, to.search));
  GLINT_RETURN_IF_ERROR(cancel.Check());
  if (options.static_lines) {
    GLINT_ASSIGN_OR_RETURN(
        to.fixed, photometric::SearchStaticLines(model.on_host, scene.masks, params, stages, pool));
  }
  GLINT_RETURN_IF_ERROR(cancel.Check());
  GLINT_ASSIGN_OR_RETURN(to.wide,
                         photometric::DrawWideLines(model, clear.host.valid, to.noise, params,
                                                    *stages.backend, pool, to.search));
  model.residuals.clear();
  ReturnFreedMemory();  // of the residuals
  GLINT_RETURN_IF_ERROR(cancel.Check());
  GLINT_ASSIGN_OR_RETURN(to.folds, photometric::SearchWideFolds(clear, scene.masks, to.wide.mask,
                                                                params, stages, pool));
  return to;
}

}  // namespace

absl::StatusOr<PhotometricResult> DetectPhotometric(const ViewStack& views,
                                                    const PhotometricOptions& options,
                                                    const PhotometricParams& params,
                                                    StageSet& stages, ThreadPool& pool,
                                                    const CancelToken& cancel) {
  GLINT_RETURN_IF_ERROR(CheckParams(params));
  GLINT_RETURN_IF_ERROR(CheckViews(views, options, stages.backend->device()));
  GLINT_ASSIGN_OR_RETURN(Explained explained,
                         Explain(views, options, params, stages, pool, cancel));
  const auto& [scene, clear, model] = explained;
  const PhotometricViews shown = explained.Views(views);
  GLINT_RETURN_IF_ERROR(cancel.Check());
  photometric::Survey survey;
  ThreadPool::Pending surveying = photometric::StartSurvey(
      clear.host, model.on_host, scene.occluded.persistent, params, pool, survey);
  GLINT_ASSIGN_OR_RETURN(LineFindings found, SearchAllLines(explained, shown, views.colour, options,
                                                            params, stages, pool, cancel));
  GLINT_RETURN_IF_ERROR(cancel.Check());
  GLINT_RETURN_IF_ERROR(HostCall("detect", [&] {
    surveying.Finish();
    AsMat(found.wide.mask) |= AsMat(found.folds);
  }));
  return PhotometricResult{.lines = std::move(found.wide.mask),
                           .outline = scene.masks.damage,
                           .static_lines = std::move(found.fixed.mask),
                           .surface = scene.masks.surface,
                           .known = std::move(survey.known),
                           .glare = std::move(survey.glare),
                           .light_change = survey.light_change,
                           .energy = std::move(found.search.energy),
                           .static_energy = std::move(found.fixed.energy),
                           .albedo = model.on_host.grey,
                           .line_ids = std::move(found.search.lines.ids),
                           .found = std::move(found.wide.found),
                           .noise = found.noise};
}

}  // namespace glint
