// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/gap_chroma.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/masks.h"

namespace glint::photometric {
namespace {

constexpr double kGreyLab = 128;         // 8-bit a and b of grey
constexpr double kBlackLab = 16 * 2.55;  // what shading scales is 8-bit L and so much more

/// Of the pixels of a mask, 8-bit Lab.
struct Colours {
  cv::Vec3d mean;
  double chroma_spread = 0;  ///< root of the variances of a and b together

  /// Sums of integers: exact.
  static Colours Of(const std::array<cv::Mat, 3>& lab, const cv::Mat& mask) {
    Colours colours;
    const double count = std::max(cv::countNonZero(mask), 1) * static_cast<double>(kColourUnit);
    double variance = 0;
    for (int c = 0; c < 3; ++c) {
      std::int64_t sum = 0, squares = 0;
      const cv::Mat& channel = lab[static_cast<std::size_t>(c)];
      for (int y = 0; y < mask.rows; ++y) {
        for (int x = 0; x < mask.cols; ++x) {
          if (mask.at<std::uint8_t>(y, x) == 0) continue;
          const std::int64_t value = channel.at<std::uint16_t>(y, x);
          sum += value;
          squares += value * value;
        }
      }
      colours.mean[c] = static_cast<double>(sum) / count;
      if (c == 0) continue;
      const double mean_square = static_cast<double>(squares) / (count * kColourUnit);
      variance += std::max(mean_square - colours.mean[c] * colours.mean[c], 0.0);
    }
    colours.chroma_spread = std::sqrt(variance);
    return colours;
  }

  cv::Vec2d Chroma() const { return {mean[1] - kGreyLab, mean[2] - kGreyLab}; }
};

/// How far a gap's a and b are from those of its surroundings in any shade between theirs and one
/// as dark as the gap.
double ChromaDifference(const Colours& gap, const Colours& around) {
  const double darkest = std::min((gap.mean[0] + kBlackLab) / (around.mean[0] + kBlackLab), 1.0);
  const cv::Vec2d own = gap.Chroma(), other = around.Chroma();
  const double square = other.dot(other);
  const double shade = square > 0 ? std::clamp(own.dot(other) / square, darkest, 1.0) : 1.0;
  return cv::norm(own - shade * other);
}

}  // namespace

cv::Mat GapsOfOtherHue(const cv::Mat& gaps, const Background& around, double scale,
                       const GapChromaParams& params) {
  const cv::Rect object = ObjectIn(around.ring.size());
  const cv::Rect picture({0, 0}, around.ring.size());
  const int reach = static_cast<int>(std::lround(params.reach_px * std::max(scale, 1.0)));
  const Components components = FindComponents(gaps, 8);
  std::vector<bool> other(static_cast<std::size_t>(components.count));
  for (int i = 1; i < components.count; ++i) {
    const cv::Mat gap = components.labels == i;
    const cv::Mat middle = InnerDistance(gap) >= params.min_middle_px;
    if (cv::countNonZero(middle) < params.min_middle_pixels) continue;
    const cv::Rect box = cv::boundingRect(gap) + object.tl();
    const cv::Rect near =
        cv::Rect(box.x - reach, box.y - reach, box.width + 2 * reach, box.height + 2 * reach) &
        picture;
    const auto in = [](const std::array<cv::Mat, 3>& lab, const cv::Rect& rect) {
      return std::array<cv::Mat, 3>{lab[0](rect), lab[1](rect), lab[2](rect)};
    };
    const cv::Mat beside = around.ring(near);
    if (cv::countNonZero(beside) < params.min_beside_pixels) continue;
    const Colours table = Colours::Of(in(around.lab, near), beside);
    const Colours own = Colours::Of(in(around.lab, object), middle);
    other[static_cast<std::size_t>(i)] =
        ChromaDifference(own, table) >
        std::max(params.max_difference_lab, params.max_spreads * table.chroma_spread);
  }
  return components.Select(other);
}

}  // namespace glint::photometric
