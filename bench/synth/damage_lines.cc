// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "bench/synth/damage_field.h"
#include "bench/synth/damage_tools.h"
#include "bench/synth/maths.h"

namespace glint {
namespace {

/// How strong the line is along its length: uneven, and fading towards free ends.
double StrengthAt(double along, double length, const LineProfile& profile, std::uint32_t seed,
                  double scale) {
  const double fade = std::min(length * 0.25, 14 * scale);
  double strength = 0.7 + 0.5 * ValueNoise(along / (22 * scale), 0.5, seed);
  if (profile.fade_start) strength *= SmoothStep(-1, fade, along);
  if (profile.fade_end) strength *= SmoothStep(-1, fade, length - along);
  return strength;
}

/// The surface's rise at signed distance `across` from the crest.
double BumpAt(double across, const LineProfile& profile) {
  const double bump = Bell(across / profile.sigma);
  // One lip of a crease stays up a little and sinks back over a few widths.
  const double lip = across > 0 ? Bell(across / (3 * profile.sigma)) : 0;
  return profile.height * (bump + profile.skew * (lip - (across > 0 ? bump : 0)));
}

void BreakInk(Texel& texel, double share, double tone) {
  const auto keep = static_cast<float>(1 - share);
  const auto pale = static_cast<float>(share * tone);
  texel[kRed] = texel[kRed] * keep + pale;
  texel[kGreen] = texel[kGreen] * keep + pale * 0.98F;
  texel[kBlue] = texel[kBlue] * keep + pale * 0.93F;
  texel[kGloss] *= 1 - 0.5F * static_cast<float>(share);
}

}  // namespace

DamagePath BentPath(Point from, Point to, double bend, double wobble, Random& random) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const double length = std::sqrt(dx * dx + dy * dy);
  const std::uint32_t seed = random.Bits();
  const int steps = std::max(2, static_cast<int>(length * 2.4));
  DamagePath path;
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    const double aside =
        bend * 4 * t * (1 - t) +
        wobble / std::max(1.0, length) * (FractalNoise(t * length / 24, 0.5, seed, 3) - 0.5) * 2;
    path.push_back({from.x + dx * t - dy * aside, from.y + dy * t + dx * aside});
  }
  return path;
}

void PressLine(Surface& surface, const Plane& ids, int id, const DamagePath& path,
               const LineProfile& profile, Random& random) {
  const double scale = surface.scale();
  const std::uint32_t seed = random.Bits();
  const double side = random.Chance(0.5) ? 1 : -1;
  const double reach = std::max(profile.sigma * 7, profile.label_half + 2);
  ForEachNear(surface, path, reach, [&](int x, int y, const NearPath& near) {
    const double strength = StrengthAt(near.along, near.length, profile, seed, scale);
    surface.HeightAt(x, y) += static_cast<float>(strength * BumpAt(side * near.across, profile));
    const double crumble = ValueNoise(near.along / (5 * scale), 0.5, seed + 1);
    const double open = SmoothStep(-0.04, 0.04, profile.broken - crumble);
    const double core = profile.core_half * strength * (0.5 + crumble);
    const double share = open * std::clamp(core - near.distance + 0.5, 0.0, 1.0);
    if (share > 0) BreakInk(surface.At(x, y), share, 0.8);
    if (near.distance <= profile.label_half && strength > 0.12) MarkId(surface, ids, x, y, id);
  });
}

}  // namespace glint
