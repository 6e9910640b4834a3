// SPDX-License-Identifier: Apache-2.0
// Line filters over all groups, and the best direction of each pixel.
//
// Plain loops; included once per instruction set, for which the compiler turns them into vectors.
#if defined(GLINT_PHOTOMETRIC_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GLINT_PHOTOMETRIC_LINES_INL_H
#undef GLINT_PHOTOMETRIC_LINES_INL_H
#else
#define GLINT_PHOTOMETRIC_LINES_INL_H
#endif

#include <algorithm>
#include <vector>

#include "stages/cpu/photometric/targets.h"
#include "stages/shared/photometric_arithmetic.h"

HWY_BEFORE_NAMESPACE();
namespace glint::photometric::HWY_NAMESPACE {

/// Squared responses of one tile in every direction, summed over the groups.
struct LineTile {
  std::int32_t long_sums[kDirections][kLineTile];
  std::int32_t short_sums[kDirections][kLineTile];
};

/// Adds the squared responses of one group in one direction.
/// @param middle  the tile's first pixel
/// @param taps    distance of the taps on one side from the middle, in values
inline void AddResponses(const std::int16_t* HWY_RESTRICT middle, const LineTaps& taps,
                         std::int32_t* HWY_RESTRICT long_sums,
                         std::int32_t* HWY_RESTRICT short_sums) {
  const std::ptrdiff_t t1 = taps[0], t2 = taps[1], t3 = taps[2], t4 = taps[3], t5 = taps[4];
  for (int x = 0; x < kLineTile; ++x) {
    const std::int16_t* at = middle + x;
    const auto pair1 = static_cast<std::int16_t>(at[t1] + at[-t1]);
    const auto pair2 = static_cast<std::int16_t>(at[t2] + at[-t2]);
    const auto pair3 = static_cast<std::int16_t>(at[t3] + at[-t3]);
    const auto pair4 = static_cast<std::int16_t>(at[t4] + at[-t4]);
    const auto pair5 = static_cast<std::int16_t>(at[t5] + at[-t5]);
    const std::int32_t l = LongResponse(at[0], pair1, pair2, pair3, pair4, pair5);
    const std::int32_t s = ShortResponse(at[0], pair1, pair2);
    long_sums[x] += l * l;
    short_sums[x] += s * s;
  }
}

/// The strongest direction of each pixel of a tile.
struct BestLine {
  std::int32_t energy[kLineTile];
  std::int32_t point[kLineTile];
  std::int32_t direction[kLineTile];
};

inline void ChooseDirections(const LineTile& tile, BestLine& best) {
  std::fill_n(best.energy, kLineTile, -1);
  for (int direction = 0; direction < kDirections; ++direction) {
    const std::int32_t* HWY_RESTRICT l = tile.long_sums[direction];
    const std::int32_t* HWY_RESTRICT s = tile.short_sums[direction];
    for (int x = 0; x < kLineTile; ++x) {
      const bool stronger = l[x] > best.energy[x];  // ties to the lower direction
      best.energy[x] = stronger ? l[x] : best.energy[x];
      best.point[x] = stronger ? s[x] : best.point[x];
      best.direction[x] = stronger ? direction : best.direction[x];
    }
  }
}

/// How many groups see each pixel of a row.
class GroupCounter {
 public:
  explicit GroupCounter(int width)
      : any_(static_cast<std::size_t>(width)), count_(static_cast<std::size_t>(width)) {}

  const std::uint8_t* Count(const PhotometricViews& views, int groups, int y) {
    const int count = static_cast<int>(views.valid.size());
    std::fill(count_.begin(), count_.end(), std::uint8_t{0});
    for (int group = 0; group < groups; ++group) {
      std::fill(any_.begin(), any_.end(), std::uint8_t{0});
      for (int i = GroupBegin(group, groups, count); i < GroupBegin(group + 1, groups, count);
           ++i) {
        Join(views.valid[static_cast<std::size_t>(i)].Row<std::uint8_t>(y));
      }
      AddAny();
    }
    return count_.data();
  }

 private:
  void Join(const std::uint8_t* HWY_RESTRICT valid) {
    std::uint8_t* HWY_RESTRICT any = any_.data();
    for (std::size_t x = 0; x < any_.size(); ++x) any[x] = any[x] | valid[x];
  }
  void AddAny() {
    std::uint8_t* HWY_RESTRICT count = count_.data();
    const std::uint8_t* HWY_RESTRICT any = any_.data();
    for (std::size_t x = 0; x < any_.size(); ++x) {
      count[x] = static_cast<std::uint8_t>(count[x] + (any[x] != 0 ? 1 : 0));
    }
  }

  std::vector<std::uint8_t> any_;
  std::vector<std::uint8_t> count_;
};

/// Writes `size` pixels of a row from its best lines.
inline void WriteEvidence(const BestLine& best, const std::uint8_t* HWY_RESTRICT views,
                          const std::uint8_t* HWY_RESTRICT groups, int min_views, int begin,
                          int size, int y, const LineEvidence& out) {
  auto* HWY_RESTRICT energy = out.energy.Row<std::int32_t>(y) + begin;
  auto* HWY_RESTRICT point = out.point.Row<std::int32_t>(y) + begin;
  auto* HWY_RESTRICT direction = out.direction.Row<std::uint8_t>(y) + begin;
  for (int x = 0; x < size; ++x) {
    const bool enough = views[begin + x] >= min_views;
    const int count = std::max<int>(groups[begin + x], 1);
    energy[x] = enough ? RootMeanSquare(best.energy[x], count) : 0;
    point[x] = enough ? RootMeanSquare(best.point[x], count) : 0;
    direction[x] = static_cast<std::uint8_t>(best.direction[x]);
  }
}

inline void FindLines(const PhotometricViews& views, std::span<const PaddedGroup> groups,
                      std::span<const LineTaps> taps, const Plane& counts, int min_views, Rows rows,
                      const LineEvidence& out) {
  const int width = counts.width();
  GroupCounter counter(width);
  LineTile tile;
  BestLine best;
  for (int y = rows.begin; y < rows.end; ++y) {
    const std::uint8_t* seen_groups = counter.Count(views, static_cast<int>(groups.size()), y);
    for (int begin = 0; begin < width; begin += kLineTile) {
      tile = {};
      for (const PaddedGroup& group : groups) {
        const std::int16_t* middle = group.Row(y) + begin;
        for (int direction = 0; direction < kDirections; ++direction) {
          AddResponses(middle, taps[static_cast<std::size_t>(direction)], tile.long_sums[direction],
                       tile.short_sums[direction]);
        }
      }
      ChooseDirections(tile, best);
      WriteEvidence(best, counts.Row<std::uint8_t>(y), seen_groups, min_views, begin,
                    std::min(kLineTile, width - begin), y, out);
    }
  }
}

}  // namespace glint::photometric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
