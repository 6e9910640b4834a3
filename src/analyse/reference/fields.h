// SPDX-License-Identifier: Apache-2.0
// Sums over windows of float pictures: each number is made by the same operations in the same
// order, whatever the threads, so the same picture gives the same bytes.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "base/for_rows.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::reference {

/// One float per pixel.
using Field = cv::Mat1f;

/// A field whose pixels are made by `value(y, x)`, several rows at once.
template <class Value>
Field FieldOf(const cv::Size& size, ThreadPool& pool, const Value& value) {
  Field out(size);
  ForRows(pool, size.height, [&](Rows rows) {
    for (int y = rows.begin; y < rows.end; ++y) {
      float* row = out[y];
      for (int x = 0; x < size.width; ++x) row[x] = static_cast<float>(value(y, x));
    }
  });
  return out;
}

/// Luma of an RGB picture, 0..255 in whole numbers. @param picture  kU8x3 on the host
Field GreyOf(const Plane& picture, ThreadPool& pool);

/// Product of the pixels.
Field Product(const Field& a, const Field& b, ThreadPool& pool);

/// Sum over the window of (2 radius + 1)^2 pixels; what lies outside the picture counts as 0.
Field BoxSum(const Field& field, int radius, ThreadPool& pool);

/// Mean over the part of that window which lies in the picture.
Field BoxMean(const Field& field, int radius, ThreadPool& pool);

/// Three means in a row: nearly a Gaussian of sigma sqrt(radius (radius + 1)).
Field Smooth(Field field, int radius, ThreadPool& pool);

/// 1.4826 times the median of |field| where `where` exceeds `least`: the standard deviation of
/// normal noise, whatever the outliers. 0 where there is no such pixel.
double Deviation(const Field& field, const Field& where, float least);

}  // namespace glint::reference
