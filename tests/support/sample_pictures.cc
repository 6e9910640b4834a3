// SPDX-License-Identifier: Apache-2.0
#include "support/sample_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace glint {
namespace {

struct Colour {
  int r, g, b;
};

void Put(const Plane& plane, int x, int y, Colour colour) {
  std::uint8_t* pixel = plane.Row<std::uint8_t>(y) + std::ptrdiff_t{3} * x;
  pixel[0] = static_cast<std::uint8_t>(std::clamp(colour.r, 0, 255));
  pixel[1] = static_cast<std::uint8_t>(std::clamp(colour.g, 0, 255));
  pixel[2] = static_cast<std::uint8_t>(std::clamp(colour.b, 0, 255));
}

/// One printed pixel of the page: a margin, 2 x 3 panels of a colour each, halftone dots,
/// lettering.
Colour Print(Size size, int x, int y) {
  const int margin = size.width / 16;
  const int panel_w = (size.width - 3 * margin) / 2;
  const int panel_h = (size.height - 4 * margin) / 3;
  const int column = (x - margin) / (panel_w + margin);
  const int row = (y - margin) / (panel_h + margin);
  const int inside_x = (x - margin) - column * (panel_w + margin);
  const int inside_y = (y - margin) - row * (panel_h + margin);
  const bool on_paper = x < margin || y < margin || column > 1 || row > 2 || inside_x >= panel_w ||
                        inside_y >= panel_h;
  if (on_paper) return {236, 230, 214};
  if (inside_x < 3 || inside_y < 3 || inside_x >= panel_w - 3 || inside_y >= panel_h - 3) {
    return {24, 22, 26};
  }
  static constexpr std::array<Colour, 6> kPanels = {{{214, 92, 62},
                                                     {66, 132, 178},
                                                     {232, 186, 84},
                                                     {98, 158, 108},
                                                     {150, 106, 170},
                                                     {224, 138, 112}}};
  Colour colour = kPanels[static_cast<std::size_t>(row) * 2 + static_cast<std::size_t>(column)];
  const int shade = 40 * inside_y / panel_h;
  colour = {colour.r - shade, colour.g - shade, colour.b - shade};
  const int dot_x = (x + y) % 9 - 4;
  const int dot_y = (x - y + 9 * size.height) % 9 - 4;
  if (dot_x * dot_x + dot_y * dot_y < 2 + 9 * inside_x / panel_w) {
    colour = {colour.r - 34, colour.g - 30, colour.b - 22};
  }
  const int hill = panel_h * 3 / 4 + static_cast<int>(18 * std::sin(inside_x / 23.0 + row));
  if (inside_y > hill) colour = {46 + shade, 52 + shade, 70 + shade};
  const bool balloon = std::abs(inside_x - panel_w / 3) < panel_w / 4 &&
                       std::abs(inside_y - panel_h / 5) < panel_h / 9;
  if (!balloon) return colour;
  const bool letter = inside_y % 11 > 3 && (inside_x * 7 + inside_y / 11 * 5) % 13 > 6;
  return letter ? Colour{30, 30, 34} : Colour{250, 248, 240};
}

Plane DrawPage(Size size) {
  Plane page = Plane::Host(size, PixelType::kU8x3);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) Put(page, x, y, Print(size, x, y));
  }
  return page;
}

Plane Zeros(Size size, PixelType type) {
  Plane plane = Plane::Host(size, type);
  for (int y = 0; y < size.height; ++y) {
    std::fill_n(plane.Row<std::byte>(y), size.width * BytesPerPixel(type), std::byte{0});
  }
  return plane;
}

/// Paints one piece of damage that nothing else has painted yet.
void Damage(ScanPictures& pictures, int id, int x, int y, int strength) {
  const Size size = pictures.labels.size();
  if (x < 0 || y < 0 || x >= size.width || y >= size.height) return;
  std::int32_t& label = pictures.labels.Row<std::int32_t>(y)[x];
  if (label != 0) return;
  label = id;
  pictures.mask.Row<std::uint8_t>(y)[x] = 255;
  pictures.score.Row<std::int32_t>(y)[x] = strength;
  const int light = strength >> 12;  // up to 255: bare paper
  Put(pictures.rectified, x, y, {120 + light / 2, 118 + light / 2, 112 + light / 2});
}

