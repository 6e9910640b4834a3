// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/film.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/thread_pool.h"
#include "bench/synth/maths.h"
#include "bench/synth/random.h"

namespace glint {
namespace {

constexpr int kBandRows = 8;
constexpr float kLumaNoise = 1.5F;  // standard deviation in the middle tones, 8-bit units
constexpr float kChromaNoise = 0.7F;

/// Noise with a bell-shaped distribution, standard deviation 1: the sum of four random bytes.
float Grain(std::uint32_t bits) {
  const std::uint32_t sum =
      (bits & 255U) + ((bits >> 8) & 255U) + ((bits >> 16) & 255U) + (bits >> 24);
  return (static_cast<float>(sum) - 510.0F) / 147.8F;
}

std::uint8_t ToByte(float value, float low, float high) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5F, low, high));
}

/// Half of a symmetric kernel whose values add up to 1: centre first.
std::vector<float> BellKernel(double sigma) {
  const int radius = static_cast<int>(std::ceil(2.5 * sigma));
  std::vector<double> weights;
  double sum = 0;
  for (int i = 0; i <= radius; ++i) {
    weights.push_back(Bell(i / sigma));
    sum += i == 0 ? weights.back() : 2 * weights.back();
  }
  std::vector<float> kernel;
  kernel.reserve(weights.size());
  for (const double weight : weights) kernel.push_back(static_cast<float>(weight / sum));
  return kernel;
}

}  // namespace

Film::Film(const Scene& scene, int rotation, std::uint32_t seed, ThreadPool& pool)
    : scene_(scene), rotation_(rotation), seed_(seed), pool_(pool) {
  const Size display = scene.display_size;
  rgb_.resize(static_cast<std::size_t>(display.area()) * 3);
  const Size stored = rotation % 180 == 0 ? display : Size{display.height, display.width};
  picture_.y = Plane::Host(stored, PixelType::kU8);
  picture_.u = Plane::Host({stored.width / 2, stored.height / 2}, PixelType::kU8);
  picture_.v = Plane::Host({stored.width / 2, stored.height / 2}, PixelType::kU8);
}

const Yuv420Picture& Film::Expose(std::size_t frame) {
  Render(frame);
  const double defocus = scene_.camera.frames[frame].defocus;
  if (defocus > 0.2) Blur(defocus);
  Develop(frame);
  return picture_;
}

void Film::Render(std::size_t frame) {
  const Size size = scene_.display_size;
  const SceneView view(scene_, scene_.surface, frame);
  const Homography& map = scene_.camera.frames[frame].object_from_frame;
  const int bands = (size.height + kBandRows - 1) / kBandRows;
  pool_.ParallelFor(bands, [&](std::int64_t band) {
    const int first = static_cast<int>(band) * kBandRows;
    for (int y = first; y < std::min(first + kBandRows, size.height); ++y) {
      float* row =
          rgb_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) * 3;
      for (int x = 0; x < size.width; ++x) {
        const Point p = Apply(map, {static_cast<double>(x), static_cast<double>(y)});
        const std::array<float, 3> colour = view.Seen(p.x, p.y);
        for (std::size_t i = 0; i < 3; ++i) row[static_cast<std::size_t>(x) * 3 + i] = colour[i];
      }
    }
  });
}

void Film::Blur(double sigma) {
  const Size size = scene_.display_size;
  const std::vector<float> kernel = BellKernel(sigma);
  const int radius = static_cast<int>(kernel.size()) - 1;
  const int values = size.width * 3;
  scratch_.resize(rgb_.size());
  const auto row_of = [values](std::vector<float>& image, int y) {
    return image.data() + static_cast<std::ptrdiff_t>(y) * values;
  };
  pool_.ParallelFor(size.height, [&](std::int64_t y) {
    const float* from = row_of(rgb_, static_cast<int>(y));
    float* to = row_of(scratch_, static_cast<int>(y));
    for (int i = 0; i < values; ++i) {
      float sum = kernel[0] * from[i];
      for (int k = 1; k <= radius; ++k) {
        const int left = i >= 3 * k ? i - 3 * k : i % 3;
        const int right = i + 3 * k < values ? i + 3 * k : values - 3 + i % 3;
        sum += kernel[static_cast<std::size_t>(k)] * (from[left] + from[right]);
      }
      to[i] = sum;
    }
  });
  pool_.ParallelFor(size.height, [&](std::int64_t y) {
    float* to = row_of(rgb_, static_cast<int>(y));
    const float* centre = row_of(scratch_, static_cast<int>(y));
    for (int i = 0; i < values; ++i) to[i] = kernel[0] * centre[i];
    for (int k = 1; k <= radius; ++k) {
      const float* above = row_of(scratch_, std::max(0, static_cast<int>(y) - k));
      const float* below = row_of(scratch_, std::min(size.height - 1, static_cast<int>(y) + k));
      for (int i = 0; i < values; ++i)
        to[i] += kernel[static_cast<std::size_t>(k)] * (above[i] + below[i]);
    }
  });
}

