// SPDX-License-Identifier: Apache-2.0
#include "base/normal_equations.h"

#include <cmath>
#include <utility>

#include "base/normal_equation_sums.h"

namespace glint {

void NormalEquations::Add(const Vector& row, double value, double weight) {
  for (std::size_t i = 0; i < unknowns_; ++i) {
    const double weighted = weight * row[i];
    // All columns, read or not: a loop of known length takes several at a time.
    for (std::size_t j = 0; j < kMaxUnknowns; ++j) matrix_[i][j] += weighted * row[j];
    right_[i] += weighted * value;
  }
}

void NormalEquations::AddAll(std::span<const Equation> equations, std::span<const double> weights) {
  Matrix matrix = matrix_;
  Vector right = right_;
  AddToSums(equations, weights, matrix, right);
  for (std::size_t i = 0; i < unknowns_; ++i) {
    matrix_[i] = matrix[i];
    right_[i] = right[i];
  }
}

std::optional<NormalEquations::Vector> NormalEquations::Solve() const {
  Matrix l = matrix_;  // the upper triangle holds the matrix, the lower one becomes the factor
  for (std::size_t i = 0; i < unknowns_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix_[j][i];
      for (std::size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      if (i != j) {
        l[i][j] = sum / l[j][j];
      } else if (sum > 1e-12) {
        l[i][i] = std::sqrt(sum);
      } else {
        return std::nullopt;
      }
    }
  }
  Vector x = right_;
  for (std::size_t i = 0; i < unknowns_; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= l[i][k] * x[k];
    x[i] /= l[i][i];
  }
  for (std::size_t i = unknowns_; i-- > 0;) {
    for (std::size_t k = i + 1; k < unknowns_; ++k) x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
  return x;
}

std::optional<NormalEquations::Vector> NormalEquations::SolveByElimination() const {
  Matrix a = matrix_;
  Vector b = right_;
  for (std::size_t i = 0; i < unknowns_; ++i) {
    std::size_t pivot = i;
    for (std::size_t j = i + 1; j < unknowns_; ++j) {
      if (std::abs(a[j][i]) > std::abs(a[pivot][i])) pivot = j;
    }
    std::swap(a[i], a[pivot]);
    std::swap(b[i], b[pivot]);
    if (std::abs(a[i][i]) < 1e-9) return std::nullopt;
    for (std::size_t j = 0; j < unknowns_; ++j) {
      if (j == i) continue;
      const double factor = a[j][i] / a[i][i];
      for (std::size_t k = i; k < unknowns_; ++k) a[j][k] -= factor * a[i][k];
      b[j] -= factor * b[i];
    }
  }
  for (std::size_t i = 0; i < unknowns_; ++i) b[i] /= a[i][i];
  return b;
}

}  // namespace glint
