// SPDX-License-Identifier: Apache-2.0
#include "stages/shared/farneback/parameters.h"

#include <cmath>

namespace glint::farneback {

// The least-squares fit of 1, x, y, x^2, y^2, xy under a separable weight g(x) g(y) of sum 1 and
// moments m2, m4 has a closed form: b = sum(g x f) / m2, a_xy = sum(g g x y f) / m2^2 and
// a_xx = sum(g (x^2 - m2) f) / (m4 - m2^2), each smoothed by g along the other axis.
PolynomialKernels::PolynomialKernels() {
  double sum = 0;
  std::array<double, kPolyRadius + 1> gaussian{};
  for (int k = 0; k <= kPolyRadius; ++k) {
    gaussian[k] = std::exp(-k * k / (2 * kPolySigma * kPolySigma));
    sum += k == 0 ? gaussian[k] : 2 * gaussian[k];
  }
  double m2 = 0;
  double m4 = 0;
  for (int k = 0; k <= kPolyRadius; ++k) {
    gaussian[k] /= sum;
    m2 += 2 * gaussian[k] * k * k;
    m4 += 2 * gaussian[k] * k * k * k * k;
  }
  for (int k = 0; k <= kPolyRadius; ++k) {
    smooth[k] = static_cast<float>(gaussian[k]);
    slope[k] = static_cast<float>(k * gaussian[k] / (2 * m2));
    curvature[k] = static_cast<float>((k * k - m2) * gaussian[k] / (2 * (m4 - m2 * m2)));
  }
}

const PolynomialKernels& Kernels() {
  static const PolynomialKernels kernels;
  return kernels;
}

}  // namespace glint::farneback
