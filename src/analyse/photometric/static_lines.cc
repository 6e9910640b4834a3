// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/static_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/energy_normalisation.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/median.h"
#include "stages/cpu/photometric_input.h"
#include "stages/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

constexpr int kMeanReach = 20;      // px, of the local mean
constexpr int kContrastReach = 40;  // px, of the local contrast
constexpr double kMaxContrast = 3;  // deviations that a pixel counts at most
constexpr int kUnit = 4096;         // of a deviation
constexpr double kBlur = 2.0;
constexpr double kAlong = 8.0;  // sigma along the line
constexpr int kHalf = 16;       // px of a filter to either side
constexpr int kStep = 2;        // px between its taps
constexpr double kTapUnit = 64;
constexpr double kMedianToDeviation = 1 / kMadOfNormal;

/// Exact sums over squares around a pixel: of integers below 2^53, in double.
class SquareSums {
 public:
  explicit SquareSums(const cv::Mat& values) { cv::integral(values, sums_, CV_64F); }
  double Around(int x, int y, int reach) const {
    const int left = std::max(x - reach, 0), right = std::min(x + reach + 1, sums_.cols - 1);
    const auto* top = sums_.ptr<double>(std::max(y - reach, 0));
    const auto* bottom = sums_.ptr<double>(std::min(y + reach + 1, sums_.rows - 1));
    return (bottom[right] - bottom[left]) - (top[right] - top[left]);
  }

 private:
  cv::Mat sums_;
};

/// How much darker each pixel is than its surroundings, in units of the local contrast: CV_16U
/// around kMaxContrast * kUnit, smoothed.
cv::Mat Darkness(const Plane& grey, const Plane& count) {
  const cv::Mat seen = AsMat(count) > 0;
  cv::Mat values, weight, squares;
  AsMat(grey).convertTo(values, CV_64F);
  values.setTo(0, seen == 0);
  seen.convertTo(weight, CV_64F, 1.0 / 255);
  squares = values.mul(values);
  const SquareSums sum(values), square_sum(squares), pixels(weight);
  cv::Mat dark(values.size(), CV_16U);
  for (int y = 0; y < dark.rows; ++y) {
    const auto* value = values.ptr<double>(y);
    for (int x = 0; x < dark.cols; ++x) {
      double away = 0;
      if (seen.at<std::uint8_t>(y, x) != 0) {
        const double mean = sum.Around(x, y, kMeanReach) / pixels.Around(x, y, kMeanReach);
        const double wide = pixels.Around(x, y, kContrastReach);
        const double wide_mean = sum.Around(x, y, kContrastReach) / wide;
        const double variance =
            square_sum.Around(x, y, kContrastReach) / wide - wide_mean * wide_mean;
        away = (mean - value[x]) / std::sqrt(std::max(variance, double{kGrey} * kGrey));
      }
      dark.at<std::uint16_t>(y, x) = static_cast<std::uint16_t>(
          std::lround((std::clamp(away, -kMaxContrast, kMaxContrast) + kMaxContrast) * kUnit));
    }
  }
  cv::GaussianBlur(dark, dark, {0, 0}, kBlur);
  return dark;
}

struct Tap {
  int x, y, weight;
};

std::vector<Tap> Taps(int direction) {
  const double angle = std::numbers::pi * direction / LineEvidenceStage::kDirections;
  std::vector<Tap> taps;
  for (int a = -kHalf; a <= kHalf; a += kStep) {
    taps.push_back(
        {static_cast<int>(std::lround(a * std::cos(angle))),
         static_cast<int>(std::lround(a * std::sin(angle))),
         static_cast<int>(std::lround(kTapUnit * std::exp(-a * a / (2 * kAlong * kAlong))))});
  }
  return taps;
}

