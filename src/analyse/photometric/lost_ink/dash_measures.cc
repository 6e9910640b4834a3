// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_measures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/imgproc.hpp>

#include "analyse/photometric/pixels/masks.h"
#include "base/median.h"
#include "base/rounding.h"

namespace glint::photometric {
namespace {

constexpr double kNeverAlone = -9;  // nothing else beside it

cv::Point Rounded(double x, double y) { return {RoundToInt(x), RoundToInt(y)}; }

/// What is told of one dash by all its pixels.
struct Shape {
  double x = 0, y = 0;
  double cosine = 1, sine = 0;
  double length = 0, width = 0;
};

/// The middle and the axes of pixels: an even bar of that spread.
Shape ShapeOf(const std::vector<cv::Point>& pixels) {
  std::int64_t x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (const cv::Point at : pixels) {
    x += at.x;
    y += at.y;
    xx += std::int64_t{at.x} * at.x;
    yy += std::int64_t{at.y} * at.y;
    xy += std::int64_t{at.x} * at.y;
  }
  const auto count = static_cast<double>(pixels.size());
  const double mean_x = static_cast<double>(x) / count, mean_y = static_cast<double>(y) / count;
  const double free = count - 1;
  const double a = (static_cast<double>(xx) - count * mean_x * mean_x) / free;
  const double b = (static_cast<double>(xy) - count * mean_x * mean_y) / free;
  const double c = (static_cast<double>(yy) - count * mean_y * mean_y) / free;
  const double half = std::hypot((a - c) / 2, b);
  const double angle = std::atan2(2 * b, a - c) / 2;
  // A bar of length l has a variance of l * l / 12; a single pixel has a length, too.
  const auto side = [](double variance) { return std::sqrt(12 * std::max(variance, 0.0)) + 1; };
  return {.x = mean_x,
          .y = mean_y,
          .cosine = std::cos(angle),
          .sine = std::sin(angle),
          .length = side((a + c) / 2 + half),
          .width = side((a + c) / 2 - half)};
}

/// Measures pixels that hang together.
class Meter {
 public:
  Meter(const cv::Mat& colour, const cv::Mat& whiteness, const cv::Mat& ground,
        const DashRidges& ridges, const DashMeasureParams& params)
      : colour_(colour), whiteness_(whiteness), ground_(ground), ridges_(ridges), params_(params) {}

  MeasuredDash Measure(std::vector<cv::Point> pixels) const {
    const Shape shape = ShapeOf(pixels);
    MeasuredDash measured{.dash = {.x = shape.x,
                                   .y = shape.y,
                                   .cosine = shape.cosine,
                                   .sine = shape.sine,
                                   .length = shape.length},
                          .width = shape.width,
                          .pixels = static_cast<double>(pixels.size()),
                          .alone = Aloneness(shape, pixels)};
    int contrast = 0;
    for (const cv::Point at : pixels) contrast = std::max(contrast, ContrastAt(at));
    KeepWhiterHalf(pixels);
    const Colours colours = ColoursOf(shape, pixels);
    measured.least_gain = colours.least_gain;
    measured.most_gain = colours.most_gain;
    measured.sides_differ = colours.between;
    measured.sharpness = SharpnessOf(shape, pixels);
    measured.dash.contrast = static_cast<double>(contrast) / ridges_.per_grey;
    measured.dash.ink = colours.sides;
    measured.dash.gain = colours.own - colours.sides;
    return measured;
  }

 private:
  int ContrastAt(cv::Point at) const { return ridges_.contrast.at<std::int16_t>(at); }
  int WhitenessAt(cv::Point at) const { return whiteness_.at<std::uint8_t>(at); }

