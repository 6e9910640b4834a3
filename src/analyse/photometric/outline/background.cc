// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/background.h"

#include <algorithm>
#include <array>
#include <opencv2/imgproc.hpp>

#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/pixels/square_sums.h"

namespace glint::photometric {
namespace {

constexpr float kFarAway = 1e6F;

cv::Mat Ring(cv::Size size, const BackgroundParams& params) {
  cv::Mat ring(size, CV_8U, cv::Scalar(0));
  const auto inset = [&](int by) {
    return cv::Rect(by, by, size.width - 2 * by, size.height - 2 * by);
  };
  ring(inset(params.border_px)).setTo(255);
  ring(inset(kBackgroundMargin - params.outline_px)).setTo(0);
  return ring;
}

/// The ring's colours around any pixel.
class RingColours {
 public:
  RingColours(const cv::Mat& ring, const std::array<cv::Mat, 3>& channels,
              const BackgroundParams& params)
      : params_(params), count_(OnRing(cv::Mat::ones(ring.size(), CV_64F), ring)) {
    for (const cv::Mat& channel : channels) {
      cv::Mat values;
      channel.convertTo(values, CV_64F);
      sums_.push_back(OnRing(values, ring));
      square_sums_.push_back(OnRing(values.mul(values), ring));
    }
  }

  /// Squared distance of a colour (in 1/kColourUnit) to the ring's around (x, y).
  float Distance(int x, int y, const std::array<int, 3>& colour, int reach) const {
    if (count_.Around(x, y, reach) < params_.min_ring_pixels) reach *= 3;
    const double count = count_.Around(x, y, reach);
    if (count < 1) return kFarAway;
    double distance = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double mean = sums_[c].Around(x, y, reach) / count;
      const double variance =
          std::max(square_sums_[c].Around(x, y, reach) / count - mean * mean, 0.0);
      const double off = colour[c] - mean;
      distance += off * off / (variance + params_.min_variance_lab2 * kColourUnit * kColourUnit);
    }
    return static_cast<float>(distance);
  }

 private:
  static SquareSums OnRing(const cv::Mat& values, const cv::Mat& ring) {
    cv::Mat masked = cv::Mat::zeros(values.size(), CV_64F);
    values.copyTo(masked, ring);
    return SquareSums(masked);
  }

  const BackgroundParams& params_;
  SquareSums count_;
  std::vector<SquareSums> sums_;
  std::vector<SquareSums> square_sums_;
};

/// L, a and b, smoothed by a Gaussian, in 1/kColourUnit; fixed point throughout.
std::array<cv::Mat, 3> SmoothLab(const cv::Mat& colour, double sigma) {
  cv::Mat lab;
  cv::cvtColor(colour, lab, cv::COLOR_RGB2Lab);
  lab.convertTo(lab, CV_16U, kColourUnit);
  cv::GaussianBlur(lab, lab, {0, 0}, sigma);
  std::array<cv::Mat, 3> channels;
  cv::split(lab, channels.data());
  return channels;
}

}  // namespace

Background CompareWithBackground(const cv::Mat& colour, double scale,
                                 const BackgroundParams& params) {
  Background result{.lab = SmoothLab(colour, params.smoothing_px),
                    .ring = Ring(colour.size(), params),
                    .distance = cv::Mat(colour.size(), CV_32F)};
  const auto& lab = result.lab;
  const RingColours ring(result.ring, lab, params);
  const int reach = static_cast<int>(params.reach_px * scale);
  for (int y = 0; y < colour.rows; ++y) {
    auto* out = result.distance.ptr<float>(y);
    for (int x = 0; x < colour.cols; ++x) {
      const std::array<int, 3> pixel = {lab[0].at<std::uint16_t>(y, x),
                                        lab[1].at<std::uint16_t>(y, x),
                                        lab[2].at<std::uint16_t>(y, x)};
      out[x] = ring.Distance(x, y, pixel, reach);
    }
  }
  return result;
}

}  // namespace glint::photometric
