// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/scene/light.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/for_rows.h"
#include "base/median.h"
#include "glint/photometric_stages.h"

namespace glint::photometric {
namespace {

/// Brightness per cell, negative where the view does not show the whole cell.
using Cells = std::vector<double>;

Cells CellsOf(const Plane& grey, const Plane& valid, int side) {
  const int columns = grey.width() / side, rows = grey.height() / side;
  Cells cells;
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
      cells.push_back(seen == side * side && sum > 0 ? static_cast<double>(sum) : -1);
    }
  }
  return cells;
}

/// The mean of each cell over the views that show it; negative where too few do.
Cells MeanOf(const std::vector<Cells>& views, double min_shown_share) {
  Cells means;
  for (std::size_t cell = 0; cell < views[0].size(); ++cell) {
    double sum = 0;
    int shown = 0;
    for (const Cells& view : views) {
      if (view[cell] < 0) continue;
      sum += view[cell];
      ++shown;
    }
    const bool enough = shown >= 2 && shown >= min_shown_share * static_cast<double>(views.size());
    means.push_back(enough ? sum / shown : -1);
  }
  return means;
}

/// Divides a view by the mean, and by how bright all that it shows is against that.
void DivideBy(const Cells& mean, Cells& view) {
  double sum = 0, usual = 0;
  for (std::size_t cell = 0; cell < view.size(); ++cell) {
    if (view[cell] < 0 || mean[cell] < 0) continue;
    sum += view[cell];
    usual += mean[cell];
  }
  for (std::size_t cell = 0; cell < view.size(); ++cell) {
    if (view[cell] >= 0 && mean[cell] >= 0) view[cell] *= usual / (sum * mean[cell]);
  }
}

/// The deviation of a cell over the views that show it, as a share of its mean.
double ChangeOf(const std::vector<Cells>& views, std::size_t cell) {
  double sum = 0, squares = 0, shown = 0;
  for (const Cells& view : views) {
    if (view[cell] < 0) continue;
    sum += view[cell];
    squares += view[cell] * view[cell];
    ++shown;
  }
  const double mean = sum / shown;
  return std::sqrt(std::max(squares / shown - mean * mean, 0.0)) / mean;
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

std::optional<double> LightChange(std::span<const Plane> greys, std::span<const Plane> valid,
                                  const ExposureParams& params, ThreadPool& pool) {
  const int side = params.light_cell_px;
  if (greys.size() < 2) return std::nullopt;
  std::vector<Cells> views(greys.size());
  pool.ParallelFor(std::ssize(views), [&](std::int64_t i) {
    const auto view = static_cast<std::size_t>(i);
    views[view] = CellsOf(greys[view], valid[view], side);
  });
  const Cells mean = MeanOf(views, params.min_light_views_share);
  for (Cells& view : views) DivideBy(mean, view);
  std::vector<double> changes;
  for (std::size_t cell = 0; cell < mean.size(); ++cell) {
    if (mean[cell] >= 0) changes.push_back(ChangeOf(views, cell));
  }
  if (changes.empty()) return std::nullopt;
  return UpperMedian(changes);
}

}  // namespace glint::photometric
