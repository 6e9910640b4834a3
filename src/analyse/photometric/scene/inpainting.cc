// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/scene/inpainting.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/imgproc.hpp>

#include "base/for_rows.h"
#include "base/mat.h"
#include "base/median.h"

namespace glint::photometric {
namespace {

constexpr int kCell = kOccluderCell;
constexpr double kUnit = 16;  // of the print between views, per grey

/// Means of a view's cells, grey; below 0 where it does not show the whole cell.
/// @param asked  CV_8U, not 0: the cells that are looked at
cv::Mat CellMeans(const Plane& grey, const Plane& valid, const cv::Mat& asked) {
  cv::Mat means(asked.size(), CV_64F, cv::Scalar(-1));
  for (int y = 0; y < asked.rows; ++y) {
    for (int x = 0; x < asked.cols; ++x) {
      if (asked.at<std::uint8_t>(y, x) == 0) continue;
      int sum = 0;
      bool seen = true;
      for (int row = y * kCell; row < (y + 1) * kCell; ++row) {
        const auto* value = grey.Row<std::uint8_t>(row) + std::ptrdiff_t{x} * kCell;
        const auto* shown = valid.Row<std::uint8_t>(row) + std::ptrdiff_t{x} * kCell;
        for (int i = 0; i < kCell; ++i) {
          sum += value[i];
          seen = seen && shown[i] != 0;
        }
      }
      if (seen) means.at<double>(y, x) = sum / static_cast<double>(kCell * kCell);
    }
  }
  return means;
}

/// Median over the views that show a cell, below 0 where none does.
cv::Mat MedianOf(const std::vector<cv::Mat>& views, ThreadPool& pool) {
  cv::Mat median(views[0].size(), CV_64F, cv::Scalar(-1));
  pool.ParallelFor(median.rows, [&](std::int64_t row) {
    const int y = static_cast<int>(row);
    std::vector<double> values;
    for (int x = 0; x < median.cols; ++x) {
      values.clear();
      for (const cv::Mat& view : views) {
        if (view.at<double>(y, x) >= 0) values.push_back(view.at<double>(y, x));
      }
      if (!values.empty()) median.at<double>(y, x) = UpperMedian(values);
    }
  });
  return median;
}

/// Gain of a view around (y, x), of cells that are never occluded; 0 where there is none.
double GainAround(const cv::Mat& view, const cv::Mat& median, const cv::Mat& any, int y, int x,
                  int radius) {
  double now = 0, then = 0;
  for (int v = std::max(y - radius, 0); v <= std::min(y + radius, view.rows - 1); ++v) {
    for (int u = std::max(x - radius, 0); u <= std::min(x + radius, view.cols - 1); ++u) {
      if (any.at<std::uint8_t>(v, u) != 0 || view.at<double>(v, u) < 0) continue;
      now += view.at<double>(v, u);
      then += median.at<double>(v, u);
    }
  }
  return then > 0 ? now / then : 0;
}

/// Carries gain into the cells `inside`, which have some already, from those around them: Laplace's
/// equation by successive over-relaxation.
void RelaxLaplace(cv::Mat& gain, const std::vector<cv::Point>& inside,
                  const InpaintingParams& params) {
  struct Cell {
    double* value = nullptr;
    std::array<const double*, 4> around{};  // those with gain
    std::size_t count = 0;
  };
  std::vector<Cell> cells;
  cells.reserve(inside.size());
  for (const cv::Point& place : inside) {
    Cell cell{.value = &gain.at<double>(place)};
    for (const cv::Point& way : {cv::Point(0, -1), {-1, 0}, {1, 0}, {0, 1}}) {
      const cv::Point at = place + way;
      if (at.x < 0 || at.y < 0 || at.x >= gain.cols || at.y >= gain.rows) continue;
      if (gain.at<double>(at) > 0) cell.around[cell.count++] = &gain.at<double>(at);
    }
    if (cell.count > 0) cells.push_back(cell);
  }
  double moved = 1;
  for (int step = 0; step < params.max_iterations && moved > params.tolerance; ++step) {
    moved = 0;
    for (const Cell& cell : cells) {
      double sum = 0;
      for (std::size_t i = 0; i < cell.count; ++i) sum += *cell.around[i];
      const double mean = sum / static_cast<double>(cell.count);
      const double value = std::max(*cell.value + params.relaxation * (mean - *cell.value), 1e-3);
      moved = std::max(moved, std::abs(value - *cell.value));
      *cell.value = value;
    }
  }
}

/// A view's gain over the median of all views: 0 where it is not known and not asked for.
/// @param any  cells that are occluded in any view; @param border  those beside them
cv::Mat GainField(const cv::Mat& view, const cv::Mat& median, const cv::Mat& any,
                  const cv::Mat& border, const InpaintingParams& params) {
  cv::Mat gain(view.size(), CV_64F, cv::Scalar(0));
  std::vector<cv::Point> inside;
  double sum = 0;
  int known = 0;
  for (int y = 0; y < view.rows; ++y) {
    for (int x = 0; x < view.cols; ++x) {
      if (any.at<std::uint8_t>(y, x) != 0) inside.emplace_back(x, y);
      if (border.at<std::uint8_t>(y, x) == 0) continue;
      const double value = GainAround(view, median, any, y, x, params.gain_radius_cells);
      gain.at<double>(y, x) = value;
      sum += value;
      known += value > 0 ? 1 : 0;
    }
  }
  for (const cv::Point& cell : inside) gain.at<double>(cell) = known > 0 ? sum / known : 1;
  RelaxLaplace(gain, inside, params);
  return gain;
}

/// Bilinear interpolation between the middles of cells: those around a pixel and their weights.
struct BilinearWeights {
  std::array<std::ptrdiff_t, 4> cells{};
  std::array<double, 4> shares{};

