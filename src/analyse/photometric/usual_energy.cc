// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/usual_energy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "base/mat.h"
#include "stages/cpu/photometric_input.h"

namespace glint::photometric {
namespace {

constexpr int kNear = 2, kAround = 8;  // px: the line filter's width, and a transform block's
constexpr int kSteps = 8;              // of business, two octaves of squared gradient each
constexpr double kFirstStep = 0.0625 * 16384;  // squared gradient, (1/128 grey per pixel)^2
constexpr double kMinShare = 0.01;         // of the pixels: smaller cells follow their neighbours
constexpr float kMin = 0.5F, kMax = 2.5F;  // of a cell's median, over that of all pixels

/// Mean squared gradient around each pixel, over the pixels that are seen; exact.
class Business {
 public:
  explicit Business(const Artwork& artwork) {
    // The artwork's own edge towards what is not seen is none of the print.
    cv::Mat seen;
    cv::erode(AsMat(artwork.count) != 0, seen, cv::Mat::ones(5, 5, CV_8U));
    cv::Mat values;
    AsMat(artwork.gradient).convertTo(values, CV_64F);
    values.setTo(0, seen == 0);
    cv::integral(values, sums_, CV_64F);  // integers below 2^53
    cv::integral(seen / 255, counts_, CV_32S);
  }

  double At(int x, int y, int reach) const {
    const int left = std::max(x - reach, 0), right = std::min(x + reach + 1, sums_.cols - 1);
    const int top = std::max(y - reach, 0), bottom = std::min(y + reach + 1, sums_.rows - 1);
    const auto over = [&]<class T>(const cv::Mat& table, T) {
      const T* low = table.ptr<T>(bottom);
      const T* high = table.ptr<T>(top);
      return (low[right] - low[left]) - (high[right] - high[left]);
    };
    return over(sums_, 0.0) / std::max(over(counts_, 0), 1);
  }

 private:
  cv::Mat sums_, counts_;
};

/// Steps of business below a value, 0 .. kSteps - 1 with a fraction: a logarithm that is linear
/// within each octave, so that it is the same everywhere.
float InSteps(double value) {
  const double ratio = std::max(value / kFirstStep, 1.0);
  int octave = 0;
  const double mantissa = std::frexp(ratio, &octave);  // 0.5..1
  const auto steps = static_cast<float>((octave - 1 + (2 * mantissa - 1)) / 2);
  return std::min(steps, static_cast<float>(kSteps - 1));
}

/// A table by the business of a pixel and of what lies around it.
using Cells = std::array<std::array<float, kSteps>, kSteps>;

/// Fills cells that are 0 with the mean of their neighbours that are not, again and again.
void FillGaps(Cells& cells) {
  for (int round = 0; round < 2 * kSteps; ++round) {
    const Cells before = cells;
    for (int i = 0; i < kSteps; ++i) {
      for (int j = 0; j < kSteps; ++j) {
        if (before[i][j] != 0) continue;
        float sum = 0;
        int count = 0;
        for (const auto& [di, dj] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
          const int ni = i + di, nj = j + dj;
          if (ni < 0 || nj < 0 || ni >= kSteps || nj >= kSteps || before[ni][nj] == 0) continue;
          sum += before[ni][nj];
          ++count;
        }
        if (count > 0) cells[i][j] = sum / static_cast<float>(count);
      }
    }
  }
}

std::int32_t Median(std::vector<std::int32_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

struct Steps {
  std::vector<float> near, around;  // per pixel, in reading order
};

Steps StepsOf(const Artwork& artwork, ThreadPool& pool) {
  const Size size = artwork.grey.size();
  const Business business(artwork);
  Steps steps;
  steps.near.resize(static_cast<std::size_t>(size.area()));
  steps.around.resize(steps.near.size());
  ForRows(pool, size.height, [&](Rows rows) {
    std::size_t at = static_cast<std::size_t>(rows.begin) * static_cast<std::size_t>(size.width);
    for (int y = rows.begin; y < rows.end; ++y) {
      for (int x = 0; x < size.width; ++x, ++at) {
        steps.near[at] = InSteps(business.At(x, y, kNear));
        steps.around[at] = InSteps(business.At(x, y, kAround));
      }
    }
  });
  return steps;
}

/// Median response per cell.
Cells Medians(const Plane& response, const Steps& steps) {
  std::array<std::array<std::vector<std::int32_t>, kSteps>, kSteps> cells;
  std::vector<std::int32_t> all;
  std::size_t at = 0;
  for (int y = 0; y < response.height(); ++y) {
    const auto* row = response.Row<std::int32_t>(y);
    for (int x = 0; x < response.width(); ++x, ++at) {
      if (row[x] == 0) continue;
      // NOLINTBEGIN(bugprone-incorrect-roundings): steps are not negative
      const auto i = static_cast<std::size_t>(steps.near[at] + 0.5F);
      const auto j = static_cast<std::size_t>(steps.around[at] + 0.5F);
      // NOLINTEND(bugprone-incorrect-roundings)
      cells[i][j].push_back(row[x]);
      all.push_back(row[x]);
    }
  }
  Cells medians{};
  if (all.empty()) {
    for (auto& row : medians) row.fill(1);
    return medians;
  }
  const auto enough = static_cast<std::size_t>(kMinShare * static_cast<double>(all.size())) + 1;
  const auto overall = static_cast<float>(Median(all));
  for (int i = 0; i < kSteps; ++i) {
    for (int j = 0; j < kSteps; ++j) {
      if (cells[i][j].size() < enough) continue;
      const auto median = static_cast<float>(Median(cells[i][j]));
      medians[i][j] = std::clamp(median, kMin * overall, kMax * overall);
    }
  }
  FillGaps(medians);
  return medians;
}

/// Between the four cells around.
float Between(const Cells& cells, float near, float around) {
  const int i = std::min(static_cast<int>(near), kSteps - 2);
  const int j = std::min(static_cast<int>(around), kSteps - 2);
  const float s = near - static_cast<float>(i), t = around - static_cast<float>(j);
  const float first = cells[i][j] + t * (cells[i][j + 1] - cells[i][j]);
  const float second = cells[i + 1][j] + t * (cells[i + 1][j + 1] - cells[i + 1][j]);
  return first + s * (second - first);
}

Plane InMedians(const Plane& response, const Cells& medians, const Steps& steps) {
  Plane out = Plane::Host(response.size(), PixelType::kS32);
  std::size_t at = 0;
  for (int y = 0; y < response.height(); ++y) {
    const auto* from = response.Row<std::int32_t>(y);
    auto* to = out.Row<std::int32_t>(y);
    for (int x = 0; x < response.width(); ++x, ++at) {
      const float usual = std::max(Between(medians, steps.near[at], steps.around[at]), 1.0F);
      const float units = static_cast<float>(from[x]) * kEnergyUnit / usual;
      to[x] = static_cast<std::int32_t>(std::min(units + 0.5F, 1e9F));
    }
  }
  return out;
}

}  // namespace

std::vector<Plane> InUsualUnits(std::span<const Plane> responses, const Artwork& artwork,
                                ThreadPool& pool) {
  const Steps steps = StepsOf(artwork, pool);
  std::vector<Plane> units(responses.size());
  pool.ParallelFor(std::ssize(units), [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    units[i] = InMedians(responses[i], Medians(responses[i], steps), steps);
  });
  return units;
}

}  // namespace glint::photometric
