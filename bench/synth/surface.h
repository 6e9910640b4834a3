// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/synth/synth.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// One damage, as the labels tell it.
struct SynthDefect {
  int id = 0;            ///< value of its pixels in the masks, 1..255
  std::string type;      ///< "crease", "scratch", "spine_tick", "tear", "missing_corner",
                         ///< "corner_wear", "stain" or "scuff"
  std::string severity;  ///< "light", "medium" or "heavy"
  Rectangle box;         ///< object pixels
  std::int64_t area_px = 0;
  double peak_delta = 0;  ///< strongest change of luma that it causes in a frame, 0..255
  int peak_frame = 0;     ///< where it causes that
};

/// What the eight numbers of a Texel are.
enum Channel {
  kRed,  ///< reflectance 0..1, linear light
  kGreen,
  kBlue,
  kGloss,   ///< factor on the specular reflection
  kSlopeX,  ///< rise of the surface per object pixel to the right
  kSlopeY,  ///< ... down
  kCover,   ///< 1 where there is object, 0 where the desk shows
  kShade,   ///< factor on the light that reaches the desk here
};
using Texel = std::array<float, 8>;

/// The filmed object: all that light and camera need to know, per object pixel.
///
/// Pixel (x, y) describes the point (x, y); the object reaches from (0, 0) to (width, height). A
/// margin around it holds the smooth end of `kCover` and the shadow on the desk.
class Surface {
 public:
  /// An undamaged object. @param art  kU8x3, gamma-coded: what is printed on it
  Surface(SynthKind kind, const Plane& art, std::uint32_t seed);

  Size size() const { return size_; }
  int margin() const { return margin_; }
  /// Lengths that are given for an object of 782 pixels (root of its area) times this are pixels;
  /// at least 0.6, so that lines stay visible on small ones.
  double scale() const { return scale_; }

  /// -margin <= x < width + margin, likewise y.
  Texel& At(int x, int y) { return texels_[Index(x, y)]; }
  const Texel& At(int x, int y) const { return texels_[Index(x, y)]; }
  float& HeightAt(int x, int y) { return heights_[Index(x, y)]; }
  bool Contains(int x, int y) const {
    return x >= -margin_ && y >= -margin_ && x < size_.width + margin_ &&
           y < size_.height + margin_;
  }
  bool OnObject(int x, int y) const {
    return x >= 0 && y >= 0 && x < size_.width && y < size_.height;
  }

  /// Turns heights into slopes and the cover into a shadow. Call once, when nothing is changed any
  /// more; frees the heights.
  void Finish();

  /// The texels around a point, weighted. @param x,y  within the margin, less one pixel
  Texel Sample(double x, double y) const;

 private:
  std::size_t Index(int x, int y) const {
    return static_cast<std::size_t>(y + margin_) * static_cast<std::size_t>(stride_) +
           static_cast<std::size_t>(x + margin_);
  }
  void Print(const Plane& art);
  void Shape(SynthKind kind);
  void Relieve(SynthKind kind, std::uint32_t seed);
  void CastShadow();

  Size size_;
  double scale_;
  int margin_;
  int stride_;
  std::vector<Texel> texels_;
  std::vector<float> heights_;  // object pixels
};

}  // namespace glint
