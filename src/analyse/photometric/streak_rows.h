// SPDX-License-Identifier: Apache-2.0
// What lies along rows of one direction, for every pixel as their middle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "glint/plane.h"

namespace glint::photometric {

/// A direction and the bits of the streaks and of the evidence that go with it.
struct RowDirection {
  double cosine, sine;
  std::uint16_t streaks = 0, evidence = 0;
};

/// Streaks and evidence, side by side for walks along lines.
class StreakField {
 public:
  /// @param streaks     kU8: PaperStreaks::even
  /// @param directions  kU8: LineEvidence::direction
  /// @param energy      kS32; above `most` it counts as that
  StreakField(const Plane& streaks, const Plane& directions, const Plane& energy,
              std::int32_t most);

  Size size() const { return size_; }
  /// Directions of the streaks on the pixel, as bits.
  std::uint16_t On(int x, int y) const { return on_[Index(x, y)]; }
  /// Of those on it and on the eight pixels around it.
  std::uint16_t Around(int x, int y) const { return around_[Index(x, y)]; }

 private:
  friend class StreakRows;
  std::size_t Index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) +
           static_cast<std::size_t>(x);
  }

  Size size_;
  std::vector<std::uint16_t> on_, around_;
  std::vector<std::uint16_t> turned_;  // the direction of the evidence, as a bit
  std::vector<std::int32_t> energy_;
};

/// The rows of one direction. Where a row's pixels lie follows from where those of the row through
/// pixel 0 lie, unless one of them lies half-way between two pixels to the last digits: then the
/// direction has no table (`usable`), and each row is to be walked by itself.
class StreakRows {
 public:
  /// @param reach  pixels to either side of a row's middle, which lies inside
  StreakRows(const StreakField& field, const RowDirection& direction, int reach);

  bool usable() const { return usable_; }
  /// Pixels of the row, `half` to either side of its middle, that have a streak on or beside them.
  int Streaks(int x, int y, int half) const;
  /// Sum over its pixels of the most evidence on or beside them.
  std::int64_t Evidence(int x, int y, int half) const;

 private:
  /// The places a row along: on it and a pixel to either side, as offsets.
  using Places = std::array<std::ptrdiff_t, 3>;

  std::size_t First(int half) const { return static_cast<std::size_t>(reach_ - half); }

  std::ptrdiff_t Index(int x, int y) const { return (margin_ + y) * stride_ + margin_ + x; }

  int reach_;
  std::ptrdiff_t margin_, stride_;
  bool usable_ = true;
  // What of the field goes with the direction, a value per pixel, and zeros around them: there is
  // nothing outside.
  std::vector<std::uint8_t> on_;  // 0, 1
  std::vector<std::int32_t> energy_;
  std::vector<Places> places_;  // from -reach to reach
};

}  // namespace glint::photometric
