// SPDX-License-Identifier: Apache-2.0
#include "base/host_call.h"
#include "stages/check_views.h"
#include "stages/cpu/photometric_input.h"
#include "stages/cpu/photometric_stages.h"
#include "stages/photometric_arithmetic.h"

namespace glint {
namespace {

using photometric::ModelInput;
using photometric::Rows;

void Prepare(const Albedo& albedo, Rows rows, const ModelInput& out) {
  for (int y = rows.begin; y < rows.end; ++y) {
    const auto* grey = albedo.grey.Row<std::int16_t>(y);
    const auto* gradient = albedo.gradient.Row<std::int32_t>(y);
    const auto* curvature = albedo.curvature.Row<std::int32_t>(y);
    auto* coarse = out.coarse.Row<std::int16_t>(y);
    auto* bound = out.inverse_bound.Row<float>(y);
    for (int x = 0; x < albedo.grey.width(); ++x) {
      coarse[x] = photometric::Coarse(grey[x]);
      bound[x] = photometric::InverseNoise(photometric::kAssumedNoise, gradient[x], curvature[x]) *
                 (1.0F / (3 * photometric::kGrey));
    }
  }
}

class CpuResidual final : public ResidualStage {
 public:
  explicit CpuResidual(ThreadPool* pool) : pool_(*pool) {}

  absl::StatusOr<std::vector<Plane>> Run(const PhotometricViews& views,
                                         const Albedo& albedo) override {
    absl::Status status = photometric::CheckViews("residual", views, {});
    if (!status.ok()) return status;
    status = photometric::CheckAlbedo("residual", albedo, views.surface.size(), {});
    if (!status.ok()) return status;
    std::vector<Plane> residuals;
    status = HostCall("residual", [&] { residuals = Compute(views, albedo); });
    if (!status.ok()) return status;
    return residuals;
  }

  absl::StatusOr<Plane> MedianMagnitude(const PhotometricViews& views,
                                        std::span<const Plane> residuals) override {
    absl::Status status = photometric::CheckViews("residual", views, {});
    if (!status.ok()) return status;
    status = photometric::CheckResiduals("residual", views, residuals, {});
    if (!status.ok()) return status;
    Plane median;
    status = HostCall("residual", [&] {
      median = Plane::Host(views.surface.size(), PixelType::kS16);
      const auto network = photometric::SortingNetwork(static_cast<int>(residuals.size()));
      photometric::ForRows(pool_, median.height(), [&](Rows rows) {
        photometric::MedianOfMagnitudes(views, residuals, network, rows, median);
      });
    });
    if (!status.ok()) return status;
    return median;
  }

 private:
  std::vector<Plane> Compute(const PhotometricViews& views, const Albedo& albedo) {
    const Size size = views.surface.size();
    const ModelInput model{.albedo = albedo.grey,
                           .coarse = Plane::Host(size, PixelType::kS16),
                           .inverse_bound = Plane::Host(size, PixelType::kF32),
                           .curve = Plane::Host(size, PixelType::kS16)};
    photometric::ForRows(pool_, size.height, [&](Rows rows) { Prepare(albedo, rows, model); });
    photometric::FitCurve(views.surface, model, model.curve);
    std::vector<Plane> residuals(views.greys.size());
    pool_.ParallelFor(static_cast<std::int64_t>(residuals.size()), [&](std::int64_t index) {
      const auto i = static_cast<std::size_t>(index);
      residuals[i] = Plane::Host(size, PixelType::kS16);
      photometric::FitView(views.greys[i], views.valid[i], views.surface, model, residuals[i]);
    });
    return residuals;
  }

  ThreadPool& pool_;
};

}  // namespace

std::unique_ptr<ResidualStage> MakeCpuResidual(ThreadPool* pool) {
  return std::make_unique<CpuResidual>(pool);
}

}  // namespace glint