  /// By how much a dash is whiter than nearly all beside it but wide bare paper, over its contrast.
  double Aloneness(const Shape& shape, const std::vector<cv::Point>& pixels) const {
    std::vector<int> beside;
    const double half = shape.length / 2 + 2;
    const int reach = RoundToInt(shape.length / 2 + params_.beside_px);
    const cv::Point middle = Rounded(shape.x, shape.y);
    const cv::Rect box =
        cv::Rect(middle.x - reach, middle.y - reach, 2 * reach + 1, 2 * reach + 1) &
        cv::Rect({}, whiteness_.size());
    for (int y = box.y; y < box.br().y; ++y) {
      for (int x = box.x; x < box.br().x; ++x) {
        const double along = (x - shape.x) * shape.cosine + (y - shape.y) * shape.sine;
        const double across = std::abs((y - shape.y) * shape.cosine - (x - shape.x) * shape.sine);
        if (std::abs(along) > half || across <= params_.beside_from_px ||
            across > params_.beside_px || ground_.at<std::uint8_t>(y, x) != 0) {
          continue;
        }
        beside.push_back(WhitenessAt({x, y}));
      }
    }
    if (beside.empty()) return kNeverAlone;
    std::vector<int> own, contrast;
    own.reserve(pixels.size());
    contrast.reserve(pixels.size());
    for (const cv::Point at : pixels) {
      own.push_back(WhitenessAt(at));
      contrast.push_back(ContrastAt(at));
    }
    const auto nth = [](std::vector<int>& values, double share) {
      return NthSmallest(values,
                         static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
    };
    return static_cast<double>(nth(own, params_.own_quantile) -
                               nth(beside, params_.beside_quantile)) *
           ridges_.per_grey / nth(contrast, params_.own_quantile);
  }

  void KeepWhiterHalf(std::vector<cv::Point>& pixels) const {
    std::vector<int> whiteness;
    whiteness.reserve(pixels.size());
    for (const cv::Point at : pixels) whiteness.push_back(WhitenessAt(at));
    const double median = Median(whiteness);
    std::erase_if(pixels, [&](cv::Point at) { return WhitenessAt(at) < median; });
  }

  cv::Point Beside(const Shape& shape, cv::Point at, int away) const {
    const cv::Point to = Rounded(at.x - away * shape.sine, at.y + away * shape.cosine);
    return {std::clamp(to.x, 0, whiteness_.cols - 1), std::clamp(to.y, 0, whiteness_.rows - 1)};
  }

  cv::Vec3d ColourBeside(const Shape& shape, const std::vector<cv::Point>& pixels, int away) const {
    cv::Vec3d sum(0, 0, 0);
    for (const cv::Point at : pixels) {
      sum += cv::Vec3d(colour_.at<cv::Vec3b>(Beside(shape, at, away)));
    }
    return sum / static_cast<double>(pixels.size());
  }

  /// A dash's colours.
  struct Colours {
    cv::Vec3d own, sides;     // of both sides, the mean
    double least_gain = 255;  // over the brighter side, of any channel
    double most_gain = -255;
    double between = 0;  // the sides, of any channel
  };

  Colours ColoursOf(const Shape& shape, const std::vector<cv::Point>& pixels) const {
    const auto side = [&](int sign) {
      return (ColourBeside(shape, pixels, sign * params_.side_px[0]) +
              ColourBeside(shape, pixels, sign * params_.side_px[1])) /
             2;
    };
    const cv::Vec3d left = side(-1), right = side(1);
    Colours colours{.own = ColourBeside(shape, pixels, 0), .sides = (left + right) / 2};
    for (int channel = 0; channel < 3; ++channel) {
      const double gain = colours.own[channel] - std::max(left[channel], right[channel]);
      colours.least_gain = std::min(colours.least_gain, gain);
      colours.most_gain = std::max(colours.most_gain, gain);
      colours.between = std::max(colours.between, std::abs(left[channel] - right[channel]));
    }
    return colours;
  }

  /// The whiter side's whiteness, so far from a dash's pixels. Sums.
  int WhitestSide(const Shape& shape, const std::vector<cv::Point>& pixels, int away) const {
    int left = 0, right = 0;
    for (const cv::Point at : pixels) {
      left += WhitenessAt(Beside(shape, at, -away));
      right += WhitenessAt(Beside(shape, at, away));
    }
    return std::max(left, right);
  }

  /// Of what it is whiter than what lies beyond its edge, the part that is gone at the edge.
  double SharpnessOf(const Shape& shape, const std::vector<cv::Point>& pixels) const {
    int own = 0;
    for (const cv::Point at : pixels) own += WhitenessAt(at);
    const int far = own - WhitestSide(shape, pixels, params_.beyond_edge_px);
    const int near = own - WhitestSide(shape, pixels, params_.edge_px);
    return static_cast<double>(near) / std::max(far, static_cast<int>(pixels.size()));
  }

  const cv::Mat& colour_;
  const cv::Mat& whiteness_;
  const cv::Mat& ground_;  // CV_8U: not 0 on wide bare paper
  const DashRidges& ridges_;
  const DashMeasureParams& params_;
};

}  // namespace

cv::Mat WideBarePaper(const cv::Mat& bare, const DashMeasureParams& params) {
  cv::Mat ground;
  cv::morphologyEx(bare, ground, cv::MORPH_OPEN, Disc(params.ground_radius_px));
  cv::dilate(ground, ground, Square(params.ground_edge_px));
  return ground;
}

std::vector<MeasuredDash> MeasureDashes(const std::vector<std::vector<cv::Point>>& pixels,
                                        const cv::Mat& colour, const cv::Mat& whiteness,
                                        const cv::Mat& ground, const DashRidges& ridges,
                                        const DashMeasureParams& params) {
  const Meter meter(colour, whiteness, ground, ridges, params);
  std::vector<MeasuredDash> measured;
  measured.reserve(pixels.size());
  for (const std::vector<cv::Point>& each : pixels) measured.push_back(meter.Measure(each));
  return measured;
}

}  // namespace glint::photometric
