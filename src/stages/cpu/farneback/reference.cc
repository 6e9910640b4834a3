// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/farneback/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "stages/shared/farneback/geometry.h"
#include "stages/shared/farneback/parameters.h"

namespace glint::farneback {
namespace {

/// An image of floats.
class Image {
 public:
  explicit Image(Size size) : size_(size), values_(static_cast<std::size_t>(size.area())) {}

  Size size() const { return size_; }
  float& at(int x, int y) { return values_[Index(x, y)]; }
  float at(int x, int y) const { return values_[Index(x, y)]; }
  /// The pixel, or the nearest one inside.
  float Clamped(int x, int y) const {
    return at(std::clamp(x, 0, size_.width - 1), std::clamp(y, 0, size_.height - 1));
  }

 private:
  std::size_t Index(int x, int y) const {
    return static_cast<std::size_t>(y) * size_.width + static_cast<std::size_t>(x);
  }

  Size size_;
  std::vector<float> values_;
};

using Flow = std::array<Image, 2>;                     // x, y
using Polynomials = std::array<Image, kCoefficients>;  // by Coefficient
using Equations = std::array<Image, kWindowSums>;      // by WindowSum

template <class Work>
void ForEachPixel(Size size, const Work& work) {
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) work(x, y);
  }
}

/// The finest level: the frame under 1 2 1 / 2 4 2 / 1 2 1, in integers.
Image Blur(const Plane& luma) {
  Image out(luma.size());
  ForEachPixel(luma.size(), [&](int x, int y) {
    int sum = 0;
    for (int j = -1; j <= 1; ++j) {
      for (int i = -1; i <= 1; ++i) {
        const auto* row = luma.Row<std::uint8_t>(Reflect(y + j, luma.height()));
        sum += (2 - std::abs(i)) * (2 - std::abs(j)) * row[Reflect(x + i, luma.width())];
      }
    }
    out.at(x, y) = static_cast<float>(sum) * (1.0F / 16);
  });
  return out;
}

/// A coarser level: columns first, then rows.
Image Reduce(const Plane& luma, const LevelGeometry& level) {
  const Reduction& across = level.reduce[0];
  const Reduction& down = level.reduce[1];
  Image columns({luma.width(), level.size.height});
  ForEachPixel(columns.size(), [&](int x, int y) {
    float sum = 0;
    for (int t = 0; t < down.taps; ++t) {
      const int from = Reflect(down.first[y] + t, luma.height());
      sum += down.weight(t, y) * static_cast<float>(luma.Row<std::uint8_t>(from)[x]);
    }
    columns.at(x, y) = sum;
  });
  Image out(level.size);
  ForEachPixel(out.size(), [&](int x, int y) {
    float sum = 0;
    for (int t = 0; t < across.taps; ++t)
      sum += across.weight(t, x) * columns.at(Reflect(across.first[x] + t, luma.width()), y);
    out.at(x, y) = sum;
  });
  return out;
}

