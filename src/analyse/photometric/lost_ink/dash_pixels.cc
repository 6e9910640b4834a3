// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_pixels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <tuple>
#include <utility>

#include "base/for_rows.h"
#include "base/rounding.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// Measures ridges, one direction after the other.
class RidgeFilter {
 public:
  RidgeFilter(const cv::Mat& whiteness, double min_grey, const DashRidgeParams& params,
              ThreadPool& pool)
      : min_grey_(min_grey),
        params_(params),
        pool_(pool),
        reach_(std::ranges::max(params.side_px) + 1),
        ridges_{.contrast = cv::Mat(whiteness.size(), CV_16S, cv::Scalar(0)),
                .sides = cv::Mat(whiteness.size(), CV_16S, cv::Scalar(0)),
                .per_grey = 2 * params.along_px + 1} {
    const int margin = reach_ + params.along_px + 1;
    cv::copyMakeBorder(whiteness, padded_, margin, margin, margin, margin, cv::BORDER_REPLICATE);
    sums_.create(whiteness.rows + 2 * reach_, whiteness.cols + 2 * reach_, CV_16S);
    FindCandidates(whiteness);
  }

  DashRidges Run() && {
    for (int direction = 0; direction < kDirections; ++direction) {
      SumAlong(direction);
      Compare(direction);
    }
    return std::move(ridges_);
  }

 private:
  /// Marks where a ridge may be: it is no whiter than the whitest pixel along it, and its nearest
  /// side no darker than the darkest around.
  void FindCandidates(const cv::Mat& whiteness) {
    const auto box = [](int reach) {
      return cv::Mat(2 * reach + 1, 2 * reach + 1, CV_8U, cv::Scalar(1));
    };
    const int near = std::ranges::min(params_.side_px) + params_.along_px + 1;
    cv::Mat whitest, darkest;
    cv::dilate(whiteness, whitest, box(params_.along_px));
    cv::erode(whiteness, darkest, box(near));
    cv::subtract(whitest, darkest, candidates_);
  }

  std::ptrdiff_t Offset(const cv::Mat& in, double x, double y) const {
    return RoundToInt(y) * static_cast<std::ptrdiff_t>(in.step1()) + RoundToInt(x);
  }

  void SumAlong(int direction) {
    const double angle = std::numbers::pi * direction / kDirections;
    std::vector<std::ptrdiff_t> along;
    for (int a = -params_.along_px; a <= params_.along_px; ++a) {
      along.push_back(Offset(padded_, a * std::cos(angle), a * std::sin(angle)));
    }
    const int inside = params_.along_px + 1;
    ForRows(pool_, sums_.rows, [&](Rows rows) {
      for (int y = rows.begin; y < rows.end; ++y) {
        const auto* from = padded_.ptr<std::uint8_t>(y + inside) + inside;
        auto* to = sums_.ptr<std::int16_t>(y);
        for (int x = 0; x < sums_.cols; ++x) {
          int sum = 0;
          for (const std::ptrdiff_t step : along) sum += from[x + step];
          to[x] = static_cast<std::int16_t>(sum);
        }
      }
    });
  }

  void Compare(int direction) {
    const double angle = std::numbers::pi * direction / kDirections;
    std::array<std::ptrdiff_t, std::tuple_size_v<DashRidgeParams::Distances>> left{}, right{};
    for (std::size_t i = 0; i < left.size(); ++i) {
      const double away = params_.side_px[i];
      left[i] = Offset(sums_, away * std::sin(angle), -away * std::cos(angle));
      right[i] = Offset(sums_, -away * std::sin(angle), away * std::cos(angle));
    }
    const int least = RoundToInt(min_grey_ * ridges_.per_grey);
    ForRows(pool_, candidates_.rows, [&](Rows rows) {
      for (int y = rows.begin; y < rows.end; ++y) {
        const auto* candidate = candidates_.ptr<std::uint8_t>(y);
        const auto* from = sums_.ptr<std::int16_t>(y + reach_) + reach_;
        auto* contrast = ridges_.contrast.ptr<std::int16_t>(y);
        auto* sides = ridges_.sides.ptr<std::int16_t>(y);
        for (int x = 0; x < candidates_.cols; ++x) {
          if (candidate[x] < min_grey_) continue;
          const std::int16_t* at = from + x;
          int whitest = 0;
          for (const std::ptrdiff_t step : left) whitest = std::max<int>(whitest, at[step]);
          for (const std::ptrdiff_t step : right) whitest = std::max<int>(whitest, at[step]);
          const int over = *at - whitest;
          if (over < least || over <= contrast[x]) continue;
          contrast[x] = static_cast<std::int16_t>(over);
          sides[x] = static_cast<std::int16_t>(
              std::abs(at[left[0]] + at[left[1]] - at[right[0]] - at[right[1]]));
        }
      }
    });
  }

