// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/covered_rim.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <vector>

#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/pixels/masks.h"

namespace glint::photometric {
namespace {

using Colour = std::array<double, 3>;  // L, a, b in 1/kColourUnit

/// Colours, and how much they spread.
struct Colours {
  Colour mean{};
  Colour variance{};

  /// Squared distance of a colour, in the spreads.
  double DistanceTo(const Colour& colour) const {
    double distance = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double off = colour[c] - mean[c];
      distance += off * off / variance[c];
    }
    return distance;
  }
};

Colour At(const Background& around, cv::Point p) {
  return {static_cast<double>(around.lab[0].at<std::uint16_t>(p)),
          static_cast<double>(around.lab[1].at<std::uint16_t>(p)),
          static_cast<double>(around.lab[2].at<std::uint16_t>(p))};
}

/// A stretch of a side, in pixels along the whole picture's. `end` is exclusive.
struct Stretch {
  int begin = 0;
  int end = 0;
  int length() const { return end - begin; }
};

/// What covers one side.
class CoveredSide {
 public:
  CoveredSide(Side side, const Background& around, double scale, const CoveredRimParams& params)
      : side_(side),
        around_(around),
        scale_(scale),
        params_(params),
        size_(around.ring.size()),
        min_variance_(params.min_variance_lab2 * kColourUnit * kColourUnit) {}

  /// Adds what covers it to a mask of the whole picture.
  void AddTo(cv::Mat& covered) const {
    const auto stretch = Found();
    if (!stretch) return;
    const Colours front = ColoursOf(*stretch);
    if (ShareAtRim(*stretch, front) >= params_.min_rim_share) covered |= Region(*stretch, front);
  }

 private:
  cv::Point Pixel(int along, int deep) const { return photometric::At(side_, along, deep, size_); }

  /// Sums of the surroundings' colours over all places before each; the last value counts pixels.
  std::vector<cv::Vec4d> SumsAlong() const {
    std::vector<cv::Vec4d> sums(1);
    for (int along = 0; along < LengthOf(side_, size_); ++along) {
      cv::Vec4d sum = sums.back();
      for (int deep = 0; deep < kBackgroundMargin; ++deep) {
        const cv::Point p = Pixel(along, deep);
        if (around_.ring.at<std::uint8_t>(p) == 0) continue;
        const Colour colour = At(around_, p);
        sum += cv::Vec4d(colour[0], colour[1], colour[2], 1);
      }
      sums.push_back(sum);
    }
    return sums;
  }

  /// Difference of a stretch's colour to what lies right beside it at both ends, in kColourUnit.
  double StepAt(const std::vector<cv::Vec4d>& sums, const Stretch& stretch) const {
    const auto sum = [&](int begin, int end) {
      const int last = static_cast<int>(sums.size()) - 1;
      return cv::Vec4d(sums[static_cast<std::size_t>(std::clamp(end, 0, last))] -
                       sums[static_cast<std::size_t>(std::clamp(begin, 0, last))]);
    };
    const int away = params_.end_px;
    const int reach = static_cast<int>(params_.beside_px * scale_);
    const cv::Vec4d here = sum(stretch.begin, stretch.end);
    const cv::Vec4d before = sum(stretch.begin - away - reach, stretch.begin - away);
    const cv::Vec4d after = sum(stretch.end + away, stretch.end + away + reach);
    if (here[3] == 0 || before[3] == 0 || after[3] == 0) return 0;
    const auto step = [&](const cv::Vec4d& beside) {
      const cv::Vec4d off = here * (1 / here[3]) - beside * (1 / beside[3]);
      return cv::norm(cv::Vec3d(off[0], off[1], off[2]));
    };
    return std::min(step(before), step(after));  // it ends at both
  }

  /// How much the table changes from place to place, apart from a stretch: the root mean square of
  /// such steps; nothing where there is too little of it.
  std::optional<double> StepOfTable(const std::vector<cv::Vec4d>& sums,
                                    const Stretch& apart_from) const {
    const int width = static_cast<int>(2 * params_.min_half_width_px * scale_);
    const int span = params_.end_px + static_cast<int>(params_.beside_px * scale_);
    double squares = 0;
    int places = 0;
    for (int begin = kBackgroundMargin; begin + width <= LengthOf(side_, size_) - kBackgroundMargin;
         begin += width / 4 + 1) {
      if (begin + width + span > apart_from.begin && begin - span < apart_from.end) continue;
      const double step = StepAt(sums, {begin, begin + width});
      squares += step * step;
      ++places;
    }
    if (places < params_.min_places) return std::nullopt;
    return std::sqrt(squares / places);
  }

  /// The widths that are tried, from a finger's on.
  std::vector<int> WidthsUpTo(double most) const {
    std::vector<int> widths;
    double width = 2 * params_.min_half_width_px * scale_;
    while (width <= most) {
      widths.push_back(static_cast<int>(width));
      width *= params_.width_ratio;
    }
    return widths;
  }

