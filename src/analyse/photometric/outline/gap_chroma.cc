// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/gap_chroma.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/pixels/masks.h"

namespace glint::photometric {
namespace {

// 8-bit Lab is CIE's, L* by 2.55, a* and b* from 128 on. Shading scales L* + 16, a* and b*.
constexpr double kGreyLab = 128;
constexpr double kBlackLab = 16 * 2.55;

/// Of the pixels of a mask, 8-bit Lab.
struct Colours {
  cv::Vec3d mean;
  double chroma_spread = 0;  ///< root of the variances of a and b together

  static Colours Of(const std::array<cv::Mat, 3>& lab, const cv::Mat& mask) {
    Colours colours;
    std::array<cv::Scalar, 3> means, spreads;
    for (std::size_t c = 0; c < 3; ++c) {
      cv::meanStdDev(lab[c], means[c], spreads[c], mask);
      colours.mean[static_cast<int>(c)] = means[c][0] / kColourUnit;
    }
    colours.chroma_spread = std::hypot(spreads[1][0], spreads[2][0]) / kColourUnit;
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
