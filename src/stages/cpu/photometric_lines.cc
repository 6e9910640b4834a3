// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/for_rows.h"
#include "base/host_call.h"
#include "base/params.h"
#include "base/status_macros.h"
#include "stages/cpu/photometric/targets.h"
#include "stages/cpu/stages.h"
#include "stages/shared/check_views.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint {
namespace {

using photometric::LineTaps;
using photometric::PaddedGroup;

/// Rows whose groups are in memory at once. Their windows reach into the rows around, which are
/// summed twice: a tenth of the work.
constexpr int kBandRows = 256;

void ScaleRows(const Albedo& albedo, const NoiseModel& noise, Rows rows, const Plane& scale) {
  constexpr float kUnits = static_cast<float>(photometric::kSigma) / photometric::kGrey;
  for (int y = rows.begin; y < rows.end; ++y) {
    const auto* gradient = albedo.gradient.Row<std::int32_t>(y);
    const auto* curvature = albedo.curvature.Row<std::int32_t>(y);
    auto* out = scale.Row<float>(y);
    for (int x = 0; x < scale.width(); ++x) {
      out[x] = photometric::InverseNoise(noise, gradient[x], curvature[x]) * kUnits;
    }
  }
}

std::vector<LineTaps> TapsFor(std::ptrdiff_t stride) {
  std::vector<LineTaps> taps(photometric::kDirections);
  for (int direction = 0; direction < photometric::kDirections; ++direction) {
    LineTaps& to = taps[static_cast<std::size_t>(direction)];
    static_assert(std::tuple_size_v<LineTaps> == photometric::kLineTaps);
    for (int tap = 1; tap <= photometric::kLineTaps; ++tap) {
      const photometric::TapPlace place = photometric::LineTap(direction, tap);
      to[static_cast<std::size_t>(tap - 1)] = place.y * stride + place.x;
    }
  }
  return taps;
}

class CpuLineEvidence final : public CpuStage<LineEvidenceStage> {
 public:
  using CpuStage::CpuStage;

  absl::StatusOr<LineEvidence> Run(const PhotometricViews& views,
                                   std::span<const StoredPlane> residuals, const Albedo& albedo,
                                   const NoiseModel& noise,
                                   const LineEvidenceParams& params) override {
    constexpr std::string_view kWhere = "line evidence";
    GLINT_RETURN_IF_ERROR(CheckParams(params));
    GLINT_RETURN_IF_ERROR(photometric::CheckViews(kWhere, views, {}));
    GLINT_RETURN_IF_ERROR(photometric::CheckResiduals(kWhere, views, residuals, {}));
    GLINT_RETURN_IF_ERROR(photometric::CheckAlbedo(kWhere, albedo, views.surface.size(), {}));
    GLINT_RETURN_IF_ERROR(photometric::CheckNoise(kWhere, noise));
    LineEvidence evidence;
    GLINT_RETURN_IF_ERROR(
        HostCall(kWhere, [&] { evidence = Compute(views, residuals, albedo, noise, params); }));
    return evidence;
  }

 private:
  LineEvidence Compute(const PhotometricViews& views, std::span<const StoredPlane> residuals,
                       const Albedo& albedo, const NoiseModel& noise,
                       const LineEvidenceParams& params) {
    const Size size = views.surface.size();
    const Plane scale = Plane::Host(size, PixelType::kF32);
    ForRows(pool_, size.height, [&](Rows rows) { ScaleRows(albedo, noise, rows, scale); });
    LineEvidence evidence{.energy = Plane::Host(size, PixelType::kS32),
                          .direction = Plane::Host(size, PixelType::kU8),
                          .point = Plane::Host(size, PixelType::kS32)};
    for (int begin = 0; begin < size.height; begin += kBandRows) {
      const Rows band{begin, std::min(begin + kBandRows, size.height)};
      const std::vector<PaddedGroup> groups = Average(views, residuals, scale, band, params);
      const std::vector<LineTaps> taps = TapsFor(groups[0].stride());
      ForRows(pool_, band.end - band.begin, [&](Rows rows) {
        photometric::FindLines(views, groups, taps, albedo.count, params.min_views,
                               {begin + rows.begin, begin + rows.end}, evidence);
      });
    }
    return evidence;
  }

  /// The groups of some rows.
  std::vector<PaddedGroup> Average(const PhotometricViews& views,
                                   std::span<const StoredPlane> residuals, const Plane& scale,
                                   Rows band, const LineEvidenceParams& params) {
    const int count = static_cast<int>(residuals.size());
    const int group_count = std::min(params.max_groups, count);
    std::vector<PaddedGroup> groups(static_cast<std::size_t>(group_count),
                                    PaddedGroup(scale.width(), band));
    pool_.ParallelFor(group_count, [&](std::int64_t index) {
      const int group = static_cast<int>(index);
      photometric::SumGroup(views, residuals, scale, params,
                            photometric::GroupBegin(group, group_count, count),
                            photometric::GroupBegin(group + 1, group_count, count),
                            groups[static_cast<std::size_t>(group)]);
    });
    return groups;
  }
};

}  // namespace

GLINT_DEFINE_CPU_STAGE(LineEvidence, CpuLineEvidence)

}  // namespace glint
