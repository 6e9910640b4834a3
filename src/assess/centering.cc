// SPDX-License-Identifier: Apache-2.0
#include "assess/centering.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace glint {
namespace {

constexpr int kLeastSidePx = 64;
constexpr double kSkipped = 0.008;     // of the depth: the outermost rim mixes with the table
constexpr double kShallowest = 0.015;  // of the depth: a narrower border cannot be told from a rim
constexpr double kDeepest = 0.2;       // of the depth: a wider one is no border
constexpr double kEnds = 0.2;          // of the side, at each end: corners are left out
constexpr double kColourStep = 28;     // grey levels, in the channel that differs most
constexpr int kStaysPx = 3;            // the other colour goes on for this long
constexpr double kAgree = 0.006;       // of the depth: how far ends may lie apart
constexpr double kMinAgreeing = 0.7;   // of the profiles

using Colour = std::array<int, 3>;

/// One side of the picture, looked at from the edge inwards.
class SideView {
 public:
  enum class Side { kLeft, kRight, kTop, kBottom };

  SideView(const Plane& picture, Side side) : picture_(picture), side_(side) {}

  int length() const { return upright() ? picture_.height() : picture_.width(); }
  int depth() const { return upright() ? picture_.width() : picture_.height(); }
  Colour At(int along, int deep) const {
    const bool far = side_ == Side::kRight || side_ == Side::kBottom;
    const int from = far ? depth() - 1 - deep : deep;
    const auto* row = picture_.Row<std::uint8_t>(upright() ? along : from);
    const std::size_t x = 3 * static_cast<std::size_t>(upright() ? from : along);
    return {row[x], row[x + 1], row[x + 2]};
  }

 private:
  bool upright() const { return side_ == Side::kLeft || side_ == Side::kRight; }

  const Plane& picture_;
  Side side_;
};

int Difference(const Colour& a, const Colour& b) {
  return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
}

template <class T>
T MedianOf(std::vector<T> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The colour just inside the rim, along the whole side.
Colour BorderColour(const SideView& side) {
  const int from = static_cast<int>(kSkipped * side.depth());
  const int to = std::max(from + 1, static_cast<int>(kShallowest * side.depth()));
  Colour colour;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    std::vector<int> values;
    for (int i = static_cast<int>(kEnds * side.length()); i < (1 - kEnds) * side.length(); ++i) {
      for (int deep = from; deep < to; ++deep) values.push_back(side.At(i, deep)[channel]);
    }
    colour[channel] = MedianOf(std::move(values));
  }
  return colour;
}

/// Where the border ends in one profile; nothing when it does not.
std::optional<int> EndOfBorder(const SideView& side, int along, const Colour& border) {
  const int deepest = static_cast<int>(kDeepest * side.depth());
  int other = 0;
  for (int deep = static_cast<int>(kSkipped * side.depth()); deep < deepest; ++deep) {
    other = Difference(side.At(along, deep), border) > kColourStep ? other + 1 : 0;
    if (other == kStaysPx) return deep - kStaysPx + 1;
  }
  return std::nullopt;
}

/// The border's width on one side, pixels.
std::optional<double> BorderOf(const SideView& side) {
  const Colour border = BorderColour(side);
  std::vector<int> ends;
  int profiles = 0;
  for (int i = static_cast<int>(kEnds * side.length()); i < (1 - kEnds) * side.length(); ++i) {
    ++profiles;
    if (const auto end = EndOfBorder(side, i, border)) ends.push_back(*end);
  }
  if (static_cast<double>(ends.size()) < kMinAgreeing * profiles) return std::nullopt;
  const int middle = MedianOf(ends);
  const double slack = std::max(1.5, kAgree * side.depth());
  double sum = 0;
  int agreeing = 0;
  for (const int end : ends) {
    if (std::abs(end - middle) > slack) continue;
    sum += end;
    ++agreeing;
  }
  if (agreeing < kMinAgreeing * profiles || middle < kShallowest * side.depth()) {
    return std::nullopt;
  }
  return sum / agreeing;
}

}  // namespace

std::optional<Centering> MeasureCentering(const Plane& picture) {
  if (std::min(picture.width(), picture.height()) < kLeastSidePx) return std::nullopt;
  using Side = SideView::Side;
  const auto left = BorderOf({picture, Side::kLeft}), right = BorderOf({picture, Side::kRight});
  const auto top = BorderOf({picture, Side::kTop}), bottom = BorderOf({picture, Side::kBottom});
  if (!left || !right || !top || !bottom) return std::nullopt;
  return Centering{.left_px = *left, .right_px = *right, .top_px = *top, .bottom_px = *bottom};
}

}  // namespace glint
