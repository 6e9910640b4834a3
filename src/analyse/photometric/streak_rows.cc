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
    : reach_(reach),
      margin_(reach + 2),
      stride_(field.size_.width + 2 * margin_),
      on_(static_cast<std::size_t>(stride_ * (field.size_.height + 2 * margin_))),
      energy_(on_.size()) {
  const std::uint16_t streaks = direction.streaks, evidence = direction.evidence;
  std::size_t from = 0;
  for (int y = 0; y < field.size_.height; ++y) {
    auto to = static_cast<std::size_t>(Index(0, y));
    for (int x = 0; x < field.size_.width; ++x, ++from, ++to) {
      on_[to] = (field.on_[from] & streaks) != 0 ? 1 : 0;
      const bool counts = (field.turned_[from] & evidence) != 0;
      energy_[to] = counts ? std::max(field.energy_[from], 0) : 0;
    }
  }
  for (int along = -reach; along <= reach; ++along) {
    Places& at = places_.emplace_back();
    for (std::size_t i = 0; i < at.size(); ++i) {
      const int side = static_cast<int>(i) - 1;
      const double x = along * direction.cosine - side * direction.sine;
      const double y = along * direction.sine + side * direction.cosine;
      usable_ = usable_ && !IsHalfWay(x) && !IsHalfWay(y);
      at[i] = RoundToInt(y) * stride_ + RoundToInt(x);
    }
  }
}

int StreakRows::Streaks(int x, int y, int half) const {
  const std::uint8_t* on = on_.data() + Index(x, y);
  int count = 0;
  for (std::size_t i = First(half); i < places_.size() - First(half); ++i) {
    const Places& at = places_[i];
    count += on[at[0]] | on[at[1]] | on[at[2]];
  }
  return count;
}

std::int64_t StreakRows::Evidence(int x, int y, int half) const {
  const std::int32_t* energy = energy_.data() + Index(x, y);
  std::int64_t sum = 0;
  for (std::size_t i = First(half); i < places_.size() - First(half); ++i) {
    const Places& at = places_[i];
    sum += std::max({energy[at[0]], energy[at[1]], energy[at[2]]});
  }
  return sum;
}

}  // namespace glint::photometric
