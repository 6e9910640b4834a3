// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/light.h"

#include <algorithm>
#include <cmath>

#include "bench/synth/maths.h"
#include "bench/synth/random.h"

namespace glint {
namespace {

struct Vector {
  float x, y, z;
};

float Dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

Vector Unit(const Vector& v) {
  const float inverse = 1.0F / std::sqrt(Dot(v, v));
  return {v.x * inverse, v.y * inverse, v.z * inverse};
}

/// base^exponent for 0 <= base <= 1 in multiplications only: (1 - (1 - base) * e / 64)^64, which
/// for the bases near 1 that matter is the power, and falls to 0 smoothly.
float Lobe(float base, float exponent) {
  float power = std::max(0.0F, 1.0F - (1.0F - base) * exponent / 64.0F);
  for (int i = 0; i < 6; ++i) power *= power;
  return power;
}

/// The path of a lamp that is swung. @param stream  of its own for each lamp
std::vector<Position> SwingLamp(std::size_t frames, int frames_per_s, std::uint32_t seed,
                                std::uint32_t stream) {
  Random random(seed, stream);
  const double reach_x = random.Uniform(0.85, 1.1);
  const double reach_y = random.Uniform(0.6, 0.9);
  const double hertz_x = random.Uniform(0.17, 0.3);
  const double hertz_y = hertz_x * random.Uniform(1.3, 1.9);
  const double phase_x = random.Unit();
  const double phase_y = random.Unit();
  const double height = random.Uniform(0.9, 1.2);
  std::vector<Position> lamps;
  for (std::size_t i = 0; i < frames; ++i) {
    const double seconds = static_cast<double>(i) / frames_per_s;
    lamps.push_back({reach_x * Sine(hertz_x * seconds + phase_x),
                     reach_y * Sine(hertz_y * seconds + phase_y),
                     height * (1 + 0.08 * Sine(0.11 * seconds + phase_x))});
  }
  return lamps;
}

Finish Printed(SynthKind kind) {
  switch (kind) {
    case SynthKind::kPage:
      return {0.56F, 0.64F, 0.16F, 14};
    case SynthKind::kCover:
      return {0.54F, 0.60F, 0.34F, 36};
    case SynthKind::kCard:
      return {0.54F, 0.60F, 0.42F, 56};
  }
  return {};
}

}  // namespace

std::vector<Lamps> PlaceLamps(SynthLight light, const CameraPath& camera, int frames_per_s,
                              std::uint32_t seed) {
  constexpr std::uint32_t kFirst = 4, kSecond = 9;  // streams
  const std::size_t frames = camera.frames.size();
  std::vector<Lamps> lamps(frames);
  const std::vector<Position> first = SwingLamp(frames, frames_per_s, seed, kFirst);
  const std::vector<Position> second = SwingLamp(frames, frames_per_s, seed, kSecond);
  for (std::size_t i = 0; i < frames; ++i) {
    lamps[i] = {light == SynthLight::kStill ? camera.frames[i].fixed : first[i]};
    if (light == SynthLight::kTwo) lamps[i].push_back(second[i]);
  }
  return lamps;
}

Finish FinishOf(SynthKind kind, SynthLight light) {
  Finish finish = Printed(kind);
  if (light != SynthLight::kDiffuse) return finish;
  constexpr float kScattered = 0.6F;  // share of the lamp's light that comes from everywhere
  finish.ambient += kScattered * finish.diffuse;
  finish.diffuse *= 1 - kScattered;
  finish.specular *= 1 - kScattered;
  finish.sharpness *= 0.5F;
  return finish;
}

Radiance Shading::At(float x, float y, const Texel& texel) const {
  const Vector normal = Unit({-texel[kSlopeX], -texel[kSlopeY], 1});
  const float each = 1.0F / static_cast<float>(lamps_.size());
  float lambert = 0;
  float highlight = 0;
  for (const Position& lamp : lamps_) {
    const auto lamp_z = static_cast<float>(lamp.z);
    const Vector to_lamp = {static_cast<float>(lamp.x) - x, static_cast<float>(lamp.y) - y, lamp_z};
    const float falloff = lamp_z * lamp_z / Dot(to_lamp, to_lamp);
    const Vector light = Unit(to_lamp);
    lambert += each * (std::max(0.0F, Dot(normal, light)) * falloff);
    if (finish_.specular <= 0) continue;
    const Vector view = Unit({static_cast<float>(eye_.x) - x, static_cast<float>(eye_.y) - y,
                              static_cast<float>(eye_.z)});
    const Vector half = Unit({light.x + view.x, light.y + view.y, light.z + view.z});
    highlight += each * (finish_.specular * texel[kGloss] *
                         Lobe(std::max(0.0F, Dot(normal, half)), finish_.sharpness));
  }
  const float white = finish_.ambient + finish_.diffuse * lambert;
  return {texel[kRed] * white + highlight, texel[kGreen] * white + highlight,
          texel[kBlue] * white + highlight};
}

}  // namespace glint
