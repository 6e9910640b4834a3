// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "synth/camera.h"
#include "synth/surface.h"
#include "synth/synth.h"

namespace glint {

/// R, G, B of linear light.
using Radiance = std::array<float, 3>;

/// Where the lamp is, frame by frame: it swings over the object, as a lamp does that the person who
/// films moves, or the room's light when the object is tilted. Heights in longer sides.
std::vector<Position> SwingLamp(int frames, int frames_per_s, std::uint32_t seed);

/// How a material answers to light.
struct Finish {
  float ambient = 0.5F;   ///< light from everywhere
  float diffuse = 0.5F;   ///< of the lamp, when it shines straight down
  float specular = 0.1F;  ///< strength of the highlight
  float sharpness = 16;   ///< exponent of Blinn's highlight: 2 matt .. 100 mirror
};

Finish FinishOf(SynthKind kind);
/// The desk: no highlight.
inline constexpr Finish kDesk{0.5F, 0.5F, 0, 1};

/// Light and eye at one frame.
class Shading {
 public:
  Shading(const Finish& finish, const Position& lamp, const Position& eye)
      : finish_(finish), lamp_(lamp), eye_(eye) {}

  /// Light that a point sends to the eye: ambient + Lambert + highlight after J. Blinn, "Models of
  /// light reflection for computer synthesized pictures", SIGGRAPH 1977.
  /// @param x,y    the point on the object's plane
  /// @param texel  its material; cover and shade are not looked at
  Radiance At(float x, float y, const Texel& texel) const;

 private:
  Finish finish_;
  Position lamp_;
  Position eye_;
};

}  // namespace glint
