// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/surface.h"

#include <algorithm>
#include <cmath>

#include "bench/synth/artwork.h"
#include "bench/synth/maths.h"
#include "bench/synth/random.h"

namespace glint {
namespace {

constexpr double kDefaultSize = 782;    // root of the area for which lengths are given
constexpr double kSmallestScale = 0.6;  // below, lines would be too thin for the pixels
constexpr int kShadowRadius = 9;
constexpr float kShadowDepth = 0.55F;

/// Share of the pixel around (x, y) that lies inside a rectangle with round corners.
double CoverOf(double x, double y, Size size, double radius) {
  constexpr int kSteps = 4;
  int inside = 0;
  for (int i = 0; i < kSteps * kSteps; ++i) {
    const double px = x + (i % kSteps + 0.5) / kSteps - 0.5;
    const int row = i / kSteps;
    const double py = y + (row + 0.5) / kSteps - 0.5;
    const double dx = std::max({radius - px, px - (size.width - radius), 0.0});
    const double dy = std::max({radius - py, py - (size.height - radius), 0.0});
    const bool in_box = px >= 0 && py >= 0 && px <= size.width && py <= size.height;
    if (in_box && dx * dx + dy * dy <= radius * radius) ++inside;
  }
  return static_cast<double>(inside) / (kSteps * kSteps);
}

/// Mean over 2 * radius + 1 values in a row, `step` apart; the ends are repeated.
void BoxBlur(float* values, int count, std::ptrdiff_t step, int radius, std::vector<float>& copy) {
  copy.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) copy[static_cast<std::size_t>(i)] = values[i * step];
  for (int i = 0; i < count; ++i) {
    float sum = 0;
    for (int k = i - radius; k <= i + radius; ++k)
      sum += copy[static_cast<std::size_t>(std::clamp(k, 0, count - 1))];
    values[i * step] = sum / static_cast<float>(2 * radius + 1);
  }
}

}  // namespace

Surface::Surface(SynthKind kind, const Plane& art, std::uint32_t seed)
    : size_(art.size()),
      scale_(std::max(kSmallestScale, std::sqrt(static_cast<double>(size_.area())) / kDefaultSize)),
      margin_(static_cast<int>(std::ceil(36 * scale_)) + 4),
      stride_(size_.width + 2 * margin_),
      texels_(static_cast<std::size_t>(stride_) *
              static_cast<std::size_t>(size_.height + 2 * margin_)),
      heights_(texels_.size()) {
  Print(art);
  Shape(kind);
  Relieve(kind, seed);
}

void Surface::Print(const Plane& art) {
  for (int y = -margin_; y < size_.height + margin_; ++y) {
    const auto* row = art.Row<std::uint8_t>(std::clamp(y, 0, size_.height - 1));
    for (int x = -margin_; x < size_.width + margin_; ++x) {
      const std::uint8_t* pixel = row + std::ptrdiff_t{3} * std::clamp(x, 0, size_.width - 1);
      Texel& texel = At(x, y);
      for (std::size_t channel = 0; channel < 3; ++channel) {
        // Ink reflects a little and paper not everything; gamma 2 instead of sRGB's curve.
        const float value = static_cast<float>(pixel[channel]) / 255.0F;
        texel[channel] = 0.02F + 0.83F * value * value;
      }
      texel[kGloss] = 1;
      texel[kShade] = 1;
    }
  }
}

void Surface::Shape(SynthKind kind) {
  const double radius = CornerRadiusOf(kind) * size_.width;
  for (int y = -1; y <= size_.height + 1; ++y) {
    for (int x = -1; x <= size_.width + 1; ++x) {
      At(x, y)[kCover] = static_cast<float>(CoverOf(x, y, size_, radius));
    }
  }
}

void Surface::Relieve(SynthKind kind, std::uint32_t seed) {
  const double longer = std::max(size_.width, size_.height);
  const double wave = longer * (kind == SynthKind::kCard ? 0.9 : 0.4);
  const double swell = wave * (kind == SynthKind::kCard ? 0.008 : 0.02);
  const double grain = (kind == SynthKind::kPage ? 0.05 : 0.02);
  for (int y = -margin_; y < size_.height + margin_; ++y) {
    for (int x = -margin_; x < size_.width + margin_; ++x) {
      HeightAt(x, y) = static_cast<float>(
          swell * ValueNoise(x / wave, y / wave, seed + 11) +
          grain * scale_ * ValueNoise(x / (1.7 * scale_), y / (1.7 * scale_), seed + 12));
    }
  }
}

void Surface::Finish() {
  for (int y = 1 - margin_; y < size_.height + margin_ - 1; ++y) {
    for (int x = 1 - margin_; x < size_.width + margin_ - 1; ++x) {
      At(x, y)[kSlopeX] = (HeightAt(x + 1, y) - HeightAt(x - 1, y)) / 2;
      At(x, y)[kSlopeY] = (HeightAt(x, y + 1) - HeightAt(x, y - 1)) / 2;
    }
  }
  heights_ = {};
  CastShadow();
}

void Surface::CastShadow() {
  const int rows = size_.height + 2 * margin_;
  const int radius = std::max(1, static_cast<int>(kShadowRadius * scale_));
  const int shift = std::max(1, static_cast<int>(5 * scale_));
  std::vector<float> shadow(texels_.size());
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < stride_; ++x) {
      const int from_x = x - shift - margin_;
      const int from_y = y - shift - margin_;
      const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(stride_) +
                      static_cast<std::size_t>(x);
      shadow[at] = Contains(from_x, from_y) ? At(from_x, from_y)[kCover] : 0;
    }
  }
  std::vector<float> copy;
  for (int pass = 0; pass < 2; ++pass) {
    for (int y = 0; y < rows; ++y)
      BoxBlur(shadow.data() + std::ptrdiff_t{y} * stride_, stride_, 1, radius, copy);
    for (int x = 0; x < stride_; ++x) BoxBlur(shadow.data() + x, rows, stride_, radius, copy);
  }
  for (std::size_t i = 0; i < texels_.size(); ++i)
    texels_[i][kShade] = 1 - kShadowDepth * shadow[i];
}

Texel Surface::Sample(double x, double y) const {
  // Casting cuts towards zero, which is down only for what is positive.
  const int left = static_cast<int>(x + margin_) - margin_;
  const int top = static_cast<int>(y + margin_) - margin_;
  const auto u = static_cast<float>(x - left);
  const auto v = static_cast<float>(y - top);
  const Texel* upper = &At(left, top);
  const Texel* lower = upper + stride_;
  const float w00 = (1 - u) * (1 - v);
  const float w01 = u * (1 - v);
  const float w10 = (1 - u) * v;
  const float w11 = u * v;
  Texel sample;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    sample[i] = w00 * upper[0][i] + w01 * upper[1][i] + w10 * lower[0][i] + w11 * lower[1][i];
  }
  return sample;
}

}  // namespace glint