  BilinearWeights(cv::Size size, int y, int x) {
    const double row = std::clamp((y + 0.5) / kCell - 0.5, 0.0, size.height - 1.0);
    const double column = std::clamp((x + 0.5) / kCell - 0.5, 0.0, size.width - 1.0);
    const int top = static_cast<int>(row), left = static_cast<int>(column);
    std::size_t i = 0;
    for (const int v : {top, std::min(top + 1, size.height - 1)}) {
      for (const int u : {left, std::min(left + 1, size.width - 1)}) {
        cells[i] = std::ptrdiff_t{v} * size.width + u;
        shares[i++] = (1 - std::abs(row - v)) * (1 - std::abs(column - u));
      }
    }
  }

  /// The gain there; cells without one do not count.
  double Interpolate(const cv::Mat& gain) const {
    const auto* values = gain.ptr<double>();
    double sum = 0, weights = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double value = values[cells[i]];
      if (value <= 0 || shares[i] <= 0) continue;
      sum += shares[i] * value;
      weights += shares[i];
    }
    return weights > 0 ? sum / weights : 1;
  }
};

/// Fills what is occluded in rows of the views: with the median of what the others print there, in
/// the view's own light.
/// @param any    occluded in any view
/// @param gains  of the views over their median, by cell
/// @param out    the views' pixels; those without any occluded may be empty
void InpaintRows(Rows rows, std::span<const Plane> greys, std::span<const Plane> valid,
                 const OcclusionMasks& occluded, const cv::Mat& any,
                 const std::vector<cv::Mat>& gains, std::vector<cv::Mat>& out) {
  std::vector<double> gain(greys.size());
  std::vector<std::int32_t> prints;
  for (int y = rows.begin; y < rows.end; ++y) {
    for (int x = 0; x < greys[0].width(); ++x) {
      if (!IsOccluded(any, y, x)) continue;
      const BilinearWeights weights(any.size(), y, x);
      prints.clear();
      for (std::size_t i = 0; i < greys.size(); ++i) {
        gain[i] = weights.Interpolate(gains[i]);
        if (valid[i].Row<std::uint8_t>(y)[x] == 0 || IsOccluded(occluded.views[i], y, x)) continue;
        const double print = greys[i].Row<std::uint8_t>(y)[x] / gain[i];
        prints.push_back(static_cast<std::int32_t>(std::lround(kUnit * print)));
      }
      if (prints.empty()) continue;
      const std::int32_t median_print = UpperMedian(prints);
      for (std::size_t i = 0; i < greys.size(); ++i) {
        if (!IsOccluded(occluded.views[i], y, x)) continue;
        const double grey = std::clamp(median_print * gain[i] / kUnit, 0.0, 255.0);
        out[i].at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(std::lround(grey));
      }
    }
  }
}

}  // namespace

std::vector<Plane> InpaintOccluded(std::span<const Plane> greys, std::span<const Plane> valid,
                                   const OcclusionMasks& occluded, const InpaintingParams& params,
                                   ThreadPool& pool) {
  std::vector<Plane> filled(greys.begin(), greys.end());
  const cv::Mat any = occluded.Any();
  if (any.empty()) return filled;
  const int radius = params.gain_radius_cells;
  cv::Mat border, asked;
  cv::dilate(any, border, cv::Mat::ones(3, 3, CV_8U));
  cv::dilate(border, asked, cv::Mat::ones(2 * radius + 1, 2 * radius + 1, CV_8U));
  border &= ~any;

  const auto for_views = [&](const auto& call) {
    pool.ParallelFor(std::ssize(filled),
                     [&](std::int64_t view) { call(static_cast<std::size_t>(view)); });
  };
  std::vector<cv::Mat> gains(filled.size());
  for_views([&](std::size_t i) { gains[i] = CellMeans(greys[i], valid[i], asked); });
  const cv::Mat median = MedianOf(gains, pool);
  for_views([&](std::size_t i) { gains[i] = GainField(gains[i], median, any, border, params); });

  std::vector<cv::Mat> out(filled.size());
  for_views([&](std::size_t i) {
    if (occluded.views[i].empty()) return;
    out[i] = AsMat(greys[i]).clone();
    filled[i] = AsPlane(out[i]);
  });
  ForRows(pool, greys[0].height(),
          [&](Rows rows) { InpaintRows(rows, greys, valid, occluded, any, gains, out); });
  return filled;
}

}  // namespace glint::photometric
