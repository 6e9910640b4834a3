// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/covered_rim.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/masks.h"
#include "analyse/photometric/outline.h"

namespace glint::photometric {
namespace {

/// Colours of the pixels of a mask.
struct Colours {
  double pixels = 0;
  cv::Scalar mean, variance;

  Colours(const cv::Mat& lab, const cv::Mat& mask) : pixels(cv::countNonZero(mask)) {
    cv::Scalar deviation;
    cv::meanStdDev(lab, mean, deviation, mask);
    variance = deviation.mul(deviation);
  }
};

/// Squared distance of a colour to others, in their spreads.
double DistanceTo(const Colours& others, const cv::Scalar& colour, double min_variance) {
  double distance = 0;
  for (int c = 0; c < 3; ++c) {
    const double off = colour[c] - others.mean[c];
    distance += off * off / (others.variance[c] + min_variance);
  }
  return distance;
}

/// One gap and the surroundings beside its mouth.
class GapBeside {
 public:
  GapBeside(const cv::Mat& gap, const Background& around, double scale,
            const CoveredRimParams& params)
      : params_(params) {
    cv::merge(around.lab.data(), around.lab.size(), lab_);
    whole_ = cv::Mat(around.ring.size(), CV_8U, cv::Scalar(0));
    gap.copyTo(whole_(cv::Rect({kBackgroundMargin, kBackgroundMargin}, gap.size())));
    cv::Mat near, far;
    cv::dilate(whole_, near, Square(kBackgroundMargin + params.mouth_px));
    cv::dilate(whole_, far, Square(kBackgroundMargin + static_cast<int>(params.reach_px * scale)));
    beside_ = around.ring & far & (near == 0);
    cv::erode(whole_, inside_, Disc(params.rim_px));
  }

  bool IsCovered(double min_variance) const {
    const Colours inside(lab_, inside_), beside(lab_, beside_);
    return inside.pixels >= params_.min_pixels && beside.pixels >= params_.min_pixels &&
           DistanceTo(beside, inside.mean, min_variance) >= params_.min_distance;
  }

 private:
  const CoveredRimParams& params_;
  cv::Mat lab_;  // CV_16UC3
  cv::Mat whole_, beside_, inside_;
};

}  // namespace

cv::Mat CoveredRim(const cv::Mat& gaps, const Background& around, double scale,
                   const CoveredRimParams& params) {
  const double min_variance = params.min_variance_lab2 * kColourUnit * kColourUnit;
  const Components components = FindComponents(gaps, 8);
  const std::vector<float> half_widths = components.MaxOf(InnerDistance(gaps));
  std::vector<bool> covered(static_cast<std::size_t>(components.count));
  for (int i = 1; i < components.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (half_widths[at] < params.min_half_width_px * scale) continue;
    covered[at] = GapBeside(components.labels == i, around, scale, params).IsCovered(min_variance);
  }
  return components.Select(covered);
}

}  // namespace glint::photometric
