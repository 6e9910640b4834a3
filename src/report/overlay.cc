// SPDX-License-Identifier: Apache-2.0
#include "report/overlay.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "glint/stages.h"

namespace glint {
namespace {

constexpr Rgb kTint{255, 32, 78};
constexpr Rgb kChangedTint{20, 110, 255};
constexpr Rgb kOutline{255, 214, 10};
constexpr Rgb kLightStripe{255, 255, 255};
constexpr Rgb kDarkStripe{24, 26, 32};
constexpr int kStripesAlong = 80;  // of a kind, along the longer side
constexpr int kMinPeriod = 8;      // pixels

/// Halfway between two values, rounded up.
std::uint8_t Mix(std::uint8_t a, std::uint8_t b) {
  return static_cast<std::uint8_t>((a + b + 1) / 2);
}

Rgb Mix(const Rgb& a, const Rgb& b) { return {Mix(a.r, b.r), Mix(a.g, b.g), Mix(a.b, b.b)}; }

bool IsMarked(const Plane& mask, int x, int y) {
  return !mask.empty() && mask.Row<std::uint8_t>(y)[x] != 0;
}

/// Diagonal stripes, light beside dark, as wide as the gaps between them.
Rgb Hatched(const Rgb& colour, int x, int y, Size size) {
  const int period = std::max(kMinPeriod, std::max(size.width, size.height) / kStripesAlong);
  const int phase = 4 * ((x + y) % period) / period;
  return phase == 0 ? Mix(colour, kLightStripe) : phase == 1 ? Mix(colour, kDarkStripe) : colour;
}

/// Whether a pixel without a label touches one that has one, diagonals included.
bool TouchesRegion(const Plane& labels, int x, int y) {
  const int right = std::min(x + 1, labels.width() - 1);
  const int bottom = std::min(y + 1, labels.height() - 1);
  for (int v = std::max(y - 1, 0); v <= bottom; ++v) {
    for (int u = std::max(x - 1, 0); u <= right; ++u) {
      if (labels.Row<std::int32_t>(v)[u] != 0) return true;
    }
  }
  return false;
}

}  // namespace

Plane DrawOverlay(const Plane& rectified, const OverlayMarks& marks) {
  Plane out = Plane::Host(rectified.size(), PixelType::kU8x3);
  for (int y = 0; y < out.height(); ++y) {
    const std::uint8_t* from = rectified.Row<std::uint8_t>(y);
    std::uint8_t* to = out.Row<std::uint8_t>(y);
    for (int x = 0; x < out.width(); ++x, from += 3, to += 3) {
      Rgb colour{from[0], from[1], from[2]};
      if (IsMarked(marks.mask, x, y)) {
        colour = Mix(colour, IsMarked(marks.changed, x, y) ? kChangedTint : kTint);
      } else if (TouchesRegion(marks.labels, x, y)) {
        colour = kOutline;
      } else if (IsMarked(marks.unknown, x, y)) {
        colour = Hatched(colour, x, y, out.size());
      }
      to[0] = colour.r;
      to[1] = colour.g;
      to[2] = colour.b;
    }
  }
  return out;
}

Rgb HeatColour(std::int32_t score) {
  // Colours at 0, 1/8 .. 1; between them each channel changes linearly.
  static constexpr std::array<Rgb, 9> kStops = {{{0, 0, 4},
                                                 {30, 12, 70},
                                                 {86, 15, 110},
                                                 {140, 34, 104},
                                                 {190, 55, 82},
                                                 {229, 92, 48},
                                                 {248, 142, 22},
                                                 {250, 198, 60},
                                                 {252, 254, 168}}};
  constexpr std::int64_t kSpan = (std::int64_t{1} << ClassicFusionStage::kScoreBits) / 8;
  const std::int64_t clamped = std::clamp<std::int64_t>(score, 0, 8 * kSpan);
  const auto stop = static_cast<std::size_t>(std::min<std::int64_t>(clamped / kSpan, 7));
  const std::int64_t rest = clamped - static_cast<std::int64_t>(stop) * kSpan;
  const auto between = [&](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>((a * (kSpan - rest) + b * rest + kSpan / 2) / kSpan);
  };
  const Rgb& a = kStops[stop];
  const Rgb& b = kStops[stop + 1];
  return {between(a.r, b.r), between(a.g, b.g), between(a.b, b.b)};
}

Plane DrawHeatmap(const Plane& score) {
  Plane out = Plane::Host(score.size(), PixelType::kU8x3);
  for (int y = 0; y < out.height(); ++y) {
    std::uint8_t* to = out.Row<std::uint8_t>(y);
    for (int x = 0; x < out.width(); ++x, to += 3) {
      const Rgb colour = HeatColour(score.Row<std::int32_t>(y)[x]);
      to[0] = colour.r;
      to[1] = colour.g;
      to[2] = colour.b;
    }
  }
  return out;
}

Plane Crop(const Plane& plane, int x, int y, Size size) {
  const int left = std::clamp(x, 0, plane.width());
  const int top = std::clamp(y, 0, plane.height());
  const int right = std::clamp(x + size.width, 0, plane.width());
  const int bottom = std::clamp(y + size.height, 0, plane.height());
  if (left >= right || top >= bottom) return {};
  Plane out = Plane::Host({right - left, bottom - top}, plane.type());
  const auto bytes = static_cast<std::size_t>(BytesPerPixel(plane.type()));
  for (int v = top; v < bottom; ++v) {
    std::memcpy(out.Row<std::byte>(v - top),
                plane.Row<std::byte>(v) + static_cast<std::size_t>(left) * bytes,
                static_cast<std::size_t>(right - left) * bytes);
  }
  return out;
}

}  // namespace glint
