// SPDX-License-Identifier: Apache-2.0
#include "analyse/reference/blur_matching.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace glint::reference {
namespace {

constexpr float kMaxVariance = 0.5F;  // of one pass of the kernel (w, 1 - 2 w, w): w = 1/4

/// One pass along rows, then along columns.
Field Pass(const Field& field, float weight, ThreadPool& pool) {
  const float middle = 1 - 2 * weight;
  const int right = field.cols - 1, bottom = field.rows - 1;
  const Field along = FieldOf(field.size(), pool, [&](int y, int x) {
    const float* row = field[y];
    return middle * row[x] + weight * (row[std::max(0, x - 1)] + row[std::min(right, x + 1)]);
  });
  return FieldOf(field.size(), pool, [&](int y, int x) {
    const float sides = along[std::max(0, y - 1)][x] + along[std::min(bottom, y + 1)][x];
    return middle * along[y][x] + weight * sides;
  });
}

Field TextureOf(const Field& field, int radius, ThreadPool& pool) {
  const Field coarse = Smooth(field, radius, pool);
  return FieldOf(field.size(), pool, [&](int y, int x) { return field[y][x] - coarse[y][x]; });
}

double Correlation(const Field& a, const Field& b, const cv::Mat& where) {
  double ab = 0, aa = 0, bb = 0;
  for (int y = 0; y < a.rows; ++y) {
    const auto* in = where.ptr<std::uint8_t>(y);
    for (int x = 0; x < a.cols; ++x) {
      if (in[x] == 0) continue;
      ab += double{a[y][x]} * b[y][x];
      aa += double{a[y][x]} * a[y][x];
      bb += double{b[y][x]} * b[y][x];
    }
  }
  return aa <= 0 || bb <= 0 ? 0 : ab / std::sqrt(aa * bb);
}

}  // namespace

Field Blurred(Field field, float variance, ThreadPool& pool) {
  const int passes = static_cast<int>(std::ceil(variance / kMaxVariance));
  for (int i = 0; i < passes; ++i) {
    field = Pass(field, variance / static_cast<float>(2 * passes), pool);
  }
  return field;
}

BlurMatch MatchBlur(const Field& now, const Field& then, const cv::Mat& where, ThreadPool& pool,
                    std::span<const float> variances, int texture_radius_px) {
  const Field texture_now = TextureOf(now, texture_radius_px, pool),
              texture_then = TextureOf(then, texture_radius_px, pool);
  double best = Correlation(texture_now, texture_then, where);
  BlurMatch found;
  // Along each way the correlation rises to the best variance, and falls behind it.
  const auto search = [&](const Field& sharper, const Field& other, float BlurMatch::*of) {
    for (const float variance : variances) {
      const Field texture = TextureOf(Blurred(sharper, variance, pool), texture_radius_px, pool);
      const double correlation = Correlation(texture, other, where);
      if (correlation <= best) break;
      best = correlation;
      found = {};
      found.*of = variance;
    }
  };
  search(then, texture_now, &BlurMatch::of_then);
  search(now, texture_then, &BlurMatch::of_now);
  return found;
}

}  // namespace glint::reference