/// The polynomial around every pixel, by separable kernels, the vertical ones first.
Polynomials Expand(const Image& image) {
  const auto& kernels = Kernels();
  const Size size = image.size();
  Image smoothed(size);
  Image sloped(size);
  Image curved(size);
  ForEachPixel(size, [&](int x, int y) {
    const float centre = image.at(x, y);
    smoothed.at(x, y) = kernels.smooth[0] * centre;
    for (int k = 1; k <= kPolyRadius; ++k) {
      const float above = image.Clamped(x, y - k);
      const float below = image.Clamped(x, y + k);
      smoothed.at(x, y) += kernels.smooth[k] * (below + above);
      sloped.at(x, y) += kernels.slope[k] * (below - above);
      // The kernel's sum is zero, so the centre's weight is minus that of all others: taken as
      // differences, nothing cancels.
      curved.at(x, y) += kernels.curvature[k] * ((below + above) - (centre + centre));
    }
  });
  Polynomials out{Image(size), Image(size), Image(size), Image(size), Image(size)};
  ForEachPixel(size, [&](int x, int y) {
    const float centre = smoothed.at(x, y);
    out[kY].at(x, y) = kernels.smooth[0] * sloped.at(x, y);
    out[kYY].at(x, y) = kernels.smooth[0] * curved.at(x, y);
    for (int k = 1; k <= kPolyRadius; ++k) {
      const float left = smoothed.Clamped(x - k, y);
      const float right = smoothed.Clamped(x + k, y);
      const float sloped_left = sloped.Clamped(x - k, y);
      const float sloped_right = sloped.Clamped(x + k, y);
      out[kX].at(x, y) += kernels.slope[k] * (right - left);
      out[kXX].at(x, y) += kernels.curvature[k] * ((right + left) - (centre + centre));
      out[kY].at(x, y) += kernels.smooth[k] * (sloped_right + sloped_left);
      out[kXY].at(x, y) += kernels.slope[k] * (sloped_right - sloped_left);
      out[kYY].at(x, y) +=
          kernels.smooth[k] * (curved.Clamped(x + k, y) + curved.Clamped(x - k, y));
    }
  });
  return out;
}

/// What a level starts from: twice the coarser level's flow, between its pixels; rows first.
Image Enlarge(const Image& coarser, const LevelGeometry& level) {
  const Enlargement& across = level.enlarge[0];
  const Enlargement& down = level.enlarge[1];
  Image out(level.size);
  ForEachPixel(out.size(), [&](int x, int y) {
    const float top_weight = 2 * (1 - down.fraction[y]);
    const float bottom_weight = 2 * down.fraction[y];
    const auto between_rows = [&](int column) {
      return top_weight * coarser.at(column, down.first[y]) +
             bottom_weight * coarser.at(column, down.first[y] + 1);
    };
    out.at(x, y) = between_rows(across.first[x]) * (1 - across.fraction[x]) +
                   between_rows(across.first[x] + 1) * across.fraction[x];
  });
  return out;
}

/// One coefficient of the next frame where a pixel is carried to, between four pixels.
float Interpolate(const Image& image, int x, int y, float across, float down) {
  const float weight00 = (1 - across) * (1 - down);
  const float weight01 = across * (1 - down);
  const float weight10 = (1 - across) * down;
  const float weight11 = across * down;
  return ((weight00 * image.at(x, y) + weight01 * image.at(x + 1, y)) +
          weight10 * image.at(x, y + 1)) +
         weight11 * image.at(x + 1, y + 1);
}

/// The equations of one pixel at a displacement.
std::array<float, kWindowSums> EquationsAt(const Polynomials& previous, const Polynomials& next,
                                           const LevelGeometry& level, int x, int y, float dx,
                                           float dy) {
  const float target_x = static_cast<float>(x) + dx;
  const float target_y = static_cast<float>(y) + dy;
  const float column = std::floor(target_x);
  const float row = std::floor(target_y);
  std::array<float, kCoefficients> own;
  for (int c = 0; c < kCoefficients; ++c) own[c] = previous[c].at(x, y);
  // A pixel that leaves the frame has no change, and only its own second order.
  std::array<float, kCoefficients> there{0, 0, own[kYY], own[kXX], own[kXY]};
  if (column >= 0 && column <= static_cast<float>(level.size.width - 2) && row >= 0 &&
      row <= static_cast<float>(level.size.height - 2)) {
    for (int c = 0; c < kCoefficients; ++c) {
      there[c] = Interpolate(next[c], static_cast<int>(column), static_cast<int>(row),
                             target_x - column, target_y - row);
    }
  }
  const float weight = level.column_weights[x] * level.row_weights[y];
  float yy = own[kYY] + there[kYY];
  float xx = own[kXX] + there[kXX];
  float xy = own[kXY] + there[kXY];
  const float change_y = ((own[kY] - there[kY]) + (yy * dy + xy * dx)) * weight;
  const float change_x = ((own[kX] - there[kX]) + (xy * dy + xx * dx)) * weight;
  yy *= weight;
  xx *= weight;
  xy *= weight;
  std::array<float, kWindowSums> out;
  out[kGyy] = yy * yy + xy * xy;
  out[kGxy] = (yy + xx) * xy;
  out[kGxx] = xx * xx + xy * xy;
  out[kHy] = yy * change_y + xy * change_x;
  out[kHx] = xy * change_y + xx * change_x;
  return out;
}

