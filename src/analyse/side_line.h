// SPDX-License-Identifier: Apache-2.0
// A straight line through the edges that were found beside a side of an outline.
#pragma once

#include <optional>

namespace glint {

/// An edge beside a side: how far along it and how far out.
struct SideEdge {
  double along;
  double out;
};

/// A side as a straight line: out = offset + slope * along.
struct SideLine {
  double offset = 0;
  double slope = 0;
  double Residual(const SideEdge& edge) const { return edge.out - offset - slope * edge.along; }
};

/// The line with the least weighted squares of residuals.
class SideLineFit {
 public:
  void Add(const SideEdge& edge, double weight) {
    w_ += weight;
    a_ += weight * edge.along;
    o_ += weight * edge.out;
    aa_ += weight * edge.along * edge.along;
    ao_ += weight * edge.along * edge.out;
  }
  /// Nothing where the edges lie at one place of the side.
  std::optional<SideLine> Line() const {
    const double determinant = w_ * aa_ - a_ * a_;
    if (!(determinant > 1e-9 * w_ * aa_)) return std::nullopt;
    const double slope = (w_ * ao_ - a_ * o_) / determinant;
    return SideLine{(o_ - slope * a_) / w_, slope};
  }

 private:
  double w_ = 0, a_ = 0, o_ = 0, aa_ = 0, ao_ = 0;
};

}  // namespace glint
