// SPDX-License-Identifier: Apache-2.0
// Smoothed views, and medians over the views of each pixel.
//
// Plain loops; included once per instruction set, for which the compiler turns them into vectors.
#if defined(GLINT_PHOTOMETRIC_MEDIAN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GLINT_PHOTOMETRIC_MEDIAN_INL_H
#undef GLINT_PHOTOMETRIC_MEDIAN_INL_H
#else
#define GLINT_PHOTOMETRIC_MEDIAN_INL_H
#endif

#include <algorithm>
#include <limits>
#include <vector>

#include "stages/cpu/photometric/targets.h"
#include "stages/shared/photometric_arithmetic.h"

HWY_BEFORE_NAMESPACE();
namespace glint::photometric::HWY_NAMESPACE {

/// Smooths single rows of a picture.
class RowSmoother {
 public:
  explicit RowSmoother(int width)
      : width_(width), columns_(static_cast<std::size_t>(width + 2 * kSmoothReach)) {}

  void Smooth(const Plane& grey, int y, std::int16_t* HWY_RESTRICT out) {
    const int last = grey.height() - 1;
    const auto row = [&](int i) { return grey.Row<std::uint8_t>(Reflect101(i, last + 1)); };
    const std::uint8_t* a = row(y - 2);
    const std::uint8_t* b = row(y - 1);
    const std::uint8_t* c = row(y);
    const std::uint8_t* d = row(y + 1);
    const std::uint8_t* e = row(y + 2);
    const int width = width_;
    std::uint16_t* HWY_RESTRICT columns = columns_.data() + kSmoothReach;
    for (int x = 0; x < width; ++x) columns[x] = SmoothColumn(a[x], b[x], c[x], d[x], e[x]);
    for (int i = 1; i <= kSmoothReach; ++i) {
      columns[-i] = columns[Reflect101(-i, width)];
      columns[width - 1 + i] = columns[Reflect101(width - 1 + i, width)];
    }
    for (int x = 0; x < width; ++x) out[x] = SmoothRow(columns + x);
  }

 private:
  int width_;
  std::vector<std::uint16_t> columns_;
};

inline constexpr int kMedianTile = 64;  ///< columns that are sorted together: stay in cache

/// The values of one row in all views, sorted per column.
class ColumnStack {
 public:
  ColumnStack(int width, std::span<const Exchange> network, int views)
      : network_(network),
        views_(views),
        tiles_((width + kMedianTile - 1) / kMedianTile),
        values_(static_cast<std::size_t>(tiles_ * kMedianTile) * static_cast<std::size_t>(views)),
        row_(static_cast<std::size_t>(tiles_ * kMedianTile)),
        count_(row_.size()) {}

  /// Starts a row.
  void Clear() { std::fill(count_.begin(), count_.end(), std::uint8_t{0}); }

  /// Where the values of the next view go.
  std::int16_t* Values() { return row_.data(); }

  /// Takes the values of view `view`, where it and the surface are not 0.
  void Enter(int view, const std::uint8_t* HWY_RESTRICT valid,
             const std::uint8_t* HWY_RESTRICT surface, int width) {
    std::uint8_t* HWY_RESTRICT count = count_.data();
    const std::int16_t* HWY_RESTRICT row = row_.data();
    for (int tile = 0; tile < tiles_; ++tile) {
      const int begin = tile * kMedianTile;
      const int size = std::min(kMedianTile, width - begin);
      std::int16_t* HWY_RESTRICT to = Tile(tile) + std::ptrdiff_t{view} * kMedianTile;
      for (int i = 0; i < size; ++i) {
        const bool seen = valid[begin + i] != 0 && surface[begin + i] != 0;
        to[i] = seen ? row[begin + i] : kNone;
        count[begin + i] = static_cast<std::uint8_t>(count[begin + i] + (seen ? 1 : 0));
      }
    }
  }

