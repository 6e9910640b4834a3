// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/light.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/for_rows.h"
#include "base/median.h"
#include "glint/photometric_stages.h"

namespace glint::photometric {
namespace {

/// Brightness of the cells of one view; negative where the view does not show the whole cell.
std::vector<double> CellMeans(const Plane& grey, const Plane& valid, int side) {
  const int columns = grey.width() / side, rows = grey.height() / side;
  std::vector<double> means;
  std::int64_t all = 0;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      std::int64_t sum = 0;
      int seen = 0;
      for (int y = row * side; y < (row + 1) * side; ++y) {
        const auto* value = grey.Row<std::uint8_t>(y) + std::ptrdiff_t{column} * side;
        const auto* shown = valid.Row<std::uint8_t>(y) + std::ptrdiff_t{column} * side;
        for (int x = 0; x < side; ++x) {
          sum += value[x];
          seen += shown[x] != 0 ? 1 : 0;
        }
      }
      all += sum;
      means.push_back(seen == side * side ? static_cast<double>(sum) : -1);
    }
  }
  const double mean = static_cast<double>(all) / static_cast<double>(means.size());
  for (double& cell : means) cell = cell < 0 || mean <= 0 ? -1 : cell / mean;
  return means;
}

}  // namespace

Plane WellExposed(std::span<const Plane> greys, std::span<const Plane> valid,
                  const ExposureParams& params, int min_views, ThreadPool& pool) {
  Plane seen = Plane::Host(greys[0].size(), PixelType::kU8);
  const bool tiny = std::min(seen.width(), seen.height()) < params.min_object_px;
  ForRows(pool, seen.height(), [&](Rows rows) {
    for (int y = rows.begin; y < rows.end; ++y) {
      auto* out = seen.Row<std::uint8_t>(y);
      std::fill_n(out, seen.width(), std::uint8_t{0});
      for (std::size_t i = 0; i < greys.size() && !tiny; ++i) {
        const auto* value = greys[i].Row<std::uint8_t>(y);
        const auto* shown = valid[i].Row<std::uint8_t>(y);
        for (int x = 0; x < seen.width(); ++x) {  // at most kMaxPhotometricViews: fits
          const bool good =
              shown[x] != 0 && value[x] > params.black_grey && value[x] < params.white_grey;
          out[x] = static_cast<std::uint8_t>(out[x] + (good ? 1 : 0));
        }
      }
      for (int x = 0; x < seen.width(); ++x) {
        out[x] = out[x] >= min_views ? 255 : 0;
      }
    }
  });
  return seen;
}

double LightChange(std::span<const Plane> greys, std::span<const Plane> valid,
                   const ExposureParams& params, ThreadPool& pool) {
  const int side = params.light_cell_px;
  if (greys.size() < 2 || greys[0].width() < side || greys[0].height() < side) return 0;
  std::vector<std::vector<double>> views(greys.size());
  pool.ParallelFor(std::ssize(views), [&](std::int64_t i) {
    const auto view = static_cast<std::size_t>(i);
    views[view] = CellMeans(greys[view], valid[view], side);
  });
  std::vector<double> changes;
  const auto count = static_cast<double>(views.size());
  for (std::size_t cell = 0; cell < views[0].size(); ++cell) {
    double sum = 0, squares = 0;
    bool shown = true;
    for (const auto& view : views) {
      shown = shown && view[cell] > 0;
      sum += view[cell];
      squares += view[cell] * view[cell];
    }
    if (!shown) continue;
    const double mean = sum / count;
    changes.push_back(std::sqrt(std::max(squares / count - mean * mean, 0.0)) / mean);
  }
  return changes.empty() ? 0 : UpperMedian(changes);
}

}  // namespace glint::photometric
