// SPDX-License-Identifier: Apache-2.0
// The edges of one small picture in little memory.
#pragma once

#include <bit>
#include <cstdint>
#include <opencv2/core/mat.hpp>
#include <vector>

#include "analyse/outline_lines.h"
#include "glint/plane.h"

namespace glint {

/// What a small picture's pixels say of edges, of those alone that can be one: a search keeps it of
/// many frames, and reads it all over the picture.
class EdgePixels {
 public:
  struct Pixel {
    float length;      ///< ColourGradient::length
    cv::Vec2f normal;  ///< ColourGradient::normal
    float threshold;   ///< over which the gradient is an edge here
  };

  /// @param threshold  CV_32F: Pixel::threshold of every pixel
  /// @param least      of all thresholds; shorter gradients are not kept
  EdgePixels(const ColourGradient& gradient, const cv::Mat& threshold, float least);

  Size size() const { return size_; }

  /// Null where the gradient is too short for an edge. @param x,y  within the picture
  const Pixel* At(int x, int y) const {
    const Cell& cell = CellAt(x, y);
    const unsigned bit = 1U << (x % kCell);
    if ((cell.kept & bit) == 0) return nullptr;
    return &pixels_[cell.first + static_cast<unsigned>(std::popcount(cell.kept & (bit - 1)))];
  }

  /// Whether an edge lies here or right beside. @param x,y  within the picture
  bool IsNear(int x, int y) const { return (CellAt(x, y).near >> (x % kCell) & 1U) != 0; }

 private:
  static constexpr int kCell = 16;  // pixels in a row

  struct Cell {
    std::uint32_t first = 0;  // of pixels_
    std::uint16_t kept = 0;   // a bit for each pixel of the cell
    std::uint16_t near = 0;   // likewise
  };

  const Cell& CellAt(int x, int y) const {
    return cells_[static_cast<std::size_t>(y) * across_ + static_cast<std::size_t>(x / kCell)];
  }

  Size size_;
  std::size_t across_;  // cells in a row of pixels
  std::vector<Cell> cells_;
  std::vector<Pixel> pixels_;
};

}  // namespace glint
