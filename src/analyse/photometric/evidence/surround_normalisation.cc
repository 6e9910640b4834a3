// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/evidence/surround_normalisation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <opencv2/core.hpp>
#include <vector>

#include "analyse/photometric/evidence/energy_normalisation.h"
#include "analyse/photometric/pixels/square_sums.h"
#include "base/for_rows.h"
#include "base/mat.h"
#include "base/median.h"

namespace glint::photometric {
namespace {

constexpr std::int64_t kFraction = 1024;  // units of parameters

std::int32_t MedianOf(const Plane& evidence) {
  std::vector<std::int32_t> values;
  for (int y = 0; y < evidence.height(); ++y) {
    const auto* row = evidence.Row<std::int32_t>(y);
    std::copy_if(row, row + evidence.width(), std::back_inserter(values),
                 [](std::int32_t value) { return value > 0; });
  }
  return values.empty() ? 1 : std::max(UpperMedian(values), 1);
}

std::int32_t Times(std::int64_t value, double factor) {
  return static_cast<std::int32_t>(value * std::llround(factor * kFraction) / kFraction);
}

/// Evidence, of each pixel so many times what is around it at most. CV_64F
cv::Mat Limited(const Plane& evidence, const Plane& around, double max_surround) {
  cv::Mat limited(evidence.height(), evidence.width(), CV_64F);
  for (int y = 0; y < evidence.height(); ++y) {
    const auto* from = evidence.Row<std::int32_t>(y);
    const auto* mean = around.Row<std::int32_t>(y);
    auto* to = limited.ptr<double>(y);
    for (int x = 0; x < evidence.width(); ++x)
      to[x] = std::min(from[x], Times(mean[x], max_surround));
  }
  return limited;
}

/// The mean of the evidence around every pixel, over the pixels where it is known, where what
/// stands out counts little.
/// @param median  of the evidence
Plane MeansAround(const Plane& evidence, std::int32_t median, const SurroundParams& params,
                  ThreadPool& pool) {
  const SquareSums pixels((AsMat(evidence) > 0) / 255);
  Plane means = Plane::Host(evidence.size(), PixelType::kS32);
  AsMat(means).setTo(Times(median, params.first_surround_medians));
  for (int round = 0; round < params.rounds; ++round) {
    const SquareSums sums(Limited(evidence, means, params.max_surround));
    ForRows(pool, evidence.height(), [&](Rows rows) {
      for (int y = rows.begin; y < rows.end; ++y) {
        auto* mean = means.Row<std::int32_t>(y);
        for (int x = 0; x < evidence.width(); ++x) {
          const auto sum = static_cast<std::int64_t>(sums.Around(x, y, params.radius_px));
          const auto count = static_cast<std::int64_t>(pixels.Around(x, y, params.radius_px));
          mean[x] = static_cast<std::int32_t>(sum / std::max<std::int64_t>(count, 1));
        }
      }
    });
  }
  return means;
}

}  // namespace

Plane NormaliseBySurroundings(const Plane& evidence, const SurroundParams& params,
                              ThreadPool& pool) {
  const Size size = evidence.size();
  const std::int32_t median = MedianOf(evidence);
  const Plane means = MeansAround(evidence, median, params, pool);
  const std::int32_t least = std::max(Times(median, params.min_median_share), 1);
  Plane out = Plane::Host(size, PixelType::kS32);
  for (int y = 0; y < size.height; ++y) {
    const auto* from = evidence.Row<std::int32_t>(y);
    const auto* mean = means.Row<std::int32_t>(y);
    auto* to = out.Row<std::int32_t>(y);
    for (int x = 0; x < size.width; ++x) {
      to[x] =
          static_cast<std::int32_t>(std::int64_t{from[x]} * kEnergyUnit / std::max(mean[x], least));
    }
  }
  return out;
}

}  // namespace glint::photometric
