// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <opencv2/core/mat.hpp>
#include <string>
#include <vector>

#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// R, G, B, 0..255 each.
struct Colour {
  int r = 0, g = 0, b = 0;
};

/// The colour `t` of the way from one to the other.
Colour Mix(Colour from, Colour to, double t);

/// Coordinates of a drawing: left, top, width, height.
struct Box {
  double x = 0, y = 0, width = 0, height = 0;

  Point centre() const { return {x + width / 2, y + height / 2}; }
  /// The box without a rim of `margin` on every side.
  Box Inset(double margin) const {
    return {x + margin, y + margin, width - 2 * margin, height - 2 * margin};
  }
};

/// A sheet to draw on. Lengths are in thousandths of the sheet's width, whatever its pixels, so the
/// same drawing comes out at every size. Drawn at twice the size for smooth edges.
class Canvas {
 public:
  /// A white sheet. @param size  of the finished picture, pixels
  explicit Canvas(Size size);

  /// A part of this canvas as a canvas of its own: same units, own origin, clips what leaves it.
  Canvas Part(const Box& box) const;

  double width() const { return image_.cols / scale_; }
  double height() const { return image_.rows / scale_; }
  Box bounds() const { return {0, 0, width(), height()}; }

  void Fill(const Box& box, Colour colour);
  /// From `top` above to `bottom` below.
  void Gradient(const Box& box, Colour top, Colour bottom);
  void Polygon(const std::vector<Point>& points, Colour colour);
  void Stroke(const std::vector<Point>& points, Colour colour, double thickness,
              bool closed = false);
  void Ellipse(Point centre, double radius_x, double radius_y, Colour colour);
  void EllipseLine(Point centre, double radius_x, double radius_y, Colour colour, double thickness);
  void Frame(const Box& box, Colour colour, double thickness);
  /// Dots on a grid turned by 45 degrees that grow from `small` at the top to `large` at the
  /// bottom, both as shares of the pitch.
  void Halftone(const Box& box, Colour colour, double pitch, double small, double large);
  /// One line of capital and small letters. @param centre  its middle
  void Text(const std::string& text, Point centre, double capital_height, Colour colour,
            double thickness);
  /// How wide Text draws it.
  double TextWidth(const std::string& text, double capital_height) const;
  /// Lightens and darkens like watercolour on paper. @param strength  share of the value, 0..1
  void Wash(std::uint32_t seed, double grain, double strength);

  /// The finished picture, kU8x3.
  Plane Finish() const;

 private:
  Canvas(cv::Mat image, double scale) : image_(std::move(image)), scale_(scale) {}
  int Pixels(double length) const;

  cv::Mat image_;  // R, G, B
  double scale_;   // pixels of image_ per unit
};

}  // namespace glint
