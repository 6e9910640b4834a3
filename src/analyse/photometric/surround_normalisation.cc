// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/surround_normalisation.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyse/photometric/energy_normalisation.h"
#include "base/for_rows.h"
#include "base/median.h"

namespace glint::photometric {
namespace {

constexpr int kRounds = 3;
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

/// Sums over squares of the evidence that counts, and of how many pixels do.
class SquareSums {
 public:
  explicit SquareSums(Size size)
      : size_(size),
        sums_(static_cast<std::size_t>(size.width)),
        counts_(sums_.size()),
        at_(sums_.size() + 1),
        count_at_(at_.size()) {}

  /// Adds a row to the columns, or takes it away. @param limit  of each pixel's evidence
  void Add(const std::int32_t* evidence, const std::int32_t* limit, int sign) {
    for (std::size_t x = 0; x < sums_.size(); ++x) {
      sums_[x] += std::int64_t{sign} * std::min(evidence[x], limit[x]);
      counts_[x] += evidence[x] > 0 ? sign : 0;
    }
  }

  /// The mean around each pixel of a row.
  void WriteMeans(int radius, std::int32_t* out) {
    for (std::size_t x = 0; x < sums_.size(); ++x) {
      at_[x + 1] = at_[x] + sums_[x];
      count_at_[x + 1] = count_at_[x] + counts_[x];
    }
    for (int x = 0; x < size_.width; ++x) {
      const auto left = static_cast<std::size_t>(std::max(x - radius, 0));
      const auto right = static_cast<std::size_t>(std::min(x + radius + 1, size_.width));
      const std::int64_t count = std::max<std::int64_t>(count_at_[right] - count_at_[left], 1);
      out[x] = static_cast<std::int32_t>((at_[right] - at_[left]) / count);
    }
  }

 private:
  Size size_;
  std::vector<std::int64_t> sums_, counts_;  // of columns
  std::vector<std::int64_t> at_, count_at_;  // up to a column
};

/// The mean around every pixel, of what is within the limits.
void MeanRows(const Plane& evidence, const Plane& limits, int radius, Rows rows,
              const Plane& means) {
  SquareSums sums(evidence.size());
  const auto add = [&](int y, int sign) {
    if (y < 0 || y >= evidence.height()) return;
    sums.Add(evidence.Row<std::int32_t>(y), limits.Row<std::int32_t>(y), sign);
  };
  for (int y = rows.begin - radius; y < rows.begin + radius; ++y) add(y, 1);
  for (int y = rows.begin; y < rows.end; ++y) {
    add(y + radius, 1);
    sums.WriteMeans(radius, means.Row<std::int32_t>(y));
    add(y - radius, -1);
  }
}

}  // namespace

Plane NormaliseBySurroundings(const Plane& evidence, const SurroundParams& params,
                              ThreadPool& pool) {
  const Size size = evidence.size();
  const std::int32_t median = MedianOf(evidence);
  const auto times = [](std::int64_t value, double factor) {
    return static_cast<std::int32_t>(value * std::llround(factor * kFraction) / kFraction);
  };
  Plane means = Plane::Host(size, PixelType::kS32);
  Plane limits = Plane::Host(size, PixelType::kS32);
  for (int round = 0; round < kRounds; ++round) {
    for (int y = 0; y < size.height; ++y) {
      const auto* mean = means.Row<std::int32_t>(y);
      auto* limit = limits.Row<std::int32_t>(y);
      for (int x = 0; x < size.width; ++x) {
        limit[x] = times(round == 0 ? times(median, 1.1) : mean[x], params.max_surround);
      }
    }
    Plane next = Plane::Host(size, PixelType::kS32);
    ForRows(pool, size.height,
            [&](Rows rows) { MeanRows(evidence, limits, params.radius_px, rows, next); });
    means = next;
  }
  const std::int32_t least = std::max(times(median, params.min_median_share), 1);
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
