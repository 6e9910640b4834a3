// SPDX-License-Identifier: Apache-2.0
// How much of the print's detail each view shows, place by place.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <span>
#include <vector>

#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Where the detail of the print is measured. Object pixels.
struct PrintDetailParams {
  /// of the cells that the object is cut into
  GLINT_PARAM(int, cell_px, 4, 200) = 24;
  /// to either side of a cell, that are looked at with it
  GLINT_PARAM(int, reach_cells, 0, 10) = 2;
  /// along a row, from one pixel that is looked at to the next; each row begins one pixel further
  /// on, so that no stroke lies between them all
  GLINT_PARAM(int, step_px, 1, 20) = 2;
  /// around a line, where nothing is: it may be damage
  GLINT_PARAM(int, beside_line_px, 0, 50) = 8;
  /// squared gradient of the albedo there, its mean over all cells: with less there is no print
  GLINT_PARAM(double, min_gradient_grey2, 0.001, 1000) = 0.25;
};

/// How much of the print's detail each view shows around some places, beside what the light makes
/// of it: the slope of the view's gradient over the albedo's. Compression takes detail away behind
/// every key frame and where much moves, and smear does where the camera moves: all strokes of the
/// print fade there together, and none of them answers to any light.
class PrintDetail {
 public:
  /// Measures around cells in which there are lines.
  /// @param greys   kU8 on the host, one per view
  /// @param valid   kU8, likewise: not 0 where the view shows the object
  /// @param albedo  kS16, 1/64 grey
  /// @param ids     kS32: not 0 on the ridges of lines
  PrintDetail(std::span<const Plane> greys, std::span<const Plane> valid, const Plane& albedo,
              const Plane& ids, const PrintDetailParams& params, ThreadPool& pool);

  /// The slope around a pixel that lies on a line: 0 no detail at all, 1 as much as the median of
  /// the views. Nothing where the view shows no print.
  std::optional<double> In(std::size_t view, cv::Point pixel) const;

 private:
  /// Of a cell: sums over its pixels that a view shows.
  struct Sums {
    std::int64_t pixels = 0;
    std::int64_t along = 0;    // the view's gradient times the albedo's
    std::int64_t squared = 0;  // the albedo's, squared
  };

  Sums SumOfCell(const Plane& grey, const Plane& valid, const Plane& albedo, const cv::Mat& counted,
                 cv::Point cell) const;

  PrintDetailParams params_;
  cv::Size cells_;
  std::vector<std::vector<Sums>> views_;  // of each cell, row by row
};

}  // namespace glint::photometric
