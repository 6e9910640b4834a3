// SPDX-License-Identifier: Apache-2.0
#include "stages/shared/farneback/geometry.h"

#include <algorithm>
#include <cmath>

#include "stages/shared/farneback/parameters.h"

namespace glint::farneback {
namespace {

// Where output pixel `out` lies between two input pixels, when centres map linearly.
struct Position {
  int first;
  double fraction;
};

Position Locate(int out, int input, int output) {
  const double at = (out + 0.5) * (static_cast<double>(input) / output) - 0.5;
  // Interpolation in OpenCV, whose results these are, holds positions as floats.
  const float rounded = static_cast<float>(at);
  const int first = static_cast<int>(std::floor(rounded));
  if (first < 0) return {0, 0};
  if (first >= input - 1) return {input - 2, 1};
  return {first, double{rounded} - first};
}

std::vector<double> Gaussian(double sigma, int size) {
  std::vector<double> kernel(static_cast<std::size_t>(size));
  double sum = 0;
  for (int i = 0; i < size; ++i) {
    const double x = i - (size - 1) * 0.5;
    kernel[i] = std::exp(-x * x / (2 * sigma * sigma));
    sum += kernel[i];
  }
  for (double& weight : kernel) weight /= sum;
  return kernel;
}

bool SameEverywhere(const Reduction& reduction) {
  const auto outputs = static_cast<int>(reduction.first.size());
  for (int d = 1; d < outputs; ++d) {
    if (reduction.first[d] - reduction.first[d - 1] != reduction.first[1] - reduction.first[0])
      return false;
    for (int t = 0; t < reduction.taps; ++t) {
      if (reduction.weight(t, d) != reduction.weight(t, 0)) return false;
    }
  }
  return true;
}

std::vector<float> BorderWeights(int side, int room) {
  std::vector<float> weights(static_cast<std::size_t>(side), 1.0F);
  const auto border = static_cast<int>(kBorderWeights.size());
  for (int i = 0; i < border; ++i) {
    weights[i] = kBorderWeights[i];
    weights[side - 1 - i] = kBorderWeights[i];
  }
  weights.resize(static_cast<std::size_t>(side) + static_cast<std::size_t>(room));
  return weights;
}

LevelGeometry Level(Size size) {
  constexpr int kVector = 16;
  return {.size = size,
          .reduce = {},
          .enlarge = {},
          .column_weights = BorderWeights(size.width, kVector),
          .row_weights = BorderWeights(size.height, 0)};
}

// The size of a level: halves round to even, as everywhere in OpenCV.
int Halve(int side, int halvings) {
  return static_cast<int>(std::lrint(std::ldexp(side, -halvings)));
}

}  // namespace

Reduction::Reduction(int input, int output, int halvings) {
  const int scale = 1 << halvings;
  const double sigma = (scale - 1) * 0.5;
  const int size = std::max(static_cast<int>(std::lrint(sigma * 5)) | 1, 3);
  const std::vector<double> blur = Gaussian(sigma, size);
  taps = size + 1;
  first.resize(static_cast<std::size_t>(output));
  weights.resize(first.size() * static_cast<std::size_t>(taps));
  for (int d = 0; d < output; ++d) {
    const Position position = Locate(d, input, output);
    first[d] = position.first - size / 2;
    for (int t = 0; t < taps; ++t) {
      const double left = t < size ? blur[t] * (1 - position.fraction) : 0;
      const double right = t > 0 ? blur[t - 1] * position.fraction : 0;
      weights[static_cast<std::size_t>(t) * first.size() + d] = static_cast<float>(left + right);
    }
  }
  if (output * scale == input && SameEverywhere(*this)) step = scale;
}

Enlargement::Enlargement(int input, int output) : doubles(output == 2 * input) {
  for (int d = 0; d < output; ++d) {
    const Position position = Locate(d, input, output);
    first.push_back(position.first);
    fraction.push_back(static_cast<float>(position.fraction));
  }
}

Geometry::Geometry(Size size) {
  int coarser = 0;
  while (coarser < kCoarserLevels && std::min(size.width, size.height) >= kSmallestLevelSide
                                                                              << (coarser + 1)) {
    ++coarser;
  }
  levels.push_back(Level(size));
  for (int k = 1; k <= coarser; ++k) {
    const Size finer = levels.back().size;
    const Size coarse{Halve(size.width, k), Halve(size.height, k)};
    levels.back().enlarge = {Enlargement(coarse.width, finer.width),
                             Enlargement(coarse.height, finer.height)};
    levels.push_back(Level(coarse));
    levels.back().reduce = {Reduction(size.width, coarse.width, k),
                            Reduction(size.height, coarse.height, k)};
  }
}

Columns Widen(Columns columns, int reach, int width) {
  return {std::max(0, columns.begin - reach), std::min(width, columns.end + reach)};
}

int Reflect(int index, int size) {
  while (index < 0 || index >= size) index = index < 0 ? -index : 2 * size - 2 - index;
  return index;
}

}  // namespace glint::farneback
