// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/finger.h"

#include <algorithm>
#include <cmath>

#include "bench/synth/maths.h"
#include "bench/synth/random.h"

namespace glint {

FingerTexel Finger::At(double x, double y) const {
  if (radius <= 0) return {};
  const double along_x = tip.x - root.x, along_y = tip.y - root.y;
  const double length_square = along_x * along_x + along_y * along_y;
  const double at = ((x - root.x) * along_x + (y - root.y) * along_y) / length_square;
  const double nearest = std::clamp(at, 0.0, 1.0);
  const double dx = x - root.x - nearest * along_x, dy = y - root.y - nearest * along_y;
  const double distance = std::sqrt(dx * dx + dy * dy);
  FingerTexel texel;
  texel.cover = static_cast<float>(std::clamp(radius - distance + 0.5, 0.0, 1.0));
  if (texel.cover == 0) return texel;
  // Round: darker towards its sides. The red of the skin is linear light.
  const double side = std::min(distance / radius, 1.0);
  const auto bright = static_cast<float>(0.35 + 0.65 * std::sqrt(1 - side * side));
  texel.light = {0.62F * bright, 0.36F * bright, 0.27F * bright};
  return texel;
}

std::vector<Finger> ReachIn(Size object, int frames, int frames_per_s, std::uint32_t seed) {
  Random random(seed, 8);
  const bool right = random.Chance(0.5);
  const double radius = 0.035 * std::max(object.width, object.height) * random.Uniform(0.8, 1.2);
  const double reach = object.width * random.Uniform(0.12, 0.22);
  const double hertz = random.Uniform(0.2, 0.35);
  const double phase = random.Unit();
  const double place = object.height * random.Uniform(0.3, 0.7);
  const double wander = object.height * random.Uniform(0.05, 0.15);
  std::vector<Finger> fingers;
  for (int i = 0; i < frames; ++i) {
    const double seconds = static_cast<double>(i) / frames_per_s;
    const double in = SmoothStep(-0.2, 0.6, Sine(hertz * seconds + phase));
    if (in <= 0) {
      fingers.push_back({});
      continue;
    }
    const double y = place + wander * Sine(0.13 * seconds + phase);
    const double deep = in * (reach + radius) - radius;  // how far inside the side the tip is
    const double outside = -0.5 * object.width;
    const auto from_side = [&](double x) { return right ? object.width - x : x; };
    fingers.push_back(
        {{from_side(outside), y + 0.1 * object.height}, {from_side(deep), y}, radius});
  }
  return fingers;
}

}  // namespace glint
