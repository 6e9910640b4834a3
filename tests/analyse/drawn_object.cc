// SPDX-License-Identifier: Apache-2.0
#include "analyse/drawn_object.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "analyse/rectify.h"

namespace glint {
namespace {

using Colour = std::array<double, 3>;

constexpr int kSamples = 3;  // per pixel and axis

std::uint32_t Hash(int x, int y, int salt) {
  std::uint32_t h = static_cast<std::uint32_t>(x) * 0x9E3779B1U ^
                    static_cast<std::uint32_t>(y) * 0x85EBCA77U ^
                    static_cast<std::uint32_t>(salt) * 0xC2B2AE3DU;
  h = (h ^ (h >> 15)) * 0x2C1B3C6DU;
  h = (h ^ (h >> 12)) * 0x297A2D39U;
  return h ^ (h >> 15);
}

Colour RandomColour(int x, int y, int salt) {
  const std::uint32_t h = Hash(x, y, salt);
  return {static_cast<double>(h & 255U), static_cast<double>((h >> 8) & 255U),
          static_cast<double>((h >> 16) & 255U)};
}

Colour TableAt(const DrawnScene& scene, Point p) {
  const int x = static_cast<int>(std::floor(p.x));
  const int y = static_cast<int>(std::floor(p.y));
  if (scene.equal_luma) return {120, 120, 120};
  if (scene.table == Table::kGrain) {
    const double streak = Hash(0, y / 3, 7) % 40;
    return {70 + streak, 45 + streak * 0.7, 30 + streak * 0.5};
  }
  if (scene.table == Table::kBusy) {
    // Discs of all colours, one in each cell of 26 pixels.
    const int column = x / 26;
    const int row = y / 26;
    const std::uint32_t h = Hash(column, row, 5);
    const Point middle{26.0 * column + 8 + h % 10, 26.0 * row + 8 + (h >> 8) % 10};
    if (Distance(p, middle) < 7 + (h >> 16) % 6) return RandomColour(column, row, 3);
    return {90, 80, 60};
  }
  return {60, 80, 110};
}

/// The artwork in units of a hundredth of its width.
Colour ArtworkAt(const DrawnScene& scene, double u, double v) {
  const double height = scene.height;
  const Colour border = scene.equal_luma ? Colour{190, 95, 60} : Colour{235, 230, 220};
  const double rim = std::min({u, v, 100 - u, height - v});
  if (scene.inner_frame && rim < 9) return rim < 6 ? Colour{105, 125, 150} : Colour{20, 20, 20};
  if (scene.blank || rim < 4) return border;
  const int x = static_cast<int>(u / 6.3);
  const int y = static_cast<int>(v / 4.7);
  const bool dot = std::hypot(u - 6.3 * (x + 0.5), v - 4.7 * (y + 0.5)) < 1.2;
  return RandomColour(x, y, dot ? 11 : 12);
}

bool OnObject(const DrawnScene& scene, double u, double v) {
  const double height = scene.height;
  if (u < 0 || v < 0 || u > 100 || v > height) return false;
  if ((100 - u) + v < scene.missing_corner) return false;
  const double r = scene.round_corners;
  const double du = std::max({r - u, u - (100 - r), 0.0});
  const double dv = std::max({r - v, v - (height - r), 0.0});
  return du * du + dv * dv <= r * r || r == 0;
}

class DrawnPicture : public RawPicture {
 public:
  DrawnPicture(Plane rgb, Plane luma) : rgb_(std::move(rgb)), luma_(std::move(luma)) {}
  Plane ToRgb() const override { return rgb_; }
  Plane ToLuma() const override { return luma_; }

 private:
  Plane rgb_, luma_;
};

/// Colour of every point of the scene.
class Painter {
 public:
  explicit Painter(const DrawnScene& scene) : scene_(scene) {
    if (scene.edges)
      object_from_frame_ = *Inverse(FrameFromObject(*scene.edges, {100, scene.height}));
  }

