// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "glint/plane.h"
#include "glint/report.h"
#include "glint/stages.h"

namespace glint {

/// A point above the object: x to the right and y down its surface, z up from it; the object's
/// longer side is 1 and its middle the origin.
struct Position {
  double x = 0, y = 0, z = 0;
};

/// The camera at one frame.
struct CameraFrame {
  Homography frame_from_object{};  ///< object pixels to displayed pixels
  Homography object_from_frame{};
  Position eye;         ///< where the camera is
  Position fixed;       ///< where a point that stays beside the camera is
  double exposure = 1;  ///< factor on the light
  double defocus = 0;   ///< standard deviation of the blur, displayed pixels
};

/// A handheld camera over a whole scan.
struct CameraPath {
  Size flat_size;  ///< object pixels: about as many as the frames show
  std::vector<CameraFrame> frames;
  std::vector<double> motion_px;  ///< mean movement of the object since the frame before; 0 first

  /// The object's corners in a frame, displayed pixels: its pixels (0, 0), (w, 0), (w, h), (0, h).
  Quadrilateral Corners(std::size_t frame) const;
};

/// Where the map carries a point.
inline Point Apply(const Homography& map, Point point) {
  const double scale = 1 / (map[6] * point.x + map[7] * point.y + map[8]);
  return {(map[0] * point.x + map[1] * point.y + map[2]) * scale,
          (map[3] * point.x + map[4] * point.y + map[5]) * scale};
}

/// Films an object: slow drift, tremor of the hand, tilt, breathing exposure, sometimes a moment
/// out of focus. The whole object stays in every frame. An object that lies across the frame (a
/// page in a landscape video) is filmed with the phone turned by 90 degrees.
/// @param aspect   width / height of the object
/// @param display  size of the frames
/// @param tilting  the object is tilted to and fro, three times as far as it sways otherwise
CameraPath FilmByHand(double aspect, Size display, int frames, int frames_per_s, std::uint32_t seed,
                      bool tilting = false);

}  // namespace glint
