// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

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

using photometric::BilinearTap;
using photometric::kDirections;

/// The places across a line: at distances 1, -1, 2, -2, ...
using Across = std::array<BilinearTap, std::size_t{2} * RidgeParams::kMaxReach>;

std::array<Across, kDirections> AllPlaces() {
  std::array<Across, kDirections> places{};
  for (int direction = 0; direction < kDirections; ++direction) {
    auto place = places[static_cast<std::size_t>(direction)].begin();
    for (int distance = 1; distance <= RidgeParams::kMaxReach; ++distance) {
      *place++ = photometric::AcrossLine(direction, distance);
      *place++ = photometric::AcrossLine(direction, -distance);
    }
  }
  return places;
}

/// 1024 times the energy between four pixels; what lies outside is 0.
std::int64_t EnergyAt(const Plane& energy, const BilinearTap& place, int x, int y) {
  std::int64_t sum = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const int cx = x + place.x + (corner & 1), cy = y + place.y + (corner >> 1);
    if (cx < 0 || cy < 0 || cx >= energy.width() || cy >= energy.height()) continue;
    sum += std::int64_t{place.w[corner]} * energy.Row<std::int32_t>(cy)[cx];
  }
  return sum;
}

bool IsRidge(const Plane& energy, const Across& across, const RidgeParams& params, int x, int y) {
  const std::int64_t own = std::int64_t{1024} * energy.Row<std::int32_t>(y)[x];
  for (std::size_t i = 0; i < across.size(); ++i) {
    const std::int64_t other = EnergyAt(energy, across[i], x, y);
    if (photometric::IsSuppressed(params, static_cast<int>(i) / 2 + 1, own, other)) return false;
  }
  return true;
}

class CpuRidge final : public RidgeStage {
 public:
  explicit CpuRidge(ThreadPool* pool) : pool_(*pool), places_(AllPlaces()) {}

  absl::StatusOr<Plane> Run(const LineEvidence& evidence, std::int32_t above_energy,
                            std::int32_t above_point, const RidgeParams& params) override {
    GLINT_RETURN_IF_ERROR(CheckParams(params));
    GLINT_RETURN_IF_ERROR(photometric::CheckEvidence("ridges", evidence, {}));
    Plane ridges;
    GLINT_RETURN_IF_ERROR(HostCall("ridges", [&] {
      ridges = Plane::Host(evidence.energy.size(), PixelType::kU8);
      ForRows(pool_, ridges.height(), [&](Rows rows) {
        for (int y = rows.begin; y < rows.end; ++y) {
          MarkRow(evidence, above_energy, above_point, params, y, ridges.Row<std::uint8_t>(y));
        }
      });
    }));
    return ridges;
  }

 private:
  void MarkRow(const LineEvidence& evidence, std::int32_t above_energy, std::int32_t above_point,
               const RidgeParams& params, int y, std::uint8_t* out) const {
    const auto* energy = evidence.energy.Row<std::int32_t>(y);
    const auto* point = evidence.point.Row<std::int32_t>(y);
    const auto* direction = evidence.direction.Row<std::uint8_t>(y);
    for (int x = 0; x < evidence.energy.width(); ++x) {
      const bool strong = energy[x] > above_energy && point[x] > above_point;
      out[x] = strong && IsRidge(evidence.energy, places_[direction[x] % kDirections], params, x, y)
                   ? 255
                   : 0;
    }
  }

  ThreadPool& pool_;
  std::array<Across, kDirections> places_;
};

}  // namespace

GLINT_DEFINE_CPU_STAGE(Ridge, CpuRidge)

}  // namespace glint
