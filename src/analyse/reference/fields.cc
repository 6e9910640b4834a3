// SPDX-License-Identifier: Apache-2.0
#include "analyse/reference/fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/median.h"

namespace glint::reference {
namespace {

constexpr int kBlockColumns = 64;

/// The window's sum around each value of a row.
void SumAlong(const float* in, float* out, int size, int radius) {
  double sum = 0;
  for (int x = 0; x < std::min(radius, size); ++x) sum += in[x];
  for (int x = 0; x < size; ++x) {
    if (x + radius < size) sum += in[x + radius];
    if (x - radius > 0) sum -= in[x - radius - 1];
    out[x] = static_cast<float>(sum);
  }
}

/// The window's sum around each value of the columns begin .. end - 1.
void SumDown(const Field& in, Field& out, int begin, int end, int radius) {
  std::array<double, kBlockColumns> sum{};
  const auto add = [&](int y, double sign) {
    const float* row = in[y];
    for (int x = begin; x < end; ++x) sum[static_cast<std::size_t>(x - begin)] += sign * row[x];
  };
  for (int y = 0; y < std::min(radius, in.rows); ++y) add(y, 1);
  for (int y = 0; y < in.rows; ++y) {
    if (y + radius < in.rows) add(y + radius, 1);
    if (y - radius > 0) add(y - radius - 1, -1);
    float* row = out[y];
    for (int x = begin; x < end; ++x) {
      row[x] = static_cast<float>(sum[static_cast<std::size_t>(x - begin)]);
    }
  }
}

/// How many pixels of a window around `at` lie in 0 .. size - 1.
int InWindow(int at, int size, int radius) {
  return std::min(at + radius, size - 1) - std::max(at - radius, 0) + 1;
}

}  // namespace

Field GreyOf(const Plane& picture, ThreadPool& pool) {
  return FieldOf({picture.width(), picture.height()}, pool, [&](int y, int x) {
    const auto* rgb = picture.Row<std::uint8_t>(y) + std::ptrdiff_t{3} * x;
    return static_cast<float>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 32768) >> 16);
  });
}

Field Product(const Field& a, const Field& b, ThreadPool& pool) {
  return FieldOf(a.size(), pool, [&](int y, int x) { return a[y][x] * b[y][x]; });
}

Field BoxSum(const Field& field, int radius, ThreadPool& pool) {
  Field along(field.size()), out(field.size());
  ForRows(pool, field.rows, [&](Rows rows) {
    for (int y = rows.begin; y < rows.end; ++y) SumAlong(field[y], along[y], field.cols, radius);
  });
  pool.ParallelFor((field.cols + kBlockColumns - 1) / kBlockColumns, [&](std::int64_t block) {
    const int begin = static_cast<int>(block) * kBlockColumns;
    SumDown(along, out, begin, std::min(field.cols, begin + kBlockColumns), radius);
  });
  return out;
}

Field BoxMean(const Field& field, int radius, ThreadPool& pool) {
  const Field sum = BoxSum(field, radius, pool);
  return FieldOf(field.size(), pool, [&](int y, int x) {
    const int pixels = InWindow(y, field.rows, radius) * InWindow(x, field.cols, radius);
    return sum[y][x] / static_cast<float>(pixels);
  });
}

Field Smooth(Field field, int radius, ThreadPool& pool) {
  for (int round = 0; round < 3; ++round) field = BoxMean(field, radius, pool);
  return field;
}

double Deviation(const Field& field, const Field& where, float least) {
  std::vector<float> values;
  for (int y = 0; y < field.rows; ++y) {
    const float* value = field[y];
    const float* weight = where[y];
    for (int x = 0; x < field.cols; ++x) {
      if (weight[x] > least) values.push_back(std::abs(value[x]));
    }
  }
  return values.empty() ? 0 : kDeviationsPerMad * UpperMedian(values);
}

}  // namespace glint::reference