void DamageOnePlace(ScanPictures& pictures, int id, Dice& dice) {
  const Size size = pictures.labels.size();
  const int strength = dice.Roll(380'000, 900'000);
  if (id == 1) {  // the top right corner is gone
    const int side = size.width / 9;
    for (int y = 0; y < side; ++y) {
      for (int x = size.width - side + y; x < size.width; ++x) Damage(pictures, id, x, y, strength);
    }
    return;
  }
  const int left = dice.Roll(10, size.width - 60);
  const int top = dice.Roll(10, size.height - 60);
  const bool spot = dice.Roll(0, 3) == 0;
  const int length = spot ? dice.Roll(6, 14) : dice.Roll(30, size.width / 3);
  const int slope = dice.Roll(-100, 100);
  for (int step = 0; step < length; ++step) {
    const int half = spot ? static_cast<int>(std::sqrt(step * (length - step))) : 2;
    const int y = top + (spot ? step : 20 + step * slope / 100);
    for (int k = -half; k <= half; ++k) {
      Damage(pictures, id, left + (spot ? 20 + k : step), spot ? y : y + k,
             strength - std::abs(k) * 40'000);
    }
  }
}

/// Weak evidence everywhere, as printed edges give it.
void AddBackgroundScore(ScanPictures& pictures) {
  for (int y = 1; y < pictures.score.height(); ++y) {
    for (int x = 1; x < pictures.score.width(); ++x) {
      const std::uint8_t* pixel = pictures.rectified.Row<std::uint8_t>(y) + std::ptrdiff_t{3} * x;
      const std::uint8_t* above =
          pictures.rectified.Row<std::uint8_t>(y - 1) + std::ptrdiff_t{3} * x;
      std::int32_t& score = pictures.score.Row<std::int32_t>(y)[x];
      const int change = std::abs(pixel[1] - pixel[-2]) + std::abs(pixel[1] - above[1]);
      score = std::max(score, std::min(change * 1200, 300'000));
    }
  }
}

}  // namespace

ScanPictures DrawDamagedPage(Size size, int regions, std::uint32_t seed) {
  ScanPictures pictures{.rectified = DrawPage(size),
                        .mask = Zeros(size, PixelType::kU8),
                        .labels = Zeros(size, PixelType::kS32),
                        .score = Zeros(size, PixelType::kS32),
                        .golden = {}};
  Dice dice(seed);
  for (int id = 1; id <= regions; ++id) DamageOnePlace(pictures, id, dice);
  AddBackgroundScore(pictures);
  return pictures;
}

Plane Film(const Plane& page, Size frame_size, const Homography& frame_from_page) {
  const Homography& h = frame_from_page;
  Plane frame = Plane::Host(frame_size, PixelType::kU8x3);
  const double determinant = h[0] * h[4] - h[1] * h[3];
  for (int y = 0; y < frame.height(); ++y) {
    for (int x = 0; x < frame.width(); ++x) {
      const double dx = x - h[2];
      const double dy = y - h[5];
      const int u = static_cast<int>(std::floor((h[4] * dx - h[1] * dy) / determinant));
      const int v = static_cast<int>(std::floor((h[0] * dy - h[3] * dx) / determinant));
      const int light = 14 - 28 * x / frame.width();
      Colour colour{94 + y % 13, 74 + y % 13, 58 + y % 7};
      if (u >= 0 && v >= 0 && u < page.width() && v < page.height()) {
        const std::uint8_t* pixel = page.Row<std::uint8_t>(v) + std::ptrdiff_t{3} * u;
        colour = {pixel[0], pixel[1], pixel[2]};
      }
      Put(frame, x, y, {colour.r + light, colour.g + light, colour.b + light});
    }
  }
  return frame;
}

}  // namespace glint