  /// The median of each column, `none` where there is no value. Ends the row.
  void Medians(std::int16_t none, int width, std::int16_t* HWY_RESTRICT out) {
    for (int tile = 0; tile < tiles_; ++tile) {
      std::int16_t* values = Tile(tile);
      for (const Exchange& exchange : network_) {
        Sort(values + std::ptrdiff_t{exchange.low} * kMedianTile,
             values + std::ptrdiff_t{exchange.high} * kMedianTile);
      }
      const int begin = tile * kMedianTile;
      for (int i = 0; i < std::min(kMedianTile, width - begin); ++i) {
        const int count = count_[static_cast<std::size_t>(begin) + static_cast<std::size_t>(i)];
        out[begin + i] =
            count == 0 ? none : values[std::ptrdiff_t{MedianRank(count)} * kMedianTile + i];
      }
    }
  }

  const std::uint8_t* Counts() const { return count_.data(); }

 private:
  static constexpr std::int16_t kNone = std::numeric_limits<std::int16_t>::max();  // sorts last

  std::int16_t* Tile(int tile) {
    return values_.data() + std::ptrdiff_t{tile} * views_ * kMedianTile;
  }

  static void Sort(std::int16_t* HWY_RESTRICT low, std::int16_t* HWY_RESTRICT high) {
    for (int i = 0; i < kMedianTile; ++i) {
      const std::int16_t a = low[i], b = high[i];
      low[i] = a < b ? a : b;
      high[i] = a < b ? b : a;
    }
  }

  std::span<const Exchange> network_;
  int views_;
  int tiles_;
  std::vector<std::int16_t> values_;
  std::vector<std::int16_t> row_;
  std::vector<std::uint8_t> count_;
};

inline void MedianOfViews(const PhotometricViews& views, std::span<const Exchange> network,
                          Rows rows, const Plane& grey, const Plane& counts) {
  const int width = grey.width();
  RowSmoother smoother(width);
  ColumnStack stack(width, network, static_cast<int>(views.greys.size()));
  for (int y = rows.begin; y < rows.end; ++y) {
    stack.Clear();
    for (std::size_t i = 0; i < views.greys.size(); ++i) {
      smoother.Smooth(views.greys[i], y, stack.Values());
      stack.Enter(static_cast<int>(i), views.valid[i].Row<std::uint8_t>(y),
                  views.surface.Row<std::uint8_t>(y), width);
    }
    stack.Medians(kUnseenGrey, width, grey.Row<std::int16_t>(y));
    std::copy_n(stack.Counts(), width, counts.Row<std::uint8_t>(y));
  }
}

inline void Magnitudes(const std::int16_t* HWY_RESTRICT values, int width,
                       std::int16_t* HWY_RESTRICT out) {
  for (int x = 0; x < width; ++x) {
    out[x] = static_cast<std::int16_t>(values[x] < 0 ? -values[x] : values[x]);
  }
}

inline void MedianOfMagnitudes(const PhotometricViews& views, std::span<const Plane> residuals,
                               int first_row, std::span<const Exchange> network, Rows rows,
                               const Plane& out) {
  const int width = out.width();
  ColumnStack stack(width, network, static_cast<int>(residuals.size()));
  for (int y = rows.begin; y < rows.end; ++y) {
    stack.Clear();
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      Magnitudes(residuals[i].Row<std::int16_t>(y - first_row), width, stack.Values());
      stack.Enter(static_cast<int>(i), views.valid[i].Row<std::uint8_t>(y),
                  views.surface.Row<std::uint8_t>(y), width);
    }
    stack.Medians(0, width, out.Row<std::int16_t>(y));
  }
}

void SortBytes(std::span<const Exchange> network, std::uint8_t* values) {
  for (const Exchange& exchange : network) {
    std::uint8_t* HWY_RESTRICT low = values + std::ptrdiff_t{exchange.low} * kByteTile;
    std::uint8_t* HWY_RESTRICT high = values + std::ptrdiff_t{exchange.high} * kByteTile;
    for (int i = 0; i < kByteTile; ++i) {
      const std::uint8_t a = low[i], b = high[i];
      low[i] = std::min(a, b);
      high[i] = std::max(a, b);
    }
  }
}

}  // namespace glint::photometric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
