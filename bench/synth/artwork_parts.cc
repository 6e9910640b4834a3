// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/artwork_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/synth/maths.h"

namespace glint {
namespace {

constexpr std::array<Palette, 5> kPalettes = {{
    {{86, 150, 200},
     {236, 222, 178},
     {122, 150, 140},
     {74, 104, 62},
     {176, 48, 40},
     {232, 178, 52},
     {250, 232, 160}},
    {{52, 44, 96},
     {214, 112, 96},
     {92, 60, 104},
     {46, 38, 62},
     {44, 110, 132},
     {240, 188, 76},
     {255, 214, 130}},
    {{180, 204, 198},
     {246, 232, 200},
     {176, 160, 120},
     {128, 96, 62},
     {66, 84, 140},
     {206, 84, 44},
     {255, 244, 204}},
    {{34, 66, 84},
     {132, 184, 176},
     {54, 100, 96},
     {28, 52, 50},
     {206, 132, 40},
     {196, 60, 70},
     {228, 244, 210}},
    {{232, 176, 120},
     {252, 236, 204},
     {196, 120, 84},
     {120, 60, 52},
     {52, 92, 76},
     {60, 78, 150},
     {255, 240, 180}},
}};

constexpr std::array<const char*, 28> kWords = {
    "WHAT", "NOW",   "THE",   "NIGHT", "WE",   "MUST", "LEAVE", "COLD",  "HA",    "DOOR",
    "OUT",  "IS",    "NOT",   "HERE",  "RUN",  "LATE", "AGAIN", "LIGHT", "NEVER", "HMM",
    "YOU",  "STORM", "COMES", "WHO",   "SAID", "GO",   "HOLD",  "THAT"};

/// The line of hilltops from left to right.
std::vector<Point> Ridge(const Canvas& canvas, double level, double relief, std::uint32_t seed) {
  std::vector<Point> points;
  const double step = 6;
  double x = -step;
  while (x <= canvas.width() + step) {
    points.push_back({x, level + relief * (FractalNoise(x / 130, 0.5, seed, 4) - 0.5)});
    x += step;
  }
  return points;
}

void DrawHill(Canvas& canvas, double level, double relief, Colour colour, Random& random) {
  const std::vector<Point> ridge = Ridge(canvas, level, relief, random.Bits());
  std::vector<Point> hill = ridge;
  hill.push_back({canvas.width() + 9, canvas.height() + 9});
  hill.push_back({-9, canvas.height() + 9});
  canvas.Polygon(hill, colour);
  canvas.Stroke(ridge, kInk, 2.2);
  for (int i = 0; i < 14; ++i) {  // hatching down the slope
    const Point& from = random.Pick(ridge);
    const double length = random.Uniform(14, 46);
    canvas.Stroke({{from.x, from.y + 6}, {from.x - length * 0.35, from.y + 6 + length}},
                  Mix(colour, kInk, 0.6), 1.4);
  }
}

void DrawHouse(Canvas& canvas, Point ground, double size, const Palette& palette, Random& random) {
  const double height = size * random.Uniform(0.9, 1.7);
  const Box wall{ground.x - size / 2, ground.y - height, size, height};
  const Colour plaster = Mix(palette.near, palette.glow, random.Uniform(0.35, 0.7));
  canvas.Fill(wall, plaster);
  canvas.Frame(wall, kInk, 2);
  const std::vector<Point> roof = {{wall.x - size * 0.12, wall.y},
                                   {ground.x, wall.y - size * random.Uniform(0.4, 0.8)},
                                   {wall.x + size * 1.12, wall.y}};
  canvas.Polygon(roof, Mix(palette.accent, palette.near, 0.35));
  canvas.Stroke(roof, kInk, 2, true);
  const double pane = size / 6;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 2; ++column) {
      const Box window{wall.x + size * (0.2 + 0.4 * column), wall.y + pane * (0.7 + 2 * row), pane,
                       pane * 1.3};
      if (window.y + window.height > ground.y - 4) continue;
      canvas.Fill(window, random.Chance(0.6) ? palette.glow : Mix(plaster, kInk, 0.6));
      canvas.Frame(window, kInk, 1.4);
    }
  }
}

void DrawTree(Canvas& canvas, Point ground, double height, const Palette& palette, Random& random) {
  canvas.Stroke({ground, {ground.x + height * 0.04, ground.y - height * 0.6}},
                Mix(palette.near, kInk, 0.5), height * 0.08);
  for (int i = 0; i < 6; ++i) {
    const double x = ground.x + height * random.Uniform(-0.22, 0.22);
    const double y = ground.y - height * random.Uniform(0.5, 0.9);
    const double radius = height * random.Uniform(0.12, 0.2);
    canvas.Ellipse({x, y}, radius, radius * 0.85,
                   Mix(palette.near, palette.glow, random.Uniform(0.05, 0.35)));
    canvas.EllipseLine({x, y}, radius, radius * 0.85, kInk, 1.6);
  }
}

