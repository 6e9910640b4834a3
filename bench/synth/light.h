// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bench/synth/camera.h"
#include "bench/synth/surface.h"
#include "bench/synth/synth.h"

namespace glint {

/// R, G, B of linear light.
using Radiance = std::array<float, 3>;

/// The lamps of one frame, equally bright; together as bright as one.
using Lamps = std::vector<Position>;

/// Where the lamps are, frame by frame. A lamp swings over the object, as one does that the person
/// who films moves; a still one lies beside the camera. Heights in longer sides.
std::vector<Lamps> PlaceLamps(SynthLight light, const CameraPath& camera, int frames_per_s,
                              std::uint32_t seed);

/// How a material answers to light.
struct Finish {
  float ambient = 0.5F;   ///< light from everywhere
  float diffuse = 0.5F;   ///< of the lamp, when it shines straight down
  float specular = 0.1F;  ///< strength of the highlight
  float sharpness = 16;   ///< exponent of Blinn's highlight: 2 matt .. 100 mirror
};

/// @param light  scattered light fills shadows and blurs highlights, as far as the eye can tell
Finish FinishOf(SynthKind kind, SynthLight light = SynthLight::kSwing);
/// The desk: no highlight.
inline constexpr Finish kDesk{0.5F, 0.5F, 0, 1};

/// Light and eye at one frame.
class Shading {
 public:
  /// @param lamps  outlive this
  Shading(const Finish& finish, const Lamps& lamps, const Position& eye)
      : finish_(finish), lamps_(lamps), eye_(eye) {}

  /// Light that a point sends to the eye: ambient + Lambert + highlight after J. Blinn, "Models of
  /// light reflection for computer synthesized pictures", SIGGRAPH 1977.
  /// @param x,y    the point on the object's plane
  /// @param texel  its material; cover and shade are not looked at
  Radiance At(float x, float y, const Texel& texel) const;

 private:
  Finish finish_;
  const Lamps& lamps_;
  Position eye_;
};

}  // namespace glint
