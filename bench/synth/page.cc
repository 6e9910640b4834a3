// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "bench/synth/artwork_parts.h"

namespace glint {
namespace {

constexpr double kMargin = 52;
constexpr double kGutter = 20;

void DrawCaption(Canvas& canvas, Random& random) {
  const double capital = 12;
  const std::string text = SomeWords(random, 16) + "...";
  const Box box{10, 10, canvas.TextWidth(text, capital) + 20, capital * 2.4};
  canvas.Fill(box, {250, 232, 150});
  canvas.Frame(box, kInk, 2);
  canvas.Text(text, box.centre(), capital, kInk, capital * 0.15);
}

void DrawBackground(Canvas& canvas, const Palette& palette, Random& random) {
  if (random.Chance(0.75)) {
    DrawScenery(canvas, palette, random);
    return;
  }
  const double width = canvas.width();
  const double height = canvas.height();
  canvas.Gradient(canvas.bounds(), palette.glow, palette.accent);
  DrawSpeedLines(canvas, {width * 0.5, height * 0.5}, random);
  canvas.Halftone({0, height * 0.4, width, height * 0.6}, Mix(palette.accent, kInk, 0.25), 10, 0,
                  0.4);
}

/// One balloon per speaker at the top of the panel, beside the heads where there is room.
void DrawSpeech(Canvas& canvas, const std::vector<Point>& mouths, Random& random) {
  const double width = canvas.width();
  const double height = canvas.height();
  const double share = width / static_cast<double>(mouths.size());
  for (std::size_t i = 0; i < mouths.size(); ++i) {
    const double balloon_width = std::min(share * 0.62, random.Uniform(140, 220));
    const double balloon_height = std::min(height * 0.26, random.Uniform(70, 95));
    const double left = share * static_cast<double>(i);
    const bool beside = mouths[i].x - left > share / 2;  // more room to the left of the head
    const Box box{beside ? left + 8 : left + share - balloon_width - 8,
                  height * random.Uniform(0.03, 0.08), balloon_width, balloon_height};
    const Point centre = box.centre();
    DrawBalloon(
        canvas, box,
        {centre.x + 0.7 * (mouths[i].x - centre.x), centre.y + 0.7 * (mouths[i].y - centre.y)},
        random);
  }
}

void DrawPanel(Canvas canvas, const Palette& usual, Random& random) {
  const Palette palette = random.Chance(0.35) ? PickPalette(random) : usual;
  const double width = canvas.width();
  const double height = canvas.height();
  DrawBackground(canvas, palette, random);
  const int people = width > height * 1.3 ? random.Integer(1, 2) : random.Integer(0, 1);
  std::vector<Point> mouths;
  for (int i = 0; i < people; ++i) {
    const double x =
        people == 2 ? 0.25 + 0.5 * i + random.Uniform(-0.06, 0.06) : random.Uniform(0.3, 0.7);
    const double size = height * random.Uniform(0.58, 0.78);
    mouths.push_back(DrawPerson(canvas, {width * x, height}, size, palette, random));
  }
  canvas.Wash(random.Bits(), 25, 0.1);
  if (!mouths.empty() && random.Chance(0.85)) {
    DrawSpeech(canvas, mouths, random);
  } else if (random.Chance(0.7)) {
    DrawCaption(canvas, random);
  }
}

}  // namespace

void DrawPage(Canvas& canvas, const Palette& palette, Random& random) {
  canvas.Fill(canvas.bounds(), kPaper);
  const int rows = random.Integer(3, 4);
  const double room = canvas.height() - 2 * kMargin - 24;
  double y = kMargin;
  for (int row = 0; row < rows; ++row) {
    const double left = kMargin + room - y;
    const double share = row + 1 == rows ? 1 : random.Uniform(0.85, 1.25) / (rows - row);
    const double height = left * share - (row + 1 == rows ? 0 : kGutter);
    const int columns = random.Integer(1, row == 0 ? 2 : 3);
    double x = kMargin;
    for (int column = 0; column < columns; ++column) {
      const double rest = canvas.width() - kMargin - x;
      const bool last = column + 1 == columns;
      const double width =
          last ? rest : rest * random.Uniform(0.8, 1.2) / (columns - column) - kGutter;
      const Box box{x, y, width, height};
      DrawPanel(canvas.Part(box), palette, random);
      canvas.Frame(box, kInk, 4);
      x += width + kGutter;
    }
    y += height + kGutter;
  }
  canvas.Text(std::to_string(random.Integer(2, 31)), {canvas.width() / 2, canvas.height() - 36}, 13,
              kInk, 2);
}

}  // namespace glint
