// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stages/cuda/kernel.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::cuda {

/// The places across a line, at distances 1, -1, 2, -2, ... px.
struct AcrossTable {
  static constexpr int kPlaces = 2 * RidgeParams::kMaxReach;
  photometric::BilinearTap places[photometric::kDirections][kPlaces];
};

/// The pixels along the crest of line evidence.
struct SuppressNonMaximaKernel {
  static constexpr KernelId kId = KernelId::kSuppressNonMaxima;
  using Shape = PixelShape;

  Image<const std::int32_t> energy;
  Image<const std::int32_t> point;
  Image<const std::uint8_t> direction;
  const AcrossTable* across = nullptr;
  std::int32_t above_energy = 0;
  std::int32_t above_point = 0;
  RidgeParams params;
  Image<std::uint8_t> out;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, out.width);
    if (x >= out.width || y >= out.height) return;
    const bool strong = energy.At(x, y) > above_energy && point.At(x, y) > above_point;
    out.At(x, y) = strong && IsRidge(x, y) ? 255 : 0;
  }

 private:
  /// 1024 times the energy between four pixels; what lies outside is 0.
  GLINT_HOST_DEVICE std::int64_t EnergyAt(const photometric::BilinearTap& place, int x,
                                          int y) const {
    std::int64_t sum = 0;
    for (int corner = 0; corner < 4; ++corner) {
      const int u = x + place.x + (corner & 1), v = y + place.y + (corner >> 1);
      if (u < 0 || v < 0 || u >= energy.width || v >= energy.height) continue;
      sum += std::int64_t{place.w[corner]} * energy.At(u, v);
    }
    return sum;
  }

  GLINT_HOST_DEVICE bool IsRidge(int x, int y) const {
    const std::int64_t own = std::int64_t{1024} * energy.At(x, y);
    const auto& places = across->places[direction.At(x, y) % photometric::kDirections];
    for (int i = 0; i < AcrossTable::kPlaces; ++i) {
      const std::int64_t other = EnergyAt(places[i], x, y);
      if (photometric::IsSuppressed(params, i / 2 + 1, own, other)) return false;
    }
    return true;
  }
};

}  // namespace glint::cuda