  double min_grey_;
  const DashRidgeParams& params_;
  ThreadPool& pool_;
  int reach_;
  DashRidges ridges_;
  cv::Mat padded_;      // CV_8U
  cv::Mat sums_;        // CV_16S: along one direction
  cv::Mat candidates_;  // CV_8U: the most that a ridge there can have
};

/// Where ink is gone, by one pixel and its sides. What comes to the rim ends before it.
cv::Mat LostInk(const cv::Mat& whiteness, const cv::Mat& surface, const DashRidges& ridges,
                int paper, const DashPixelParams& params) {
  cv::Mat lost(whiteness.size(), CV_8U, cv::Scalar(0));
  const int rim = params.rim_px, least = RoundToInt(params.min_grey * ridges.per_grey);
  for (int y = rim; y < lost.rows - rim; ++y) {
    const auto* contrast = ridges.contrast.ptr<std::int16_t>(y);
    const auto* sides = ridges.sides.ptr<std::int16_t>(y);
    for (int x = rim; x < lost.cols - rim; ++x) {
      if (contrast[x] < least || surface.at<std::uint8_t>(y, x) == 0) continue;
      const double whiter = static_cast<double>(contrast[x]) / ridges.per_grey;
      const double ink = paper - std::max(whiteness.at<std::uint8_t>(y, x) - whiter, 0.0);
      const bool is_lost = sides[x] <= 2 * params.max_side_share * contrast[x] &&
                           ink >= params.min_ink_grey && whiter >= params.min_lost_share * ink;
      lost.at<std::uint8_t>(y, x) = is_lost ? 255 : 0;
    }
  }
  return lost;
}

/// The pixels of each component, in the order of their first ones.
std::vector<std::vector<cv::Point>> ComponentsOf(const cv::Mat& mask) {
  cv::Mat labels;
  const int count = cv::connectedComponents(mask, labels, 8, CV_32S);
  std::vector<std::vector<cv::Point>> components(static_cast<std::size_t>(count));
  for (int y = 0; y < labels.rows; ++y) {
    const auto* row = labels.ptr<std::int32_t>(y);
    for (int x = 0; x < labels.cols; ++x) {
      if (row[x] != 0) components[static_cast<std::size_t>(row[x])].emplace_back(x, y);
    }
  }
  components.erase(components.begin());
  std::ranges::sort(components, {}, [](const std::vector<cv::Point>& pixels) {
    return std::pair(pixels.front().y, pixels.front().x);
  });
  return components;
}

}  // namespace

DashRidges FindDashRidges(const cv::Mat& whiteness, double min_grey, const DashRidgeParams& params,
                          ThreadPool& pool) {
  return RidgeFilter(whiteness, min_grey, params, pool).Run();
}

std::vector<std::vector<cv::Point>> FindDashPixels(const cv::Mat& whiteness, const cv::Mat& surface,
                                                   const DashRidges& ridges, int paper,
                                                   const DashPixelParams& params) {
  auto found = ComponentsOf(LostInk(whiteness, surface, ridges, paper, params));
  std::erase_if(found, [&](const std::vector<cv::Point>& pixels) {
    return std::ssize(pixels) < params.min_pixels;
  });
  return found;
}

}  // namespace glint::photometric
