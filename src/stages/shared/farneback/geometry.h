// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "glint/plane.h"

namespace glint::farneback {

/// Reduction of a row (or column) to a pyramid level: Gaussian blur and linear interpolation in
/// one, output d = sum over t of weight(t, d) * input[first[d] + t], in ascending t. Input that
/// lies outside is reflected at the border pixel (reflect-101).
struct Reduction {
  /// @param halvings  how often the level's size was halved, >= 1
  Reduction(int input, int output, int halvings);

  float weight(int tap, int out) const {
    return weights[static_cast<std::size_t>(tap) * first.size() + static_cast<std::size_t>(out)];
  }

  int taps = 0;
  /// Input pixels from one output to the next where that is the same everywhere, as is the weight
  /// of a tap; 0 where it is not (when the size is no multiple of the step).
  int step = 0;
  std::vector<int> first;      ///< per output; may be negative
  std::vector<float> weights;  ///< [tap][output]
};

/// Linear interpolation of a row (or column) of the next coarser level:
/// output d = input[first[d]] * (1 - fraction[d]) + input[first[d] + 1] * fraction[d].
struct Enlargement {
  Enlargement(int input, int output);

  bool doubles = false;         ///< the output is exactly twice as long
  std::vector<int> first;       ///< 0..input - 2
  std::vector<float> fraction;  ///< 0..1
};

/// One level of the pyramid.
struct LevelGeometry {
  Size size;
  std::vector<Reduction> reduce;      ///< x, y: from the frame; empty for the frame itself
  std::vector<Enlargement> enlarge;   ///< x, y: from the next coarser level; empty for the coarsest
  std::vector<float> column_weights;  ///< kBorderWeights; longer than the row, by a whole vector
  std::vector<float> row_weights;     ///< a pixel's weight is that of its column times its row's
};

/// The pyramid of frames of one size, finest level (the frame) first. Read only, so that threads
/// share it.
struct Geometry {
  /// @param size  both sides >= 16
  explicit Geometry(Size size);

  std::vector<LevelGeometry> levels;
};

/// One of `count` parts, as equal as can be, of some rows or columns.
struct Part {
  int index = 0;
  int count = 1;

  int Begin(int total) const { return At(total, index); }
  int End(int total) const { return At(total, index + 1); }

 private:
  int At(int total, int i) const { return static_cast<int>(std::int64_t{total} * i / count); }
};

/// Columns begin..end - 1 of a row.
struct Columns {
  int begin = 0;
  int end = 0;

  int count() const { return end - begin; }
};

/// The columns and those up to `reach` away from them, of a row of `width`.
Columns Widen(Columns columns, int reach, int width);

/// The index inside 0..size - 1 that `index` stands for when borders reflect without repeating the
/// border pixel. @param size  >= 2
int Reflect(int index, int size);

}  // namespace glint::farneback
