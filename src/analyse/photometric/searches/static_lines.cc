// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/static_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/evidence/energy_normalisation.h"
#include "analyse/photometric/pixels/square_sums.h"
#include "base/for_rows.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/median.h"
#include "base/status_macros.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

constexpr int kUnit = 4096;  // of a deviation
constexpr double kTapUnit = 64;
constexpr double kMedianToDeviation = 1 / kMadOfNormal;

/// How much darker each pixel is than its surroundings, in units of the local contrast: CV_16U
/// around max_contrast_deviations * kUnit, smoothed.
cv::Mat Darkness(const Plane& grey, const Plane& count, const StaticLineParams& params) {
  const double max_contrast = params.max_contrast_deviations;
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
        const double mean =
            sum.Around(x, y, params.mean_reach_px) / pixels.Around(x, y, params.mean_reach_px);
        const double wide = pixels.Around(x, y, params.contrast_reach_px);
        const double wide_mean = sum.Around(x, y, params.contrast_reach_px) / wide;
        const double variance =
            square_sum.Around(x, y, params.contrast_reach_px) / wide - wide_mean * wide_mean;
        away = (mean - value[x]) / std::sqrt(std::max(variance, double{kGrey} * kGrey));
      }
      dark.at<std::uint16_t>(y, x) = static_cast<std::uint16_t>(
          std::lround((std::clamp(away, -max_contrast, max_contrast) + max_contrast) * kUnit));
    }
  }
  cv::GaussianBlur(dark, dark, {0, 0}, params.smoothing_px);
  return dark;
}

struct Tap {
  int x, y, weight;
};

using Filters = std::array<std::vector<Tap>, LineEvidenceStage::kDirections>;

/// Filters along lines of every direction.
Filters LineFilters(const StaticLineParams& params) {
  Filters filters;
  const int half = params.half_length_px;
  const double sigma = params.along_px;
  for (std::size_t d = 0; d < filters.size(); ++d) {
    const double angle = std::numbers::pi * static_cast<double>(d) / LineEvidenceStage::kDirections;
    for (int a = -half; a <= half; a += params.tap_step_px) {
      filters[d].push_back(
          {static_cast<int>(std::lround(a * std::cos(angle))),
           static_cast<int>(std::lround(a * std::sin(angle))),
           static_cast<int>(std::lround(kTapUnit * std::exp(-a * a / (2 * sigma * sigma))))});
    }
  }
  return filters;
}

/// The strongest response at each pixel, its direction, and magnitudes of the responses in every
/// fourth direction, which tell the noise.
struct Responses {
  Plane energy, direction;
  std::array<cv::Mat, 4> magnitudes;  // CV_32S

  explicit Responses(Size size)
      : energy(Plane::Host(size, PixelType::kS32)), direction(Plane::Host(size, PixelType::kU8)) {
    for (cv::Mat& magnitude : magnitudes) magnitude.create(size.height, size.width, CV_32S);
  }

  /// Adds the responses of one direction in row y.
  void Add(int d, int y, const std::vector<std::int32_t>& row) {
    auto* best = energy.Row<std::int32_t>(y);
    auto* way = direction.Row<std::uint8_t>(y);
    for (std::size_t x = 0; x < row.size(); ++x) {
      if (d % 4 == 0) {
        magnitudes[static_cast<std::size_t>(d / 4)].ptr<std::int32_t>(y)[x] = std::abs(row[x]);
      }
      if (d == 0 || row[x] > best[x]) {
        best[x] = row[x];
        way[x] = static_cast<std::uint8_t>(d);
      }
    }
  }

  /// Their deviation where there is no line.
  std::int32_t Deviation() const {
    std::vector<std::int32_t> all;
    for (const cv::Mat& magnitude : magnitudes) {
      all.insert(all.end(), magnitude.begin<std::int32_t>(), magnitude.end<std::int32_t>());
    }
    const double deviation = UpperMedian(all) * kMedianToDeviation;
    return std::max(1, static_cast<std::int32_t>(std::lround(deviation)));
  }
};

StaticLines Respond(const cv::Mat& dark, const Plane& count, const StaticLineParams& params,
                    ThreadPool& pool) {
  const int half = params.half_length_px;
  cv::Mat padded;
  cv::copyMakeBorder(dark, padded, half, half, half, half, cv::BORDER_REFLECT);
  const Filters filters = LineFilters(params);
  int weights = 0;
  for (const Tap& tap : filters[0]) weights += tap.weight;
  const int level = static_cast<int>(weights * params.max_contrast_deviations * kUnit) / 16;
  Responses responses({dark.cols, dark.rows});
  ForRows(pool, dark.rows, [&](Rows rows) {
    std::vector<std::int32_t> sums(static_cast<std::size_t>(dark.cols));
    for (int y = rows.begin; y < rows.end; ++y) {
      for (int d = 0; d < LineEvidenceStage::kDirections; ++d) {
        std::ranges::fill(sums, 0);
        for (const Tap& tap : filters[static_cast<std::size_t>(d)]) {
          const auto* from = padded.ptr<std::uint16_t>(y + half + tap.y) + half + tap.x;
          for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += from[x] * tap.weight;
        }
        for (std::int32_t& sum : sums) sum = sum / 16 - level;
        responses.Add(d, y, sums);
      }
      auto* best = responses.energy.Row<std::int32_t>(y);
      const auto* views = count.Row<std::uint8_t>(y);
      for (int x = 0; x < dark.cols; ++x) best[x] = views[x] == 0 ? 0 : std::max(best[x], 0);
    }
  });
  const std::int32_t deviation = responses.Deviation();
  return {.evidence = {.energy = responses.energy,
                       .direction = responses.direction,
                       .point = responses.energy},
          .deviation = deviation};
}

}  // namespace

absl::StatusOr<StaticLines> FindStaticLines(const Plane& grey, const Plane& count,
                                            const StaticLineParams& params, ThreadPool& pool) {
  StaticLines lines;
  GLINT_RETURN_IF_ERROR(HostCall("static lines", [&] {
    lines = Respond(Darkness(grey, count, params), count, params, pool);
  }));
  return lines;
}

Plane InDeviations(const Plane& energy, std::int32_t deviation) {
  Plane out = Plane::Host(energy.size(), PixelType::kS32);
  for (int y = 0; y < energy.height(); ++y) {
    const auto* from = energy.Row<std::int32_t>(y);
    auto* to = out.Row<std::int32_t>(y);
    for (int x = 0; x < energy.width(); ++x) {
      const std::int64_t units = std::int64_t{from[x]} * kEnergyUnit / deviation;
      to[x] = static_cast<std::int32_t>(
          std::min<std::int64_t>(units, std::numeric_limits<std::int32_t>::max()));
    }
  }
  return out;
}

}  // namespace glint::photometric
