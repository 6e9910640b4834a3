// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/edge_pixels.h"

#include <opencv2/imgproc.hpp>

namespace glint {
namespace {

/// Of the least threshold. A normal has a length of 1 but for rounding, so what is shorter than
/// this cannot pass for an edge; whether what lies between is kept changes nothing.
constexpr float kKeptShare = 0.999F;

}  // namespace

EdgePixels::EdgePixels(const ColourGradient& gradient, const cv::Mat& threshold, float least)
    : size_{threshold.cols, threshold.rows},
      across_(static_cast<std::size_t>((size_.width + kCell - 1) / kCell)),
      cells_(across_ * static_cast<std::size_t>(size_.height)) {
  const cv::Mat kept = gradient.length > kKeptShare * least;
  cv::Mat near;
  cv::dilate(gradient.length > threshold, near, cv::Mat::ones(3, 3, CV_8U));
  pixels_.reserve(static_cast<std::size_t>(cv::countNonZero(kept)));
  for (int y = 0; y < size_.height; ++y) {
    for (int x = 0; x < size_.width; ++x) {
      Cell& cell =
          cells_[static_cast<std::size_t>(y) * across_ + static_cast<std::size_t>(x / kCell)];
      const unsigned bit = 1U << (x % kCell);
      if (x % kCell == 0) cell.first = static_cast<std::uint32_t>(pixels_.size());
      if (near.at<std::uint8_t>(y, x) != 0) cell.near = static_cast<std::uint16_t>(cell.near | bit);
      if (kept.at<std::uint8_t>(y, x) == 0) continue;
      cell.kept = static_cast<std::uint16_t>(cell.kept | bit);
      pixels_.push_back({gradient.length.at<float>(y, x), gradient.normal.at<cv::Vec2f>(y, x),
                         threshold.at<float>(y, x)});
    }
  }
}

}  // namespace glint
