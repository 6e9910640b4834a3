// SPDX-License-Identifier: Apache-2.0
// What the pages, covers and cards are made of. All draw into the canvas they get, lengths in its
// units, and take every choice from `random`.
#pragma once

#include <string>

#include "bench/synth/canvas.h"
#include "bench/synth/random.h"

namespace glint {

/// Colours that go together.
struct Palette {
  Colour sky_top, sky_bottom;
  Colour far, near;        ///< landscape
  Colour costume, accent;  ///< people, titles
  Colour glow;             ///< sun, windows
};

inline constexpr Colour kInk{26, 22, 28};
inline constexpr Colour kPaper{244, 241, 232};

Palette PickPalette(Random& random);

/// Upper-case words, about `letters` letters.
std::string SomeWords(Random& random, int letters);

/// A landscape that fills the canvas: sky with halftone, sun, hills, houses or trees.
void DrawScenery(Canvas& canvas, const Palette& palette, Random& random);
/// A person from the hips up. @param height  of head and body together @return where the mouth is
Point DrawPerson(Canvas& canvas, Point feet, double height, const Palette& palette, Random& random);
/// Lines that run towards a point, as comics show speed.
void DrawSpeedLines(Canvas& canvas, Point towards, Random& random);
/// A speech balloon with lettering that fits it. @param tail  where its tail points to
void DrawBalloon(Canvas& canvas, const Box& box, Point tail, Random& random);

void DrawPage(Canvas& canvas, const Palette& palette, Random& random);
void DrawCover(Canvas& canvas, const Palette& palette, Random& random);
void DrawCard(Canvas& canvas, const Palette& palette, Random& random);

}  // namespace glint
