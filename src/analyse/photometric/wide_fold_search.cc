// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <opencv2/core.hpp>
#include <utility>

#include "analyse/photometric/line_steps.h"
#include "analyse/photometric/searches/wide_folds.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/status_macros.h"

namespace glint::photometric {
namespace {

/// All that the search for lines takes, a fraction of its size.
struct SmallViews {
  HostViews host;            ///< greys without what lies in front
  std::vector<Plane> greys;  ///< the same on the device
  std::vector<Plane> valid;  ///< on the device
  SurfaceMasks masks;        ///< on the host
  Plane surface;             ///< on the device

  PhotometricViews All() const { return {.greys = greys, .valid = valid, .surface = surface}; }
};

absl::StatusOr<SmallViews> Shrink(const ClearViews& clear, const SurfaceMasks& masks, int factor,
                                  Backend& backend, ThreadPool& pool) {
  SmallViews small;
  const std::size_t count = clear.filled.size();
  small.host.greys.resize(count);
  small.host.valid.resize(count);
  GLINT_RETURN_IF_ERROR(HostCall("folds", [&] {
    pool.ParallelFor(std::ssize(clear.filled), [&](std::int64_t index) {
      const auto i = static_cast<std::size_t>(index);
      small.host.greys[i] = ShrunkGrey(clear.filled[i], factor);
      small.host.valid[i] = ShrunkMask(clear.host.valid[i], factor);
    });
    small.masks.surface = ShrunkMask(masks.surface, factor);
    small.masks.gaps = ShrunkMask(masks.gaps, factor);
  }));
  for (std::size_t i = 0; i < count; ++i) {
    GLINT_ASSIGN_OR_RETURN(small.greys.emplace_back(), backend.Upload(small.host.greys[i]));
    GLINT_ASSIGN_OR_RETURN(small.valid.emplace_back(), backend.Upload(small.host.valid[i]));
  }
  GLINT_ASSIGN_OR_RETURN(small.surface, backend.Upload(small.masks.surface));
  return small;
}

PhotometricParams ParamsOfSmallViews(PhotometricParams params) {
  PathParams& paths = params.lines.paths;
  for (double* score : {&paths.min_score, &paths.min_rim_score, &paths.min_touch_score}) {
    *score *= params.wide_folds.evidence_cost;
  }
  paths.min_length_px = params.wide_folds.min_length_px;
  paths.follow_rounds = 0;  // what goes on is known at full size
  // Few pixels say little of how even print is; whether a line is a fold is asked of its slopes.
  paths.lone_share = 1;
  paths.edge_cost = 0;
  paths.even_stroke_cost = 0;
  auto& lines = params.lines.long_lines;
  lines.min_uneven_half_px = *std::ranges::max_element(lines.half_lengths_px) + 1;
  return params;
}

/// Folds of one size, as a mask of the small view.
absl::StatusOr<Plane> SearchAt(const SmallViews& small, int factor, const Plane& marked,
                               const PhotometricParams& params, StageSet& stages,
                               ThreadPool& pool) {
  const PhotometricViews views = small.All();
  GLINT_ASSIGN_OR_RETURN(const LightModel model,
                         SubtractLight(small.greys, small.valid, views, params.residual, stages));
  GLINT_ASSIGN_OR_RETURN(const NoiseModel noise, MeasureNoise(views, model, params, stages));
  GLINT_ASSIGN_OR_RETURN(LineSearch search, SearchLines(views, model, noise, small.masks,
                                                        small.host, params, stages, pool));
  GLINT_ASSIGN_OR_RETURN(const std::vector<StoredPlane> residuals,
                         DownloadResiduals(model, *stages.backend));
  GLINT_RETURN_IF_ERROR(HostCall("folds", [&] {
    std::vector<bool> folds =
        NewLines(search.lines.ids, search.lines.paths.size(), factor, marked, params.wide_folds);
    KeepFolds(search.lines.ids, search.directions, residuals, params.wide_folds, folds);
    search.lines = KeepLines(std::move(search.lines), folds);
  }));
  GLINT_ASSIGN_OR_RETURN(WideLines wide, DrawWideLines(model, small.host.valid, noise, params,
                                                       *stages.backend, pool, search));
  return std::move(wide.mask);
}

}  // namespace

absl::StatusOr<Plane> SearchWideFolds(const ClearViews& clear, const SurfaceMasks& masks,
                                      const Plane& marked, const PhotometricParams& params,
                                      StageSet& stages, ThreadPool& pool) {
  Plane folds = Plane::Host(marked.size(), PixelType::kU8);
  AsMat(folds).setTo(0);
  const int factor = params.wide_folds.shrink;
  const int side = std::min(marked.width(), marked.height()) / factor;
  if (factor == 1 || side < params.wide_folds.min_side_px) return folds;
  GLINT_ASSIGN_OR_RETURN(const SmallViews small,
                         Shrink(clear, masks, factor, *stages.backend, pool));
  GLINT_ASSIGN_OR_RETURN(const Plane found,
                         SearchAt(small, factor, marked, ParamsOfSmallViews(params), stages, pool));
  AddEnlarged(found, factor, folds);
  return folds;
}

}  // namespace glint::photometric