/// The strongest response at each pixel and its direction; and magnitudes of the responses in every
/// fourth direction, which tell the noise.
StaticLines Respond(const cv::Mat& dark, const Plane& count, ThreadPool& pool) {
  constexpr int kDirections = LineEvidenceStage::kDirections;
  cv::Mat padded;
  cv::copyMakeBorder(dark, padded, kHalf, kHalf, kHalf, kHalf, cv::BORDER_REFLECT);
  std::array<std::vector<Tap>, kDirections> filters;
  for (int d = 0; d < kDirections; ++d) filters[static_cast<std::size_t>(d)] = Taps(d);
  int weights = 0;
  for (const Tap& tap : filters[0]) weights += tap.weight;
  const int level = weights * static_cast<int>(kMaxContrast) * kUnit / 16;

  StaticLines lines;
  const Plane energy = Plane::Host({dark.cols, dark.rows}, PixelType::kS32);
  const Plane direction = Plane::Host(energy.size(), PixelType::kU8);
  std::array<cv::Mat, 4> magnitudes;
  for (cv::Mat& magnitude : magnitudes) magnitude.create(dark.size(), CV_32S);
  ForRows(pool, dark.rows, [&](Rows rows) {
    std::vector<std::int32_t> sums(static_cast<std::size_t>(dark.cols));
    for (int y = rows.begin; y < rows.end; ++y) {
      auto* best = energy.Row<std::int32_t>(y);
      auto* way = direction.Row<std::uint8_t>(y);
      for (int d = 0; d < kDirections; ++d) {
        std::ranges::fill(sums, 0);
        for (const Tap& tap : filters[static_cast<std::size_t>(d)]) {
          const auto* from = padded.ptr<std::uint16_t>(y + kHalf + tap.y) + kHalf + tap.x;
          for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += from[x] * tap.weight;
        }
        for (int x = 0; x < dark.cols; ++x) {
          const std::int32_t response = sums[static_cast<std::size_t>(x)] / 16 - level;
          if (d % 4 == 0) {
            magnitudes[static_cast<std::size_t>(d / 4)].at<std::int32_t>(y, x) = std::abs(response);
          }
          if (d == 0 || response > best[x]) {
            best[x] = response;
            way[x] = static_cast<std::uint8_t>(d);
          }
        }
      }
      const auto* views = count.Row<std::uint8_t>(y);
      for (int x = 0; x < dark.cols; ++x) best[x] = views[x] == 0 ? 0 : std::max(best[x], 0);
    }
  });
  std::vector<std::int32_t> all;
  for (const cv::Mat& magnitude : magnitudes) {
    all.insert(all.end(), magnitude.begin<std::int32_t>(), magnitude.end<std::int32_t>());
  }
  const double deviation = UpperMedian(all) * kMedianToDeviation;
  lines.median = std::max(1, static_cast<std::int32_t>(std::lround(deviation)));
  lines.evidence = {.energy = energy, .direction = direction, .point = energy};
  return lines;
}

}  // namespace

absl::StatusOr<StaticLines> FindStaticLines(const Plane& grey, const Plane& count,
                                            ThreadPool& pool) {
  StaticLines lines;
  const absl::Status done =
      HostCall("static lines", [&] { lines = Respond(Darkness(grey, count), count, pool); });
  if (!done.ok()) return done;
  return lines;
}

Plane InDeviations(const Plane& energy, std::int32_t median) {
  Plane out = Plane::Host(energy.size(), PixelType::kS32);
  for (int y = 0; y < energy.height(); ++y) {
    const auto* from = energy.Row<std::int32_t>(y);
    auto* to = out.Row<std::int32_t>(y);
    for (int x = 0; x < energy.width(); ++x) {
      const std::int64_t units = std::int64_t{from[x]} * kEnergyUnit / median;
      to[x] = static_cast<std::int32_t>(
          std::min<std::int64_t>(units, std::numeric_limits<std::int32_t>::max()));
    }
  }
  return out;
}

}  // namespace glint::photometric