void DrawBody(Canvas& canvas, Point feet, double height, Colour cloth, Colour cape_colour,
              Random& random) {
  const double unit = height / 10;
  const double shoulder = feet.y - height * 0.6;
  const double right = random.Uniform(2.6, 4.2);
  const double left = random.Uniform(2.6, 4.2);
  const std::vector<Point> cape = {{feet.x - 1.8 * unit, shoulder},
                                   {feet.x + 1.8 * unit, shoulder},
                                   {feet.x + right * unit, feet.y + unit},
                                   {feet.x - left * unit, feet.y + unit}};
  canvas.Polygon(cape, cape_colour);
  canvas.Stroke(cape, kInk, 2.6, true);
  const std::vector<Point> body = {
      {feet.x - 1.9 * unit, shoulder + 0.2 * unit}, {feet.x - 0.6 * unit, shoulder - 0.6 * unit},
      {feet.x + 0.6 * unit, shoulder - 0.6 * unit}, {feet.x + 1.9 * unit, shoulder + 0.2 * unit},
      {feet.x + 1.3 * unit, feet.y + unit},         {feet.x - 1.3 * unit, feet.y + unit}};
  canvas.Polygon(body, cloth);
  canvas.Stroke(body, kInk, 2.6, true);
  for (int i = 0; i < 16; ++i) {  // folds
    const double side = random.Chance(0.5) ? 1 : -1;
    const double x = feet.x + side * unit * random.Uniform(0.4, 1.1);
    const double y = shoulder + unit * random.Uniform(0.4, 4.4);
    const double fall = unit * random.Uniform(0.5, 1.2);
    canvas.Stroke(
        {{x, y}, {x - side * 0.12 * unit, y + fall / 2}, {x - side * 0.4 * unit, y + fall}},
        Mix(cloth, kInk, 0.7), 1.6);
  }
  const Point badge{feet.x, shoulder + 1.3 * unit};
  canvas.Ellipse(badge, 0.55 * unit, 0.55 * unit, {240, 200, 70});
  canvas.EllipseLine(badge, 0.55 * unit, 0.55 * unit, kInk, 1.8);
}

void DrawHair(Canvas& canvas, Point head, double unit, Random& random) {
  const Colour hair = Mix({40, 30, 30}, {190, 110, 40}, random.Unit());
  std::vector<Point> outline;
  constexpr int kLocks = 14;
  for (int i = 0; i <= kLocks; ++i) {  // over the head from ear to ear
    const double turns = 0.5 + 0.5 * i / kLocks;
    const double radius = (i % 2 == 0 ? 1.34 : 1.2) + random.Uniform(0, 0.16);
    outline.push_back({head.x + radius * unit * Cosine(turns),
                       head.y - 0.1 * unit + radius * 1.25 * unit * Sine(turns)});
  }
  outline.push_back({head.x + 0.7 * unit, head.y - 0.75 * unit});
  outline.push_back({head.x + unit * random.Uniform(-0.5, 0.3), head.y - unit});
  outline.push_back({head.x - 0.75 * unit, head.y - 0.7 * unit});
  canvas.Polygon(outline, hair);
  canvas.Stroke(outline, kInk, 1.8, true);
}

void DrawFace(Canvas& canvas, Point head, double unit, Random& random) {
  const double glance = random.Uniform(-0.1, 0.1) * unit;
  for (const double side : {-0.45, 0.45}) {
    const Point eye{head.x + side * unit, head.y - 0.05 * unit};
    canvas.Ellipse(eye, 0.3 * unit, 0.2 * unit, {250, 250, 246});
    canvas.Ellipse({eye.x + glance, eye.y}, 0.13 * unit, 0.16 * unit, kInk);
    canvas.Stroke({{eye.x - 0.35 * unit, eye.y - 0.35 * unit},
                   {eye.x + 0.35 * unit, eye.y - (0.35 - side * 0.3) * unit}},
                  kInk, 2.2);
  }
  canvas.Stroke({{head.x, head.y},
                 {head.x + 0.18 * unit, head.y + 0.4 * unit},
                 {head.x - 0.02 * unit, head.y + 0.45 * unit}},
                kInk, 1.6);
  canvas.Stroke({{head.x - 0.35 * unit, head.y + 0.8 * unit},
                 {head.x, head.y + random.Uniform(0.72, 0.96) * unit},
                 {head.x + 0.35 * unit, head.y + 0.78 * unit}},
                kInk, 2);
}

}  // namespace

Palette PickPalette(Random& random) { return random.Pick(kPalettes); }

std::string SomeWords(Random& random, int letters) {
  std::string text = random.Pick(kWords);
  while (static_cast<int>(text.size()) < letters) text += std::string(" ") + random.Pick(kWords);
  return text;
}

