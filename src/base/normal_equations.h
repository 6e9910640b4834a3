// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace glint {

/// Weighted linear least squares of a few unknowns by their normal equations. Sums are made in the
/// order of the calls, so that results are the same to the last bit everywhere.
class NormalEquations {
 public:
  static constexpr std::size_t kMaxUnknowns = 8;
  using Vector = std::array<double, kMaxUnknowns>;
  using Matrix = std::array<Vector, kMaxUnknowns>;
  /// row * x = value.
  struct Equation {
    Vector row{};
    double value = 0;
  };

  /// @param unknowns  1 .. kMaxUnknowns; entries of rows beyond them do not count
  explicit NormalEquations(std::size_t unknowns = kMaxUnknowns) : unknowns_(unknowns) {}

  /// One equation: row * x = value.
  void Add(const Vector& row, double value, double weight);
  /// Many equations, as if added one after the other: the same sums to the last bit.
  /// @param weights  one per equation; those of weight 0 are left out
  void AddAll(std::span<const Equation> equations, std::span<const double> weights);

  /// The unknowns, the others 0, by Cholesky's decomposition; nothing when the equations do not
  /// determine them.
  std::optional<Vector> Solve() const;
  /// As Solve, by Gauss-Jordan elimination with pivots, whose last digits are others.
  std::optional<Vector> SolveByElimination() const;

  /// The sums: weight * row * row^T, and weight * value * row.
  const Matrix& matrix() const { return matrix_; }
  const Vector& right() const { return right_; }

 private:
  std::size_t unknowns_;
  Matrix matrix_{};
  Vector right_{};
};

}  // namespace glint
