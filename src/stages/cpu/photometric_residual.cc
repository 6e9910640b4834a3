// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/for_rows.h"
#include "base/host_call.h"
#include "base/params.h"
#include "base/status_macros.h"
#include "base/stored_rows.h"
#include "stages/cpu/photometric/targets.h"
#include "stages/cpu/stages.h"
#include "stages/shared/check_views.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint {
namespace {

using photometric::ModelInput;

void Prepare(const Albedo& albedo, Rows rows, const ModelInput& out) {
  for (int y = rows.begin; y < rows.end; ++y) {
    const auto* grey = albedo.grey.Row<std::int16_t>(y);
    const auto* gradient = albedo.gradient.Row<std::int32_t>(y);
    const auto* curvature = albedo.curvature.Row<std::int32_t>(y);
    auto* coarse = out.coarse.Row<std::int16_t>(y);
    auto* bound = out.inverse_bound.Row<float>(y);
    for (int x = 0; x < albedo.grey.width(); ++x) {
      coarse[x] = photometric::Coarse(grey[x]);
      bound[x] = photometric::InverseBound(out.params, gradient[x], curvature[x]);
    }
  }
}

class CpuResidual final : public CpuStage<ResidualStage> {
 public:
  using CpuStage::CpuStage;

  absl::StatusOr<std::vector<StoredPlane>> Run(const PhotometricViews& views, const Albedo& albedo,
                                               const ResidualParams& params) override {
    GLINT_RETURN_IF_ERROR(CheckParams(params));
    GLINT_RETURN_IF_ERROR(photometric::CheckViews("residual", views, {}));
    GLINT_RETURN_IF_ERROR(photometric::CheckAlbedo("residual", albedo, views.surface.size(), {}));
    std::vector<StoredPlane> residuals;
    GLINT_RETURN_IF_ERROR(
        HostCall("residual", [&] { residuals = Compute(views, albedo, params); }));
    return residuals;
  }

  absl::StatusOr<Plane> MedianMagnitude(const PhotometricViews& views,
                                        std::span<const StoredPlane> residuals) override {
    GLINT_RETURN_IF_ERROR(photometric::CheckViews("residual", views, {}));
    GLINT_RETURN_IF_ERROR(photometric::CheckResiduals("residual", views, residuals, {}));
    Plane median;
    GLINT_RETURN_IF_ERROR(HostCall("residual", [&] {
      median = Plane::Host(views.surface.size(), PixelType::kS16);
      const auto network = photometric::SortingNetwork(static_cast<int>(residuals.size()));
      for (int begin = 0; begin < median.height(); begin += kStoredBandRows) {
        const Rows band{begin, std::min(begin + kStoredBandRows, median.height())};
        const std::vector<Plane> shown = RowsOf(residuals, band, pool_);
        ForRows(pool_, band.end - begin, [&](Rows rows) {
          photometric::MedianOfMagnitudes(views, shown, begin, network,
                                          {begin + rows.begin, begin + rows.end}, median);
        });
      }
    }));
    return median;
  }

 private:
  std::vector<StoredPlane> Compute(const PhotometricViews& views, const Albedo& albedo,
                                   const ResidualParams& params) {
    const Size size = views.surface.size();
    const ModelInput model{.albedo = albedo.grey,
                           .coarse = Plane::Host(size, PixelType::kS16),
                           .inverse_bound = Plane::Host(size, PixelType::kF32),
                           .curve = Plane::Host(size, PixelType::kS16),
                           .params = params};
    ForRows(pool_, size.height, [&](Rows rows) { Prepare(albedo, rows, model); });
    photometric::FitCurve(views.surface, model, model.curve);
    std::vector<StoredPlane> residuals(views.greys.size());
    pool_.ParallelFor(static_cast<std::int64_t>(residuals.size()), [&](std::int64_t index) {
      const auto i = static_cast<std::size_t>(index);
      const Plane residual = Plane::Host(size, PixelType::kS16);
      photometric::FitView(views.greys[i], views.valid[i], views.surface, model, residual);
      residuals[i] = StoredPlane(residual);
    });
    return residuals;
  }
};

}  // namespace

GLINT_DEFINE_CPU_STAGE(Residual, CpuResidual)

}  // namespace glint
