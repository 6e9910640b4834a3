// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "bench/synth/camera.h"
#include "bench/synth/damage.h"
#include "bench/synth/desk.h"
#include "bench/synth/finger.h"
#include "bench/synth/light.h"
#include "bench/synth/surface.h"
#include "bench/synth/synth.h"

namespace glint {

/// Everything that is filmed, and how.
struct Scene {
  SynthKind kind = SynthKind::kPage;
  Size display_size;
  CameraPath camera;
  std::vector<Lamps> lamps;  ///< per frame
  SynthLight light = SynthLight::kSwing;
  double bend_px = 0;           ///< how far the object's middle bulges, object pixels
  std::vector<Finger> fingers;  ///< per frame; empty when there are none
  Surface surface;
  Desk desk;
  Damage damage;
};

/// Sets the scene up: art, desk, camera, lamp and damage of the options. Measures what each damage
/// changes at most.
/// @param options  valid
Scene BuildScene(const SynthOptions& options);

/// What the camera sees of a scene in one frame, before the sensor.
class SceneView {
 public:
  SceneView(const Scene& scene, const Surface& surface, std::size_t frame);

  /// The light from a point of the object, object pixels; desk where there is no object.
  /// @return gamma-coded R, G, B, 0..255
  std::array<float, 3> Colour(double x, double y) const;

  /// The point that is seen where a flat object would show (x, y): bent objects bulge towards the
  /// eye, between their left and right sides.
  Point Hit(double x, double y) const;

  /// What is seen there, be it a finger. As Colour.
  std::array<float, 3> Seen(double x, double y) const;

 private:
  struct Height {
    double height = 0;  // object pixels above the plane
    double slope = 0;   // its rise to the right
  };
  Height Bulge(double x) const;

  const Surface& surface_;
  const Desk& desk_;
  Shading object_light_;
  Shading desk_light_;
  const Finger* finger_;
  Position eye_px_;  // object pixels
  double bend_px_;
  double longer_;
  float exposure_;
};

}  // namespace glint
