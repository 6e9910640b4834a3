// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/contour_shift.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "base/mat.h"
#include "base/stored_rows.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// What of one line lies in one square, and the albedo's gradient there.
struct Cell {
  struct Pixel {
    int x, y;
    std::int64_t across, down;  // 1/(2 kGrey) grey per px
  };

  std::size_t path = 0;
  std::vector<Pixel> pixels;
};

/// The squared residuals of one square, in kGrey^-2, over all views.
struct Explained {
  double by_shifts = 0;
  double all = 0;
};

/// The pixels around the lines, each the line's that comes first in reading order.
cv::Mat Around(const cv::Mat& ids, int band) {
  cv::Mat around(ids.size(), CV_32S, cv::Scalar(0));
  const cv::Rect whole({0, 0}, ids.size());
  for (int y = 0; y < ids.rows; ++y) {
    for (int x = 0; x < ids.cols; ++x) {
      const int id = ids.at<std::int32_t>(y, x);
      if (id == 0) continue;
      cv::Mat box = around(cv::Rect(x - band, y - band, 2 * band + 1, 2 * band + 1) & whole);
      box.setTo(id, box == 0);
    }
  }
  return around;
}

std::vector<Cell> CellsOf(const Lines& lines, const Plane& albedo,
                          const ContourShiftParams& params) {
  const cv::Mat around = Around(AsMat(lines.ids), params.band_px);
  std::map<std::array<int, 3>, Cell> cells;  // by line, row and column
  for (int y = 1; y + 1 < around.rows; ++y) {
    const auto* above = albedo.Row<std::int16_t>(y - 1);
    const auto* here = albedo.Row<std::int16_t>(y);
    const auto* below = albedo.Row<std::int16_t>(y + 1);
    for (int x = 1; x + 1 < around.cols; ++x) {
      const int id = around.at<std::int32_t>(y, x);
      if (id == 0) continue;
      Cell& cell = cells[{id, y / params.cell_px, x / params.cell_px}];
      cell.path = static_cast<std::size_t>(id) - 1;
      cell.pixels.push_back({x, y, here[x + 1] - here[x - 1], below[x] - above[x]});
    }
  }
  std::vector<Cell> enough;
  for (auto& [place, cell] : cells) {
    if (std::ssize(cell.pixels) >= params.min_pixels) enough.push_back(std::move(cell));
  }
  return enough;
}

/// Adds what some views show in a cell.
void Explain(const Cell& cell, std::span<const Plane> residuals, std::span<const Plane> valid,
             const ContourShiftParams& params, Explained& explained) {
  constexpr double kGradientUnits = 4.0 * kGrey * kGrey;  // (2 kGrey)^2
  for (std::size_t view = 0; view < residuals.size(); ++view) {
    // Integers below 2^53: exact.
    std::int64_t xx = 0, xy = 0, yy = 0, rx = 0, ry = 0, rr = 0, count = 0;
    for (const Cell::Pixel& at : cell.pixels) {
      if (valid[view].Row<std::uint8_t>(at.y)[at.x] == 0) continue;
      const std::int64_t rest = residuals[view].Row<std::int16_t>(at.y)[at.x];
      xx += at.across * at.across;
      xy += at.across * at.down;
      yy += at.down * at.down;
      rx += rest * at.across;
      ry += rest * at.down;
      rr += rest * rest;
      ++count;
    }
    if (count < params.min_pixels) continue;
    const double noise = params.gradient_noise_grey2 * kGradientUnits * static_cast<double>(count);
    const double a = static_cast<double>(xx) + noise;
    const double b = static_cast<double>(xy);
    const double c = static_cast<double>(yy) + noise;
    const double p = static_cast<double>(rx), q = static_cast<double>(ry);
    const double determinant = a * c - b * b;
    const double x = (c * p - b * q) / determinant;
    const double y = (a * q - b * p) / determinant;
    // What is left is r^2 - 2 s.p + s'Gs, with the gradients alone and not the noise.
    const double gained = 2 * (x * p + y * q) - (static_cast<double>(xx) * x * x + 2 * b * x * y +
                                                 static_cast<double>(yy) * y * y);
    explained.by_shifts += gained;
    explained.all += static_cast<double>(rr);
  }
}

/// Of each cell: some views at a time, in their order.
std::vector<Explained> ExplainAll(const std::vector<Cell>& cells,
                                  std::span<const StoredPlane> residuals,
                                  std::span<const Plane> valid, const ContourShiftParams& params,
                                  ThreadPool& pool) {
  std::vector<Explained> each(cells.size());
  const auto at_once = 2 * static_cast<std::size_t>(pool.threads());
  for (std::size_t first = 0; !cells.empty() && first < residuals.size(); first += at_once) {
    const auto some = residuals.subspan(first, std::min(at_once, residuals.size() - first));
    const std::vector<Plane> shown = RowsOf(some, {0, some[0].size().height}, pool);
    pool.ParallelFor(std::ssize(cells), [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      Explain(cells[at], shown, valid.subspan(first, some.size()), params, each[at]);
    });
  }
  return each;
}

}  // namespace

std::vector<double> ExplainedByShifts(const Lines& lines, std::span<const StoredPlane> residuals,
                                      std::span<const Plane> valid, const Plane& albedo,
                                      const ContourShiftParams& params, ThreadPool& pool) {
  const std::vector<Cell> cells = CellsOf(lines, albedo, params);
  const std::vector<Explained> each = ExplainAll(cells, residuals, valid, params, pool);
  std::vector<double> explained(lines.paths.size()), pixels(lines.paths.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto count = static_cast<double>(cells[i].pixels.size());
    pixels[cells[i].path] += count;
    const bool is_long = lines.paths[cells[i].path].length >= params.min_long_px;
    const double most = is_long ? params.max_long_explained_share : params.max_explained_share;
    if (each[i].by_shifts > most * each[i].all) {
      explained[cells[i].path] += count;
    }
  }
  for (std::size_t i = 0; i < explained.size(); ++i) {
    if (pixels[i] > 0) explained[i] /= pixels[i];
  }
  return explained;
}

Lines DropShiftedContours(Lines lines, std::span<const StoredPlane> residuals,
                          std::span<const Plane> valid, const Plane& albedo,
                          const ContourShiftParams& params, ThreadPool& pool) {
  const std::vector<double> shares =
      ExplainedByShifts(lines, residuals, valid, albedo, params, pool);
  std::vector<bool> kept;
  kept.reserve(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    kept.push_back(lines.paths[i].bare || shares[i] <= params.max_pixels_share);
  }
  return DropLines(std::move(lines), kept, params.band_px);
}

}  // namespace glint::photometric
