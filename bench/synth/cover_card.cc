// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "bench/synth/artwork_parts.h"
#include "bench/synth/maths.h"

namespace glint {
namespace {

constexpr std::array<const char*, 6> kTitles = {"NIGHT OWL",   "STARFALL",  "IRON TIDE",
                                                "THE LANTERN", "RED COMET", "GHOST CITY"};

/// Lettering with an outline, as wide as wanted.
void DrawTitle(Canvas& canvas, const std::string& text, Point centre, double width, Colour fill,
               Colour outline) {
  const double capital = std::min(110.0, width / canvas.TextWidth(text, 1));
  canvas.Text(text, {centre.x + 5, centre.y + 6}, capital, Mix(outline, kInk, 0.5), capital * 0.34);
  canvas.Text(text, centre, capital, outline, capital * 0.34);
  canvas.Text(text, centre, capital, fill, capital * 0.19);
}

void DrawRays(Canvas& canvas, Point centre, Colour colour) {
  const double reach = canvas.width() + canvas.height();
  constexpr int kRays = 16;
  for (int i = 0; i < kRays; ++i) {
    const double from = static_cast<double>(i) / kRays;
    const double to = (i + 0.5) / kRays;
    canvas.Polygon({centre,
                    {centre.x + reach * Cosine(from), centre.y + reach * Sine(from)},
                    {centre.x + reach * Cosine(to), centre.y + reach * Sine(to)}},
                   colour);
  }
}

void DrawBarcode(Canvas& canvas, const Box& box, Random& random) {
  canvas.Fill(box, {250, 250, 250});
  double x = box.x + 8;
  while (x < box.x + box.width - 10) {
    const double bar = random.Uniform(1.5, 4.5);
    canvas.Fill({x, box.y + 8, bar, box.height - 26}, kInk);
    x += bar + random.Uniform(1.5, 4.5);
  }
  canvas.Text("0 71486 02319", {box.x + box.width / 2, box.y + box.height - 10}, 8, kInk, 1.2);
}

}  // namespace

void DrawCover(Canvas& canvas, const Palette& palette, Random& random) {
  const double width = canvas.width();
  const double height = canvas.height();
  DrawScenery(canvas, palette, random);
  if (random.Chance(0.5)) {
    DrawRays(canvas, {width / 2, height * 0.5}, Mix(palette.sky_top, palette.glow, 0.45));
    canvas.Halftone({0, height * 0.62, width, height * 0.38}, Mix(palette.near, kInk, 0.3), 13,
                    0.06, 0.42);
  }
  DrawPerson(canvas, {width * random.Uniform(0.6, 0.75), height * 0.96}, height * 0.42, palette,
             random);
  const Point mouth = DrawPerson(canvas, {width * random.Uniform(0.28, 0.42), height * 1.02},
                                 height * 0.66, palette, random);
  canvas.Wash(random.Bits(), 90, 0.16);
  DrawTitle(canvas, random.Pick(kTitles), {width / 2, 150}, width * 0.84, palette.glow,
            palette.accent);
  canvas.Fill({0, 0, width, 44}, palette.costume);
  canvas.Text("No. " + std::to_string(random.Integer(1, 98)) + "      " + SomeWords(random, 18) +
                  "      35c",
              {width / 2, 22}, 16, palette.glow, 2.6);
  DrawBalloon(canvas, {width * 0.06, height * 0.19, 300, 120}, {mouth.x - 150, mouth.y - 60},
              random);
  DrawBarcode(canvas, {width - 190, height - 120, 160, 92}, random);
}

void DrawCard(Canvas& canvas, const Palette& palette, Random& random) {
  const double width = canvas.width();
  const double height = canvas.height();
  canvas.Fill(canvas.bounds(), palette.accent);
  canvas.Halftone(canvas.bounds(), Mix(palette.accent, kInk, 0.14), 16, 0.25, 0.3);
  const Box face = canvas.bounds().Inset(46);
  canvas.Fill(face, Mix(kPaper, palette.sky_bottom, 0.35));
  canvas.Frame(face, kInk, 3);
  const std::string title = random.Pick(kTitles);
  canvas.Text(title, {face.x + 30 + canvas.TextWidth(title, 36) / 2, face.y + 52}, 36, kInk, 6.5);
  canvas.Ellipse({face.x + face.width - 60, face.y + 52}, 34, 34, palette.costume);
  canvas.Text(std::to_string(random.Integer(1, 9)), {face.x + face.width - 60, face.y + 52}, 32,
              palette.glow, 6);
  const Box picture{face.x + 28, face.y + 104, face.width - 56, height * 0.42};
  Canvas window = canvas.Part(picture);
  DrawScenery(window, palette, random);
  DrawPerson(window, {window.width() * random.Uniform(0.4, 0.6), window.height()},
             window.height() * 0.85, palette, random);
  window.Wash(random.Bits(), 30, 0.12);
  canvas.Frame(picture, kInk, 4);
  const Box text{picture.x, picture.y + picture.height + 30, picture.width,
                 face.y + face.height - picture.y - picture.height - 80};
  canvas.Fill(text, {248, 244, 230});
  canvas.Frame(text, kInk, 2.5);
  const int lines = random.Integer(4, 6);
  for (int line = 0; line < lines; ++line) {
    const std::string words = SomeWords(random, random.Integer(16, 26));
    canvas.Text(words,
                {text.x + 26 + canvas.TextWidth(words, 20) / 2,
                 text.y + text.height * (line + 0.7) / (lines + 0.4)},
                20, kInk, 3);
  }
  canvas.Text("GLINT  " + std::to_string(random.Integer(1, 240)) + "/240",
              {width / 2, face.y + face.height - 24}, 13, kInk, 2);
}

}  // namespace glint