const float* Film::PixelAt(int stored_x, int stored_y) const {
  const Size size = scene_.display_size;
  int x = stored_x;
  int y = stored_y;
  switch (rotation_) {
    case 90:  // stored left goes up on display
      x = size.width - 1 - stored_y;
      y = stored_x;
      break;
    case 180:
      x = size.width - 1 - stored_x;
      y = size.height - 1 - stored_y;
      break;
    case 270:
      x = stored_y;
      y = size.height - 1 - stored_x;
      break;
    default:
      break;
  }
  return rgb_.data() + (static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                        static_cast<std::size_t>(x)) *
                           3;
}

void Film::Develop(std::size_t frame) {
  const int pairs = picture_.u.height();
  constexpr int kPairs = kBandRows / 2;
  pool_.ParallelFor((pairs + kPairs - 1) / kPairs, [&](std::int64_t band) {
    const int first = static_cast<int>(band) * kPairs;
    for (int pair = first; pair < std::min(first + kPairs, pairs); ++pair) DevelopRows(frame, pair);
  });
}

/// Two rows of luma and the row of colour that they share, BT.709, limited range.
void Film::DevelopRows(std::size_t frame, int pair) {
  std::array<std::uint8_t*, 2> luma = {picture_.y.Row<std::uint8_t>(2 * pair),
                                       picture_.y.Row<std::uint8_t>(2 * pair + 1)};
  auto* u = picture_.u.Row<std::uint8_t>(pair);
  auto* v = picture_.v.Row<std::uint8_t>(pair);
  const std::uint32_t row_seed = Scramble(Scramble(seed_ + static_cast<std::uint32_t>(frame)) +
                                          static_cast<std::uint32_t>(pair));
  for (int x = 0; x < picture_.u.width(); ++x) {
    float red = 0;
    float green = 0;
    float blue = 0;
    const std::uint32_t block = row_seed + static_cast<std::uint32_t>(x) * 0x9e3779b1U;
    for (int i = 0; i < 4; ++i) {
      const int column = 2 * x + i % 2;
      const float* rgb = PixelAt(column, 2 * pair + i / 2);
      red += rgb[0];
      green += rgb[1];
      blue += rgb[2];
      const float bright = 0.2126F * rgb[0] + 0.7152F * rgb[1] + 0.0722F * rgb[2];
      // Photons and amplifier: in gamma-coded values, dark tones carry a little more noise.
      const float noise = kLumaNoise * (1.25F - 0.5F * bright / 255.0F) *
                          Grain(Scramble(block + static_cast<std::uint32_t>(i)));
      luma[static_cast<std::size_t>(i / 2)][column] =
          ToByte(16 + (bright + noise) * (219.0F / 255.0F), 16, 235.5F);
    }
    red *= 0.25F;
    green *= 0.25F;
    blue *= 0.25F;
    const float bright = 0.2126F * red + 0.7152F * green + 0.0722F * blue;
    const float cb = (blue - bright) / 1.8556F + kChromaNoise * Grain(Scramble(block + 5));
    const float cr = (red - bright) / 1.5748F + kChromaNoise * Grain(Scramble(block + 6));
    u[x] = ToByte(128 + cb * (224.0F / 255.0F), 16, 240.5F);
    v[x] = ToByte(128 + cr * (224.0F / 255.0F), 16, 240.5F);
  }
}

}  // namespace glint
