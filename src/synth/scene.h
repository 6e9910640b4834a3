// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "synth/camera.h"
#include "synth/damage.h"
#include "synth/desk.h"
#include "synth/light.h"
#include "synth/surface.h"
#include "synth/synth.h"

namespace glint {

/// Everything that is filmed, and how.
struct Scene {
  SynthKind kind = SynthKind::kPage;
  Size display_size;
  CameraPath camera;
  std::vector<Position> lamps;  ///< one per frame
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

  /// The light from a point of the object's plane, object pixels; desk where there is no object.
  /// @return gamma-coded R, G, B, 0..255
  std::array<float, 3> Colour(double x, double y) const;

 private:
  const Surface& surface_;
  const Desk& desk_;
  Shading object_light_;
  Shading desk_light_;
  double longer_;
  float exposure_;
};

}  // namespace glint
