// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/scene/print_detail.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "base/mat.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

cv::Mat Widened(const cv::Mat& marked, int reach) {
  cv::Mat widened;
  cv::dilate(marked, widened, cv::Mat::ones(2 * reach + 1, 2 * reach + 1, CV_8U));
  return widened;
}

/// Cells near which there is a line: CV_8U, 255.
cv::Mat CellsNear(const cv::Mat& lines, cv::Size cells, const PrintDetailParams& params) {
  cv::Mat with_lines(cells, CV_8U, cv::Scalar(0));
  for (int y = 0; y < lines.rows; ++y) {
    const auto* row = lines.ptr<std::uint8_t>(y);
    for (int x = 0; x < lines.cols; ++x) {
      if (row[x] != 0) with_lines.at<std::uint8_t>(y / params.cell_px, x / params.cell_px) = 255;
    }
  }
  return Widened(with_lines, params.reach_cells);
}

template <class Value>
std::int64_t Across(const Plane& plane, int x, int y) {
  const auto* row = plane.Row<Value>(y);
  return std::int64_t{row[x + 1]} - row[x - 1];
}

template <class Value>
std::int64_t Down(const Plane& plane, int x, int y) {
  return std::int64_t{plane.Row<Value>(y + 1)[x]} - plane.Row<Value>(y - 1)[x];
}

}  // namespace

PrintDetail::PrintDetail(std::span<const Plane> greys, std::span<const Plane> valid,
                         const Plane& albedo, const Plane& ids, const PrintDetailParams& params,
                         ThreadPool& pool)
    : params_(params),
      cells_((ids.width() + params.cell_px - 1) / params.cell_px,
             (ids.height() + params.cell_px - 1) / params.cell_px),
      views_(greys.size(), std::vector<Sums>(static_cast<std::size_t>(cells_.area()))) {
  const cv::Mat lines = AsMat(ids) != 0;
  const cv::Mat needed = CellsNear(lines, cells_, params);
  cv::Mat counted = Widened(lines, params.beside_line_px) == 0;
  cv::rectangle(counted, cv::Rect({0, 0}, counted.size()), cv::Scalar(0));  // without neighbours
  pool.ParallelFor(std::ssize(greys), [&](std::int64_t i) {
    const auto view = static_cast<std::size_t>(i);
    for (int cell = 0; cell < cells_.area(); ++cell) {
      const cv::Point at(cell % cells_.width, cell / cells_.width);
      if (needed.at<std::uint8_t>(at) == 0) continue;
      views_[view][static_cast<std::size_t>(cell)] =
          SumOfCell(greys[view], valid[view], albedo, counted, at);
    }
  });
}

PrintDetail::Sums PrintDetail::SumOfCell(const Plane& grey, const Plane& valid, const Plane& albedo,
                                         const cv::Mat& counted, cv::Point cell) const {
  const int size = params_.cell_px, step = params_.step_px;
  const int left = cell.x * size, right = std::min(left + size, counted.cols);
  Sums sums;
  for (int y = cell.y * size; y < std::min((cell.y + 1) * size, counted.rows); ++y) {
    const auto* counts = counted.ptr<std::uint8_t>(y);
    const auto* shown = valid.Row<std::uint8_t>(y);
    for (int x = left + y % step; x < right; x += step) {
      if (counts[x] == 0 || shown[x] == 0) continue;
      const std::int64_t across = Across<std::int16_t>(albedo, x, y);
      const std::int64_t down = Down<std::int16_t>(albedo, x, y);
      ++sums.pixels;
      sums.along +=
          across * Across<std::uint8_t>(grey, x, y) + down * Down<std::uint8_t>(grey, x, y);
      sums.squared += across * across + down * down;
    }
  }
  return sums;
}

std::optional<double> PrintDetail::In(std::size_t view, cv::Point pixel) const {
  const int reach = params_.reach_cells;
  const cv::Point cell = pixel / params_.cell_px;
  Sums all;
  for (int y = std::max(cell.y - reach, 0); y <= std::min(cell.y + reach, cells_.height - 1); ++y) {
    for (int x = std::max(cell.x - reach, 0); x <= std::min(cell.x + reach, cells_.width - 1);
         ++x) {
      const Sums& one = views_[view][static_cast<std::size_t>(y) * cells_.width + x];
      all.pixels += one.pixels;
      all.along += one.along;
      all.squared += one.squared;
    }
  }
  constexpr double kUnit = 2.0 * kGrey;  // of a difference over two pixels
  const auto squared = static_cast<double>(all.squared);
  const double least = params_.min_gradient_grey2 * kUnit * kUnit;
  if (all.pixels == 0 || squared < least * static_cast<double>(all.pixels)) return std::nullopt;
  return static_cast<double>(all.along) * kGrey / squared;
}

}  // namespace glint::photometric