void DrawScenery(Canvas& canvas, const Palette& palette, Random& random) {
  const double width = canvas.width();
  const double height = canvas.height();
  canvas.Gradient(canvas.bounds(), palette.sky_top, palette.sky_bottom);
  const Point sun{width * random.Uniform(0.15, 0.85), height * random.Uniform(0.15, 0.4)};
  const double radius = std::min(width, height) * random.Uniform(0.08, 0.16);
  canvas.Ellipse(sun, radius * 1.25, radius * 1.25, Mix(palette.sky_bottom, palette.glow, 0.6));
  canvas.Ellipse(sun, radius, radius, palette.glow);
  if (random.Chance(0.7)) {
    canvas.Halftone({0, 0, width, height * 0.5}, Mix(palette.sky_top, kInk, 0.3), 9, 0.32, 0.02);
  }
  const double horizon = height * random.Uniform(0.5, 0.65);
  DrawHill(canvas, horizon, height * 0.35, palette.far, random);
  DrawHill(canvas, horizon + height * 0.16, height * 0.25, Mix(palette.far, palette.near, 0.6),
           random);
  const bool village = random.Chance(0.5);
  const int count = random.Integer(3, 6);
  for (int i = 0; i < count; ++i) {
    const Point ground{width * (i + random.Uniform(0.2, 0.8)) / count,
                       horizon + height * random.Uniform(0.14, 0.26)};
    const double size = std::min(width, height) * random.Uniform(0.14, 0.24);
    if (village) {
      DrawHouse(canvas, ground, size, palette, random);
    } else {
      DrawTree(canvas, ground, size * 2, palette, random);
    }
  }
  DrawHill(canvas, horizon + height * 0.3, height * 0.18, palette.near, random);
  canvas.Wash(random.Bits(), 60, 0.22);
}

Point DrawPerson(Canvas& canvas, Point feet, double height, const Palette& palette,
                 Random& random) {
  const double unit = height / 10;
  const Point head{feet.x + unit * random.Uniform(-0.4, 0.4), feet.y - height * 0.82};
  const bool swapped = random.Chance(0.4);
  const Colour cloth = swapped ? palette.accent : palette.costume;
  DrawBody(canvas, feet, height, cloth, swapped ? palette.costume : palette.accent, random);
  const Colour skin = Mix({240, 204, 170}, {140, 92, 66}, random.Unit());
  canvas.Fill({feet.x - 0.5 * unit, head.y + unit, unit, 1.2 * unit}, Mix(skin, kInk, 0.15));
  canvas.Ellipse(head, 1.15 * unit, 1.5 * unit, skin);
  canvas.EllipseLine(head, 1.15 * unit, 1.5 * unit, kInk, 2.4);
  DrawHair(canvas, head, unit, random);
  DrawFace(canvas, head, unit, random);
  return {head.x, head.y + 0.8 * unit};
}

void DrawSpeedLines(Canvas& canvas, Point towards, Random& random) {
  const double reach = canvas.width() + canvas.height();
  for (int i = 0; i < 70; ++i) {
    const double turns = random.Unit();
    const double start = reach * random.Uniform(0.22, 0.45);
    const Point direction{Cosine(turns), Sine(turns)};
    canvas.Stroke({{towards.x + start * direction.x, towards.y + start * direction.y},
                   {towards.x + reach * direction.x, towards.y + reach * direction.y}},
                  kInk, random.Uniform(0.8, 2.4));
  }
}

void DrawBalloon(Canvas& canvas, const Box& box, Point tail, Random& random) {
  const Point centre = box.centre();
  const std::vector<Point> spike = {
      {centre.x - box.width * 0.1, centre.y}, {centre.x + box.width * 0.1, centre.y}, tail};
  canvas.Stroke(spike, kInk, 5, true);
  canvas.EllipseLine(centre, box.width / 2, box.height / 2, kInk, 5);
  canvas.Polygon(spike, {252, 252, 248});
  canvas.Ellipse(centre, box.width / 2, box.height / 2, {252, 252, 248});
  const int lines = box.height > 80 ? 3 : 2;
  const double capital = std::min(14.0, box.height / (lines * 2.4));
  for (int line = 0; line < lines; ++line) {
    const double room = box.width * (lines == 3 && line != 1 ? 0.56 : 0.78);
    std::string text = SomeWords(random, static_cast<int>(room / (capital * 0.85)));
    while (canvas.TextWidth(text, capital) > room && text.find(' ') != std::string::npos) {
      text.resize(text.rfind(' '));
    }
    canvas.Text(text, {centre.x, centre.y + (line - (lines - 1) / 2.0) * capital * 1.8}, capital,
                kInk, capital * 0.16);
  }
}

}  // namespace glint