  /// Where something else than the table lies in front of the rim, if anything does: the stretch
  /// that differs most from what lies beside it, by far more than the table does.
  std::optional<Stretch> Found() const {
    const std::vector<cv::Vec4d> sums = SumsAlong();
    const int length = LengthOf(side_, size_) - 2 * kBackgroundMargin;
    Stretch best;
    double most = params_.min_step_lab * kColourUnit;
    for (const int width : WidthsUpTo(params_.max_side_share * length)) {
      for (int begin = kBackgroundMargin; begin + width <= length + kBackgroundMargin; begin += 2) {
        const Stretch stretch{begin, begin + width};
        const double step = StepAt(sums, stretch);
        if (step < most) continue;
        most = step;
        best = stretch;
      }
    }
    if (best.length() == 0) return std::nullopt;
    const auto table = StepOfTable(sums, best);
    if (!table || most < params_.min_clarity * *table) return std::nullopt;
    return best;
  }

  /// Of the surroundings in front of a stretch.
  Colours ColoursOf(const Stretch& stretch) const {
    Colour sum{}, squares{};
    double pixels = 0;
    for (int along = stretch.begin; along < stretch.end; ++along) {
      for (int deep = 0; deep < kBackgroundMargin; ++deep) {
        const cv::Point p = Pixel(along, deep);
        if (around_.ring.at<std::uint8_t>(p) == 0) continue;
        const Colour colour = At(around_, p);
        for (std::size_t c = 0; c < 3; ++c) {
          sum[c] += colour[c];
          squares[c] += colour[c] * colour[c];
        }
        ++pixels;
      }
    }
    Colours front;
    for (std::size_t c = 0; c < 3; ++c) {
      front.mean[c] = sum[c] / std::max(1.0, pixels);
      front.variance[c] =
          std::max(0.0, squares[c] / std::max(1.0, pixels) - front.mean[c] * front.mean[c]) +
          min_variance_;
    }
    return front;
  }

  bool IsFront(const Colours& front, cv::Point p) const {
    return front.DistanceTo(At(around_, p)) <= params_.max_front_distance;
  }

  /// Share of the object right inside of a stretch that has its colours.
  double ShareAtRim(const Stretch& stretch, const Colours& front) const {
    int alike = 0;
    int pixels = 0;
    for (int along = stretch.begin; along < stretch.end; ++along) {
      for (int deep = params_.rim_px; deep < 2 * params_.rim_px; ++deep, ++pixels) {
        alike += IsFront(front, Pixel(along, kBackgroundMargin + deep)) ? 1 : 0;
      }
    }
    return static_cast<double>(alike) / std::max(1, pixels);
  }

  /// The hull of what has the stretch's colours and begins there, in the whole picture; nothing
  /// where it does not end.
  cv::Mat Region(const Stretch& stretch, const Colours& front) const {
    cv::Mat none(size_, CV_8U, cv::Scalar(0));
    const int aside = static_cast<int>(params_.reach_widths_aside * stretch.length());
    const int first = std::max(kBackgroundMargin, stretch.begin - aside);
    const int last = std::min(LengthOf(side_, size_) - kBackgroundMargin, stretch.end + aside);
    const int depth = std::min(static_cast<int>(params_.reach_widths * stretch.length()),
                               DepthOf(side_, size_) - 2 * kBackgroundMargin);
    cv::Mat like = none.clone();
    cv::Mat mouth = none.clone();
    cv::Mat limits = none.clone();
    for (int along = first; along < last; ++along) {
      for (int deep = 0; deep < depth; ++deep) {
        const cv::Point p = Pixel(along, kBackgroundMargin + deep);
        if (IsFront(front, p)) like.at<std::uint8_t>(p) = 255;
        const bool inside = along >= stretch.begin && along < stretch.end;
        if (inside && deep < 2 * params_.rim_px) mouth.at<std::uint8_t>(p) = 255;
        if (deep + 1 == depth || along == first || along + 1 == last)
          limits.at<std::uint8_t>(p) = 255;
      }
    }
    cv::morphologyEx(like, like, cv::MORPH_OPEN, Disc(params_.opened_px));
    const cv::Mat region = ComponentsTouching(like, mouth, 8);
    const int at_limits = cv::countNonZero(region & limits);
    if (at_limits > params_.max_limit_share * stretch.length()) return none;
    std::vector<cv::Point> points;
    cv::findNonZero(region, points);
    if (points.size() < 3) return none;
    std::vector<cv::Point> hull;
    cv::convexHull(points, hull);
    cv::fillConvexPoly(none, hull, cv::Scalar(255));
    return none;
  }

  Side side_;
  const Background& around_;
  double scale_;
  const CoveredRimParams& params_;
  cv::Size size_;
  double min_variance_;
};

}  // namespace

cv::Mat FindCoveredRim(const Background& around, double scale, const CoveredRimParams& params) {
  cv::Mat covered(around.ring.size(), CV_8U, cv::Scalar(0));
  for (const Side side : kSides) CoveredSide(side, around, scale, params).AddTo(covered);
  constexpr int kMargin = kBackgroundMargin;
  return covered(cv::Rect(kMargin, kMargin, covered.cols - 2 * kMargin, covered.rows - 2 * kMargin))
      .clone();
}

}  // namespace glint::photometric
