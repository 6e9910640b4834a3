// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/artwork.h"

#include "bench/synth/artwork_parts.h"

namespace glint {

double AspectOf(SynthKind kind) {
  switch (kind) {
    case SynthKind::kPage:
      return 0.707;  // A4
    case SynthKind::kCover:
      return 0.648;  // American comic book, 6.63 x 10.24 inches
    case SynthKind::kCard:
      return 0.714;  // trading card, 2.5 x 3.5 inches
  }
  return 1;
}

double CornerRadiusOf(SynthKind kind) { return kind == SynthKind::kCard ? 0.05 : 0; }

Plane DrawArtwork(SynthKind kind, Size size, std::uint32_t seed) {
  Canvas canvas(size);
  Random random(seed, 1);
  const Palette palette = PickPalette(random);
  switch (kind) {
    case SynthKind::kPage:
      DrawPage(canvas, palette, random);
      break;
    case SynthKind::kCover:
      DrawCover(canvas, palette, random);
      break;
    case SynthKind::kCard:
      DrawCard(canvas, palette, random);
      break;
  }
  return canvas.Finish();
}

}  // namespace glint