  Colour At(Point p) const {
    if (scene_.edges) {
      const Quadrilateral& q = *scene_.edges;
      const Point finger = (q[0] + q[3]) * 0.5;
      const double reach = 0.12 * Distance(q[0], q[3]);
      if (scene_.finger && Distance(p, finger) < reach) return {200, 150, 120};
      const Point on = Map(object_from_frame_, p);
      if (OnObject(scene_, on.x, on.y)) return ArtworkAt(scene_, on.x, on.y);
    }
    return TableAt(scene_, p);
  }

 private:
  const DrawnScene& scene_;
  Homography object_from_frame_{};
};

}  // namespace

VideoFrame DrawFrame(const DrawnScene& scene, std::int64_t index) {
  const Painter painter(scene);
  std::mt19937 random(scene.seed + static_cast<std::uint32_t>(index));
  Plane rgb = Plane::Host(scene.frame, PixelType::kU8x3);
  for (int y = 0; y < scene.frame.height; ++y) {
    for (int x = 0; x < scene.frame.width; ++x) {
      Colour sum{};
      for (int s = 0; s < kSamples * kSamples; ++s) {
        const double dx = (s % kSamples + 0.5) / kSamples - 0.5;
        const int row = s / kSamples;
        const double dy = (row + 0.5) / kSamples - 0.5;
        const Colour colour = painter.At({x + dx, y + dy});
        for (std::size_t c = 0; c < 3; ++c) sum[c] += colour[c] / (kSamples * kSamples);
      }
      const double noise = static_cast<double>(random() % 9) - 4;
      for (std::size_t c = 0; c < 3; ++c) {
        rgb.Row<std::uint8_t>(y)[3 * x + static_cast<int>(c)] =
            static_cast<std::uint8_t>(std::clamp(sum[c] + noise, 0.0, 255.0));
      }
    }
  }
  return FrameOf(rgb, index);
}

VideoFrame FrameOf(const Plane& rgb, std::int64_t index) {
  VideoFrame frame;
  frame.index = index;
  frame.luma = Plane::Host(rgb.size(), PixelType::kU8);
  for (int y = 0; y < rgb.height(); ++y) {
    const std::uint8_t* from = rgb.Row<std::uint8_t>(y);
    for (int x = 0; x < rgb.width(); ++x) {
      const int grey = 77 * from[0] + 150 * from[1] + 29 * from[2];
      from += 3;
      frame.luma.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>((grey + 128) / 256);
    }
  }
  frame.picture = std::make_shared<DrawnPicture>(rgb, frame.luma);
  return frame;
}

double CornerError(const LocatedObject& located, const Quadrilateral& edges) {
  const double right = located.size.width - 0.5;
  const double bottom = located.size.height - 0.5;
  Quadrilateral found =
      Map(FrameFromObject(located.corners, located.size),
          Quadrilateral{{{-0.5, -0.5}, {right, -0.5}, {right, bottom}, {-0.5, bottom}}});
  double least = std::numeric_limits<double>::max();
  for (int turn = 0; turn < 4; ++turn) {
    least = std::min(least, CornerDistance(found, edges));
    std::rotate(found.begin(), found.begin() + 1, found.end());
  }
  return least;
}

LocatedObject ObjectAt(const Quadrilateral& corners, std::int64_t frame) {
  LocatedObject object;
  object.reference_frame = frame;
  object.corners = corners;
  object.size = RectifiedSize(corners);
  return object;
}

double Missed(const RegisteredView& view, const LocatedObject& object, const Quadrilateral& truth) {
  const double w = object.size.width;
  const double h = object.size.height;
  const Quadrilateral found =
      Map(view.frame_from_object, Quadrilateral{{{0, 0}, {w, 0}, {w, h}, {0, h}}});
  double most = 0;
  for (std::size_t i = 0; i < 4; ++i) most = std::max(most, Distance(found[i], truth[i]));
  return most;
}

}  // namespace glint
