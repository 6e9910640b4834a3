// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/evidence/energy_normalisation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/pixels/square_sums.h"
#include "base/for_rows.h"
#include "base/mat.h"
#include "base/median.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// Mean squared gradient around each pixel, over the pixels that are seen; exact.
class SpatialActivity {
 public:
  explicit SpatialActivity(const Albedo& albedo) : SpatialActivity(albedo, InnerPixels(albedo)) {}

  double At(int x, int y, int reach) const {
    return gradients_.Around(x, y, reach) / std::max(pixels_.Around(x, y, reach), 1.0);
  }

 private:
  SpatialActivity(const Albedo& albedo, const cv::Mat& inner)
      : gradients_(Gradients(albedo, inner)), pixels_(inner / 255) {}

  /// CV_8U, 0 and 255: what is seen. The artwork's own edge towards what is not seen is none of the
  /// print.
  static cv::Mat InnerPixels(const Albedo& albedo) {
    cv::Mat inner;
    cv::erode(AsMat(albedo.count) != 0, inner, cv::Mat::ones(5, 5, CV_8U));
    return inner;
  }

  static cv::Mat Gradients(const Albedo& albedo, const cv::Mat& inner) {
    cv::Mat values;
    AsMat(albedo.gradient).convertTo(values, CV_64F);
    values.setTo(0, inner == 0);
    return values;
  }

  SquareSums gradients_, pixels_;
};

/// The bin of an activity, 0 .. kActivityBins - 1 with a fraction: a logarithm that is linear
/// within each octave, so that it is the same everywhere.
/// @param first  up to which all is bin 0
float ActivityBin(double value, double first) {
  const double ratio = std::max(value / first, 1.0);
  int octave = 0;
  const double mantissa = std::frexp(ratio, &octave);  // 0.5..1
  const auto bins = static_cast<float>((octave - 1 + (2 * mantissa - 1)) / 2);
  return std::min(bins, static_cast<float>(kActivityBins - 1));
}

/// A table by the activity of a pixel and of what lies around it.
using BinTable = std::array<std::array<float, kActivityBins>, kActivityBins>;

/// Fills bins that are 0 with the mean of their neighbours that are not, again and again.
void FillEmptyBins(BinTable& table) {
  for (int round = 0; round < 2 * kActivityBins; ++round) {
    const BinTable before = table;
    for (int i = 0; i < kActivityBins; ++i) {
      for (int j = 0; j < kActivityBins; ++j) {
        if (before[i][j] != 0) continue;
        float sum = 0;
        int count = 0;
        for (const auto& [di, dj] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
          const int ni = i + di, nj = j + dj;
          if (ni < 0 || nj < 0 || ni >= kActivityBins || nj >= kActivityBins || before[ni][nj] == 0)
            continue;
          sum += before[ni][nj];
          ++count;
        }
        if (count > 0) table[i][j] = sum / static_cast<float>(count);
      }
    }
  }
}

struct ActivityBins {
  std::vector<float> near, wide;  // per pixel, in reading order
};

ActivityBins BinActivity(const Albedo& albedo, const EnergyNormalisationParams& params,
                         ThreadPool& pool) {
  const Size size = albedo.grey.size();
  const SpatialActivity activity(albedo);
  const double first = params.first_bin_gradient2 * kGradientUnit;
  ActivityBins bins;
  bins.near.resize(static_cast<std::size_t>(size.area()));
  bins.wide.resize(bins.near.size());
  ForRows(pool, size.height, [&](Rows rows) {
    std::size_t at = static_cast<std::size_t>(rows.begin) * static_cast<std::size_t>(size.width);
    for (int y = rows.begin; y < rows.end; ++y) {
      for (int x = 0; x < size.width; ++x, ++at) {
        bins.near[at] = ActivityBin(activity.At(x, y, params.near_radius_px), first);
        bins.wide[at] = ActivityBin(activity.At(x, y, params.wide_radius_px), first);
      }
    }
  });
  return bins;
}

/// Median response per bin.
BinTable Medians(const Plane& response, const ActivityBins& bins,
                 const EnergyNormalisationParams& params) {
  std::array<std::array<std::vector<std::int32_t>, kActivityBins>, kActivityBins> table;
  std::vector<std::int32_t> all;
  std::size_t at = 0;
  for (int y = 0; y < response.height(); ++y) {
    const auto* row = response.Row<std::int32_t>(y);
    for (int x = 0; x < response.width(); ++x, ++at) {
      if (row[x] == 0) continue;
      // NOLINTBEGIN(bugprone-incorrect-roundings): bins are not negative
      const auto i = static_cast<std::size_t>(bins.near[at] + 0.5F);
      const auto j = static_cast<std::size_t>(bins.wide[at] + 0.5F);
      // NOLINTEND(bugprone-incorrect-roundings)
      table[i][j].push_back(row[x]);
      all.push_back(row[x]);
    }
  }
  BinTable medians{};
  if (all.empty()) {
    for (auto& row : medians) row.fill(1);
    return medians;
  }
  const auto enough =
      static_cast<std::size_t>(params.min_bin_share * static_cast<double>(all.size())) + 1;
  const auto overall = static_cast<float>(UpperMedian(all));
  for (int i = 0; i < kActivityBins; ++i) {
    for (int j = 0; j < kActivityBins; ++j) {
      if (table[i][j].size() < enough) continue;
      const auto median = static_cast<float>(UpperMedian(table[i][j]));
      medians[i][j] =
          std::clamp(median, params.min_median_ratio * overall, params.max_median_ratio * overall);
    }
  }
  FillEmptyBins(medians);
  return medians;
}

/// The table at a place between bins.
float Bilinear(const BinTable& table, float near, float wide) {
  const int i = std::min(static_cast<int>(near), kActivityBins - 2);
  const int j = std::min(static_cast<int>(wide), kActivityBins - 2);
  const float s = near - static_cast<float>(i), t = wide - static_cast<float>(j);
  const float first = table[i][j] + t * (table[i][j + 1] - table[i][j]);
  const float second = table[i + 1][j] + t * (table[i + 1][j + 1] - table[i + 1][j]);
  return first + s * (second - first);
}

Plane Normalise(const Plane& response, const BinTable& medians, const ActivityBins& bins) {
  Plane out = Plane::Host(response.size(), PixelType::kS32);
  std::size_t at = 0;
  for (int y = 0; y < response.height(); ++y) {
    const auto* from = response.Row<std::int32_t>(y);
    auto* to = out.Row<std::int32_t>(y);
    for (int x = 0; x < response.width(); ++x, ++at) {
      const float expected = std::max(Bilinear(medians, bins.near[at], bins.wide[at]), 1.0F);
      const float units = static_cast<float>(from[x]) * kEnergyUnit / expected;
      to[x] = static_cast<std::int32_t>(std::min(units + 0.5F, 1e9F));
    }
  }
  return out;
}

}  // namespace

std::vector<Plane> NormaliseEnergy(std::span<const Plane> responses, const Albedo& albedo,
                                   const EnergyNormalisationParams& params, ThreadPool& pool) {
  const ActivityBins bins = BinActivity(albedo, params, pool);
  std::vector<Plane> units(responses.size());
  pool.ParallelFor(std::ssize(units), [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    units[i] = Normalise(responses[i], Medians(responses[i], bins, params), bins);
  });
  return units;
}

}  // namespace glint::photometric
