// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/streak_rows.h"

#include <algorithm>
#include <cmath>

#include "base/rounding.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// Whether a place is so near to half-way between two pixels that a sum's last digits may decide.
bool IsHalfWay(double place) { return std::abs(place - std::floor(place) - 0.5) < 1e-6; }

}  // namespace

StreakField::StreakField(const Plane& streaks, const Plane& directions, const Plane& energy,
                         std::int32_t most)
    : size_(streaks.size()) {
  const auto pixels = static_cast<std::size_t>(size_.area());
  on_.reserve(pixels);
  turned_.reserve(pixels);
  energy_.reserve(pixels);
  for (int y = 0; y < size_.height; ++y) {
    const auto* streak = streaks.Row<std::uint8_t>(y);
    const auto* direction = directions.Row<std::uint8_t>(y);
    const auto* value = energy.Row<std::int32_t>(y);
    for (int x = 0; x < size_.width; ++x) {
      on_.push_back(static_cast<std::uint16_t>(streak[x] == 0 ? 0 : 1 << (streak[x] - 1)));
      turned_.push_back(static_cast<std::uint16_t>(1 << (direction[x] % kDirections)));
      energy_.push_back(std::min(value[x], most));
    }
  }
  around_.assign(pixels, 0);
  for (int y = 0; y < size_.height; ++y) {
    for (int v = std::max(y - 1, 0); v <= std::min(y + 1, size_.height - 1); ++v) {
      for (int x = 0; x < size_.width; ++x) {
        std::uint16_t& bits = around_[Index(x, y)];
        bits |= on_[Index(x, v)];
        if (x > 0) bits |= on_[Index(x - 1, v)];
        if (x + 1 < size_.width) bits |= on_[Index(x + 1, v)];
      }
    }
  }
}

StreakRows::StreakRows(const StreakField& field, const RowDirection& direction, int reach)
    : field_(field), direction_(direction), reach_(reach) {
  const std::ptrdiff_t width = field.size_.width;
  for (int along = -reach; along <= reach; ++along) {
    Places& at = places_.emplace_back();
    for (int side = -1; side <= 1; ++side) {
      const double x = along * direction.cosine - side * direction.sine;
      const double y = along * direction.sine + side * direction.cosine;
      usable_ = usable_ && !IsHalfWay(x) && !IsHalfWay(y);
      // The middle first: most often it decides.
      at[side == 0 ? 0 : side < 0 ? 1 : 2] = RoundToInt(y) * width + RoundToInt(x);
    }
  }
}

bool StreakRows::IsInside(int x, int y, int half) const {
  const int margin_x = static_cast<int>(half * std::abs(direction_.cosine)) + 2;
  const int margin_y = static_cast<int>(half * std::abs(direction_.sine)) + 2;
  return x >= margin_x && y >= margin_y && x < field_.size_.width - margin_x &&
         y < field_.size_.height - margin_y;
}

int StreakRows::Streaks(int x, int y, int half) const {
  const auto middle = static_cast<std::ptrdiff_t>(field_.Index(x, y));
  const std::uint16_t* on = field_.on_.data() + middle;
  const std::uint16_t* around = field_.around_.data() + middle;
  int count = 0;
  for (std::size_t i = First(half); i < places_.size() - First(half); ++i) {
    const Places& at = places_[i];
    if ((around[at[0]] & direction_.streaks) == 0) continue;
    count += ((on[at[0]] | on[at[1]] | on[at[2]]) & direction_.streaks) != 0 ? 1 : 0;
  }
  return count;
}

std::int64_t StreakRows::Evidence(int x, int y, int half) const {
  const auto middle = static_cast<std::ptrdiff_t>(field_.Index(x, y));
  const std::uint16_t* turned = field_.turned_.data() + middle;
  const std::int32_t* energy = field_.energy_.data() + middle;
  std::int64_t sum = 0;
  for (std::size_t i = First(half); i < places_.size() - First(half); ++i) {
    std::int32_t most = 0;
    for (const std::ptrdiff_t at : places_[i]) {
      if ((turned[at] & direction_.evidence) != 0) most = std::max(most, energy[at]);
    }
    sum += most;
  }
  return sum;
}

}  // namespace glint::photometric
