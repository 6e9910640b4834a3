// SPDX-License-Identifier: Apache-2.0
// What lies in front of the object in some views: a finger, a hand. Its edge moves and is no ink,
// so a view must not be believed where it shows one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <opencv2/core.hpp>
#include <span>
#include <vector>

#include "analyse/photometric/scene/occluder_params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Object pixels, along each side, that one pixel of a thumbnail stands for.
inline constexpr int kThumbnailStep = 4;

/// Object pixels along each side of a cell.
inline constexpr int kOccluderCell = 8;

/// What is occluded, in cells from the top left one on; what is left of a row or column of pixels
/// belongs to the last one.
struct OcclusionMasks {
  std::vector<cv::Mat> views;  ///< CV_8U per view, 255 where occluded; empty: nothing is
  cv::Mat persistent;          ///< CV_8U, 255 where too many views are occluded to know the artwork
                               ///< behind; empty: nowhere

  /// Where anything is occluded in any view, CV_8U; empty when nothing is.
  cv::Mat Any() const;
};

/// Finds connected areas that reach in from beside the object and have a colour that no light gives
/// its print. Light scales a colour and gloss adds white to it; in linear light both leave the
/// direction of R - G and (R + G)/2 - B as it is. Something in front that is as coloured as the
/// print, or grey, is not found.
/// @param thumbnails  kU8x3 on the host, one per view, a kThumbnailStep-th of the object's size;
///                    none: nothing is found
/// @param valid       kU8 on the host, one per view: not 0 where it shows the object
OcclusionMasks FindOccluders(std::span<const Plane> thumbnails, std::span<const Plane> valid,
                             const OccluderParams& params, ThreadPool& pool);

/// Whether a pixel is occluded. @param cells  of OcclusionMasks; nothing is in empty ones
inline bool IsOccluded(const cv::Mat& cells, int y, int x) {
  return !cells.empty() && cells.at<std::uint8_t>(std::min(y / kOccluderCell, cells.rows - 1),
                                                  std::min(x / kOccluderCell, cells.cols - 1)) != 0;
}

/// The mask (kU8 on the host) without what is occluded, and without `margin_cells` around that.
Plane ClearAroundOccluded(const Plane& mask, const cv::Mat& occluded, int margin_cells);

/// The cells that a mask of pixels (CV_8U, not 0 where set) touches, CV_8U, 255.
cv::Mat CellsTouchedBy(const cv::Mat& mask);

/// The mask (kU8 on the host) without what is occluded; the mask itself when `occluded` is empty.
Plane ClearOccluded(const Plane& mask, const cv::Mat& occluded);

}  // namespace glint::photometric