Equations MakeEquations(const Polynomials& previous, const Polynomials& next,
                        const LevelGeometry& level, const Flow& flow) {
  Equations out{Image(level.size), Image(level.size), Image(level.size), Image(level.size),
                Image(level.size)};
  ForEachPixel(level.size, [&](int x, int y) {
    const auto values =
        EquationsAt(previous, next, level, x, y, flow[0].at(x, y), flow[1].at(x, y));
    for (int s = 0; s < kWindowSums; ++s) out[s].at(x, y) = values[s];
  });
  return out;
}

/// The sum of value(-7) .. value(7): of threes, then of the five threes.
template <class Value>
float SumOfFifteen(const Value& value) {
  static_assert(kWindowRadius == 7);
  const auto three = [&](int at) { return (value(at - 1) + value(at)) + value(at + 1); };
  return ((three(-6) + three(-3)) + (three(3) + three(6))) + three(0);
}

/// Sums over the 15x15 window, columns first; pixels outside are those at the border.
Image SumWindow(const Image& values) {
  Image columns(values.size());
  ForEachPixel(values.size(), [&](int x, int y) {
    columns.at(x, y) = SumOfFifteen([&](int k) { return values.Clamped(x, y + k); });
  });
  Image out(values.size());
  ForEachPixel(values.size(), [&](int x, int y) {
    out.at(x, y) = SumOfFifteen([&](int k) { return columns.Clamped(x + k, y); });
  });
  return out;
}

/// The displacements that solve the equations of each window. A determinant is never negative,
/// except by rounding.
Flow Solve(const Equations& equations) {
  Equations sums = equations;
  for (Image& image : sums) image = SumWindow(image);
  const Size size = sums[0].size();
  Flow flow{Image(size), Image(size)};
  ForEachPixel(size, [&](int x, int y) {
    const auto at = [&](WindowSum sum) { return sums[sum].at(x, y); };
    const float determinant = at(kGyy) * at(kGxx) - at(kGxy) * at(kGxy);
    const float inverse = 1 / (std::max(determinant, 0.0F) + kRegularisation);
    flow[0].at(x, y) = (at(kGyy) * at(kHx) - at(kGxy) * at(kHy)) * inverse;
    flow[1].at(x, y) = (at(kGxx) * at(kHy) - at(kGxy) * at(kHx)) * inverse;
  });
  return flow;
}

Polynomials ExpandLevel(const Plane& luma, const LevelGeometry& level) {
  return Expand(level.reduce.empty() ? Blur(luma) : Reduce(luma, level));
}

}  // namespace

Plane ReferenceField(const Plane& previous, const Plane& next) {
  const Geometry geometry(previous.size());
  const Size coarsest = geometry.levels.back().size;
  Flow flow{Image(coarsest), Image(coarsest)};
  for (std::size_t k = geometry.levels.size(); k-- > 0;) {
    const LevelGeometry& level = geometry.levels[k];
    if (!level.enlarge.empty()) flow = {Enlarge(flow[0], level), Enlarge(flow[1], level)};
    const Polynomials from = ExpandLevel(previous, level);
    const Polynomials to = ExpandLevel(next, level);
    for (int i = 0; i < kIterations; ++i) flow = Solve(MakeEquations(from, to, level, flow));
  }
  Plane out = Plane::Host(previous.size(), PixelType::kF32x2);
  ForEachPixel(out.size(), [&](int x, int y) {
    float* const vector = out.Row<float>(y) + std::ptrdiff_t{2} * x;
    vector[0] = flow[0].at(x, y);
    vector[1] = flow[1].at(x, y);
  });
  return out;
}

}  // namespace glint::farneback
