// SPDX-License-Identifier: Apache-2.0
// Damage that takes material away: a tear, a missing corner, worn corners.
#include <algorithm>
#include <cmath>

#include "bench/synth/damage_field.h"
#include "bench/synth/maths.h"

namespace glint {
namespace {

/// The pale, fibrous inside of paper.
void ShowFibres(Texel& texel, double share, double noise) {
  const auto keep = static_cast<float>(1 - share);
  const auto pale = static_cast<float>(share * (0.62 + 0.22 * noise));
  texel[kRed] = texel[kRed] * keep + pale;
  texel[kGreen] = texel[kGreen] * keep + pale * 0.97F;
  texel[kBlue] = texel[kBlue] * keep + pale * 0.9F;
  texel[kGloss] *= 1 - 0.8F * static_cast<float>(share);
}

/// Distances of a pixel from the two sides that meet in a corner (0 TL, 1 TR, 2 BR, 3 BL).
Point FromCorner(const Surface& surface, int corner, int x, int y) {
  const bool right = corner == 1 || corner == 2;
  const bool bottom = corner >= 2;
  return {static_cast<double>(right ? surface.size().width - x : x),
          static_cast<double>(bottom ? surface.size().height - y : y)};
}

}  // namespace

void Tear(Surface& surface, const Plane& ids, int id, const DamagePath& path, double gap_half,
          Random& random) {
  const double scale = surface.scale();
  const std::uint32_t seed = random.Bits();
  const double side = random.Chance(0.5) ? 1 : -1;
  ForEachNear(surface, path, gap_half * 2 + 9 * scale, [&](int x, int y, const NearPath& near) {
    const double rest = 1 - near.along / near.length;
    const double rough = FractalNoise(x / (3 * scale), y / (3 * scale), seed, 3);
    const double gap = gap_half * std::sqrt(std::max(0.0, rest)) * (0.6 + 0.8 * rough);
    const double lip = (side * near.across > 0 ? 3.2 : 1.2) * scale * (0.5 + rough);
    const double from_gap = near.distance - gap;
    Texel& texel = surface.At(x, y);
    texel[kCover] =
        std::min(texel[kCover], static_cast<float>(std::clamp(from_gap + 0.5, 0.0, 1.0)));
    const double fibres = std::clamp(lip - from_gap + 0.5, 0.0, 1.0);
    if (fibres > 0) ShowFibres(texel, fibres, rough);
    surface.HeightAt(x, y) +=
        static_cast<float>(scale * Bell((from_gap - 0.5 * lip) / (1.4 * scale)));
    if (from_gap <= lip + 0.5) MarkId(surface, ids, x, y, id);
  });
}

void BreakOffCorner(Surface& surface, const Plane& ids, int id, int corner, double along_x,
                    double along_y, Random& random) {
  const double scale = surface.scale();
  const std::uint32_t seed = random.Bits();
  const double slope = std::sqrt(1 / (along_x * along_x) + 1 / (along_y * along_y));
  for (int y = -surface.margin(); y < surface.size().height + surface.margin(); ++y) {
    for (int x = -surface.margin(); x < surface.size().width + surface.margin(); ++x) {
      const Point from = FromCorner(surface, corner, x, y);
      const double rough = FractalNoise(x / (16 * scale), y / (16 * scale), seed, 5) - 0.5;
      const double distance =
          (from.x / along_x + from.y / along_y - 1) / slope + 20 * scale * rough;
      if (distance > 12 * scale) continue;
      Texel& texel = surface.At(x, y);
      texel[kCover] =
          std::min(texel[kCover], static_cast<float>(std::clamp(distance + 0.5, 0.0, 1.0)));
      const double noise = ValueNoise(x / (2.5 * scale), y / (2.5 * scale), seed + 9);
      const double rim = (1 + 2.4 * noise) * scale;
      ShowFibres(texel, std::clamp(rim - distance + 0.5, 0.0, 1.0), noise);
      surface.HeightAt(x, y) +=
          static_cast<float>(0.8 * scale * Bell((distance - rim) / (2 * scale)));
      if (distance <= rim + 0.5) MarkId(surface, ids, x, y, id);
    }
  }
}

void WearCorner(Surface& surface, const Plane& ids, int id, int corner, double radius,
                Random& random) {
  const double scale = surface.scale();
  const std::uint32_t seed = random.Bits();
  for (int y = 0; y < surface.size().height; ++y) {
    for (int x = 0; x < surface.size().width; ++x) {
      const Point from = FromCorner(surface, corner, x, y);
      if (from.x > radius * 1.5 || from.y > radius * 1.5 || surface.At(x, y)[kCover] < 0.05F)
        continue;
      // Distance from the rim of the object near its corner: wear follows the edge.
      const double round = radius * 0.9;
      const double dx = std::max(0.0, round - from.x);
      const double dy = std::max(0.0, round - from.y);
      const double inside =
          dx > 0 && dy > 0 ? round - std::sqrt(dx * dx + dy * dy) : std::min(from.x, from.y);
      const double far = std::max(from.x, from.y) / (radius * 1.5);
      const double noise = FractalNoise(x / (5 * scale), y / (5 * scale), seed, 4);
      const double depth = (9 * noise - 1.2) * scale * (1 - far);
      const double share = std::clamp(depth - inside + 0.5, 0.0, 1.0);
      if (share <= 0) continue;
      ShowFibres(surface.At(x, y), share, noise);
      surface.HeightAt(x, y) -= static_cast<float>(0.5 * scale * share * noise);
      if (share > 0.3) MarkId(surface, ids, x, y, id);
    }
  }
}

}  // namespace glint
