// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/canvas.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "base/mat.h"
#include "bench/synth/maths.h"

namespace glint {
namespace {

constexpr int kSupersampling = 2;
constexpr int kShift = 4;  // fractional bits of OpenCV's fixed-point coordinates
constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
constexpr double kCapitalPixels = 21;  // height of its capitals at scale 1

cv::Scalar ToScalar(Colour colour) {
  return {static_cast<double>(colour.r), static_cast<double>(colour.g),
          static_cast<double>(colour.b)};
}

int Fixed(double pixels) { return static_cast<int>(std::floor(pixels * (1 << kShift) + 0.5)); }

std::vector<cv::Point> FixedPoints(const std::vector<Point>& points, double scale) {
  std::vector<cv::Point> fixed;
  fixed.reserve(points.size());
  for (const Point& point : points)
    fixed.emplace_back(Fixed(point.x * scale), Fixed(point.y * scale));
  return fixed;
}

int MixChannel(int from, int to, double t) {
  return static_cast<int>(std::floor(from + (to - from) * t + 0.5));
}

}  // namespace

Colour Mix(Colour from, Colour to, double t) {
  return {MixChannel(from.r, to.r, t), MixChannel(from.g, to.g, t), MixChannel(from.b, to.b, t)};
}

Canvas::Canvas(Size size)
    : image_(size.height * kSupersampling, size.width * kSupersampling, CV_8UC3,
             cv::Scalar::all(255)),
      scale_(size.width * kSupersampling / 1000.0) {}

int Canvas::Pixels(double length) const {
  return static_cast<int>(std::floor(length * scale_ + 0.5));
}

Canvas Canvas::Part(const Box& box) const {
  const cv::Rect wanted(Pixels(box.x), Pixels(box.y), std::max(1, Pixels(box.width)),
                        std::max(1, Pixels(box.height)));
  return {image_(wanted & cv::Rect(0, 0, image_.cols, image_.rows)), scale_};
}

void Canvas::Fill(const Box& box, Colour colour) {
  Polygon({{box.x, box.y},
           {box.x + box.width, box.y},
           {box.x + box.width, box.y + box.height},
           {box.x, box.y + box.height}},
          colour);
}

void Canvas::Gradient(const Box& box, Colour top, Colour bottom) {
  Canvas part = Part(box);
  for (int y = 0; y < part.image_.rows; ++y) {
    part.image_.row(y).setTo(ToScalar(Mix(top, bottom, (y + 0.5) / part.image_.rows)));
  }
}

void Canvas::Polygon(const std::vector<Point>& points, Colour colour) {
  const std::vector<std::vector<cv::Point>> shapes = {FixedPoints(points, scale_)};
  cv::fillPoly(image_, shapes, ToScalar(colour), cv::LINE_AA, kShift);
}

void Canvas::Stroke(const std::vector<Point>& points, Colour colour, double thickness,
                    bool closed) {
  cv::polylines(image_, FixedPoints(points, scale_), closed, ToScalar(colour),
                std::max(1, Pixels(thickness)), cv::LINE_AA, kShift);
}

void Canvas::Ellipse(Point centre, double radius_x, double radius_y, Colour colour) {
  cv::ellipse(image_, {Fixed(centre.x * scale_), Fixed(centre.y * scale_)},
              {Fixed(radius_x * scale_), Fixed(radius_y * scale_)}, 0, 0, 360, ToScalar(colour),
              cv::FILLED, cv::LINE_AA, kShift);
}

void Canvas::EllipseLine(Point centre, double radius_x, double radius_y, Colour colour,
                         double thickness) {
  cv::ellipse(image_, {Fixed(centre.x * scale_), Fixed(centre.y * scale_)},
              {Fixed(radius_x * scale_), Fixed(radius_y * scale_)}, 0, 0, 360, ToScalar(colour),
              std::max(1, Pixels(thickness)), cv::LINE_AA, kShift);
}

void Canvas::Frame(const Box& box, Colour colour, double thickness) {
  Stroke({{box.x, box.y},
          {box.x + box.width, box.y},
          {box.x + box.width, box.y + box.height},
          {box.x, box.y + box.height}},
         colour, thickness, true);
}

void Canvas::Halftone(const Box& box, Colour colour, double pitch, double small, double large) {
  Canvas part = Part(box);
  const double row_pitch = pitch / 2;
  double y = 0;
  for (int row = 0; y < box.height + pitch; ++row) {
    const double share = small + (large - small) * std::min(1.0, y / box.height);
    double x = row % 2 == 0 ? 0 : pitch / 2;
    while (share > 0 && x < box.width + pitch) {
      part.Ellipse({x, y}, share * pitch, share * pitch, colour);
      x += pitch;
    }
    y += row_pitch;
  }
}

double Canvas::TextWidth(const std::string& text, double capital_height) const {
  int baseline = 0;
  // At scale 1, where the answer is exact, instead of at a scale that would be rounded.
  const cv::Size size = cv::getTextSize(text, kFont, 1, 1, &baseline);
  return size.width * capital_height / kCapitalPixels;
}

void Canvas::Text(const std::string& text, Point centre, double capital_height, Colour colour,
                  double thickness) {
  const double left = centre.x - TextWidth(text, capital_height) / 2;
  cv::putText(image_, text, {Pixels(left), Pixels(centre.y + capital_height / 2)}, kFont,
              capital_height * scale_ / kCapitalPixels, ToScalar(colour),
              std::max(1, Pixels(thickness)), cv::LINE_AA);
}

void Canvas::Wash(std::uint32_t seed, double grain, double strength) {
  constexpr int kCell = 4;  // pixels that share one value: the noise is smooth
  for (int top = 0; top < image_.rows; top += kCell) {
    for (int left = 0; left < image_.cols; left += kCell) {
      const double noise =
          FractalNoise(left / (grain * scale_), top / (grain * scale_), seed, 4) - 0.5;
      const int gain = static_cast<int>(std::floor(256 * (1 + 2 * strength * noise)));
      for (int y = top; y < std::min(top + kCell, image_.rows); ++y) {
        auto* pixels = image_.ptr<std::uint8_t>(y);
        for (int i = 3 * left; i < 3 * std::min(left + kCell, image_.cols); ++i) {
          pixels[i] = static_cast<std::uint8_t>(std::min(255, pixels[i] * gain / 256));
        }
      }
    }
  }
}

Plane Canvas::Finish() const {
  Plane plane =
      Plane::Host({image_.cols / kSupersampling, image_.rows / kSupersampling}, PixelType::kU8x3);
  cv::Mat finished = AsMat(plane);
  cv::resize(image_, finished, finished.size(), 0, 0, cv::INTER_AREA);  // exact mean of 2x2
  return plane;
}

}  // namespace glint
