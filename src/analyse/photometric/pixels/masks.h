// SPDX-License-Identifier: Apache-2.0
// Small operations on masks (CV_8U, 0 and 255) that the outline's steps share.
#pragma once

#include <functional>
#include <opencv2/core.hpp>
#include <vector>

namespace glint::photometric {

/// A disc as cv::MORPH_ELLIPSE draws it.
cv::Mat Disc(int radius);
/// A square of 2 * radius + 1.
cv::Mat Square(int radius);

/// Connected components of a mask, numbered from 1.
struct Components {
  cv::Mat labels;  ///< CV_32S
  int count = 0;   ///< with the background

  /// The union of the components that are kept. @param keep  per label; that of 0 is ignored
  cv::Mat Select(const std::vector<bool>& keep) const;

  /// Per label, how many of its pixels `where` marks.
  std::vector<int> CountIn(const cv::Mat& where) const;

  /// Per label, the largest of `values` (CV_32F) on its pixels; 0 for the background.
  std::vector<float> MaxOf(const cv::Mat& values) const;
};
Components FindComponents(const cv::Mat& mask, int connectivity);

/// The components of `mask` that have a pixel in `where`.
cv::Mat ComponentsTouching(const cv::Mat& mask, const cv::Mat& where, int connectivity);

/// Distance of marked pixels to the nearest that is not, CV_32F; the mask goes on beyond the
/// border.
cv::Mat InnerDistance(const cv::Mat& mask);

/// One side of a rectangle, as seen from outside it.
enum class Side { kTop, kRight, kBottom, kLeft };
inline constexpr Side kSides[] = {Side::kTop, Side::kRight, Side::kBottom, Side::kLeft};

/// The pixel `along` a side and `deep` inside it.
cv::Point At(Side side, int along, int deep, cv::Size size);
/// Length of a side, and how deep the picture is behind it.
int LengthOf(Side side, cv::Size size);
int DepthOf(Side side, cv::Size size);

/// Marked pixels in a row from each pixel of a side inwards, at most `limit`.
std::vector<int> RunsFrom(Side side, const cv::Mat& mask, int limit);

}  // namespace glint::photometric
