// SPDX-License-Identifier: Apache-2.0
// Damage with an extent: stains and scuffs.
#include <algorithm>
#include <cmath>

#include "bench/synth/damage.h"
#include "bench/synth/damage_field.h"
#include "bench/synth/maths.h"

namespace glint {
namespace {

/// An uneven blob that fills a box: 1 in its middle, 0 on its outline, below outside.
double BlobAt(const Box& box, double x, double y, std::uint32_t seed) {
  const double u = (x - box.x) / box.width * 2 - 1;
  const double v = (y - box.y) / box.height * 2 - 1;
  const double radius = std::sqrt(u * u + v * v);
  return 1 - radius - 0.45 * (FractalNoise(u * 1.6 + 7, v * 1.6 + 7, seed, 4) - 0.35);
}

template <class Visit>
void ForEachInBox(const Surface& surface, const Box& box, const Visit& visit) {
  const int x1 = std::min(surface.size().width, static_cast<int>(box.x + box.width) + 1);
  const int y1 = std::min(surface.size().height, static_cast<int>(box.y + box.height) + 1);
  for (int y = std::max(0, static_cast<int>(box.y)); y < y1; ++y) {
    for (int x = std::max(0, static_cast<int>(box.x)); x < x1; ++x) visit(x, y);
  }
}

}  // namespace

void Stain(Surface& surface, const Plane& ids, int id, const Box& box, double strength,
           Random& random) {
  const std::uint32_t seed = random.Bits();
  const double edge = 5 * surface.scale() / std::min(box.width, box.height);
  ForEachInBox(surface, box, [&](int x, int y) {
    const double blob = BlobAt(box, x, y, seed);
    if (blob <= 0) return;
    // Dried liquid leaves most of its colour at the rim.
    const double rim = Bell((blob - edge) / edge);
    const double mottle =
        0.8 + 0.4 * ValueNoise(x / (20 * surface.scale()), y / (20 * surface.scale()), seed + 3);
    const double dark = strength * std::min(1.0, blob / edge) * (0.7 * mottle + 0.6 * rim);
    Texel& texel = surface.At(x, y);
    texel[kRed] *= static_cast<float>(1 - 0.55 * dark);
    texel[kGreen] *= static_cast<float>(1 - 0.8 * dark);
    texel[kBlue] *= static_cast<float>(1 - std::min(0.95, 1.3 * dark));
    texel[kGloss] *= 0.8F;
    MarkId(surface, ids, x, y, id);
  });
}

void Scuff(Surface& surface, const Plane& ids, int id, const Box& box, double turns,
           double strength, Random& random) {
  const double scale = surface.scale();
  const std::uint32_t seed = random.Bits();
  ForEachInBox(surface, box, [&](int x, int y) {
    const double blob = BlobAt(box, x, y, seed);
    if (blob <= 0) return;
    surface.At(x, y)[kGloss] *= static_cast<float>(1 - 0.35 * strength * std::min(1.0, 3 * blob));
    MarkId(surface, ids, x, y, id);
  });
  // Scratches of its own, unmarked: the whole field is the defect.
  const Plane nowhere = NoDamage(ids.size()).ids;
  const int count = static_cast<int>(box.width * box.height / (110 * scale * scale));
  const Point direction{Cosine(turns), Sine(turns)};
  for (int i = 0; i < count; ++i) {
    const Point middle{box.x + box.width * random.Unit(), box.y + box.height * random.Unit()};
    const double half = random.Uniform(5, 16) * scale;
    const double lean = random.Uniform(-0.12, 0.12);
    if (BlobAt(box, middle.x, middle.y, seed) <= 0.12) continue;
    const Point to{middle.x + half * (direction.x - lean * direction.y),
                   middle.y + half * (direction.y + lean * direction.x)};
    const Point from{2 * middle.x - to.x, 2 * middle.y - to.y};
    LineProfile fine;
    fine.sigma = 0.75 * scale;
    fine.height = -0.16 * scale * strength * random.Uniform(0.4, 1.2);
    fine.core_half = 0.45 * scale * strength;
    fine.broken = 0.35 * strength;
    PressLine(surface, nowhere, id, BentPath(from, to, 0.02, 0, random), fine, random);
  }
}

}  // namespace glint
