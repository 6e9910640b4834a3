// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/print/paper_streaks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "base/for_rows.h"
#include "base/mat.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// What a streak shows, summed over its length, times two.
struct Contrast {
  std::int32_t brightness;  // over its brighter side
  std::int32_t step;        // from side to side
};

/// Where a streak of one direction is sampled, as offsets into a padded plane.
struct Places {
  std::vector<std::ptrdiff_t> along;
  std::array<std::ptrdiff_t, 2> left{}, right{};

  Places(int direction, std::ptrdiff_t stride, const StreakParams& params) {
    const double angle = CV_PI * direction / kDirections;
    const auto offset = [&](int along_px, int across_px) {
      const double x = along_px * std::cos(angle) - across_px * std::sin(angle);
      const double y = along_px * std::sin(angle) + across_px * std::cos(angle);
      return std::lround(y) * stride + std::lround(x);
    };
    for (int a = -params.along_px; a <= params.along_px; ++a) along.push_back(offset(a, 0));
    for (std::size_t i = 0; i < left.size(); ++i) {
      const int away = params.side_px + static_cast<int>(i);
      left[i] = offset(0, -away);
      right[i] = offset(0, away);
    }
  }

  Contrast ContrastAt(const std::int16_t* at) const {
    std::int32_t streak = 0, one = 0, other = 0;
    for (const std::ptrdiff_t step : along) {
      const std::int16_t* here = at + step;
      streak += 2 * here[0];
      one += here[left[0]] + here[left[1]];
      other += here[right[0]] + here[right[1]];
    }
    return {streak - std::max(one, other), std::abs(one - other)};
  }
};

}  // namespace

Plane FindPaperStreaks(const Plane& albedo, const StreakParams& params, ThreadPool& pool) {
  const int margin = params.side_px + params.along_px + 3;
  cv::Mat padded;
  cv::copyMakeBorder(AsMat(albedo), padded, margin, margin, margin, margin, cv::BORDER_REPLICATE);
  std::vector<Places> places;
  places.reserve(kDirections);
  for (int direction = 0; direction < kDirections; ++direction) {
    places.emplace_back(direction, static_cast<std::ptrdiff_t>(padded.step1()), params);
  }
  const double unit = 2.0 * (2 * params.along_px + 1) * kGrey;  // of Contrast, a grey value
  const auto least = static_cast<std::int32_t>(std::lround(unit * params.min_grey));
  Plane streaks = Plane::Host(albedo.size(), PixelType::kU8);
  ForRows(pool, albedo.height(), [&](Rows rows) {
    for (int y = rows.begin; y < rows.end; ++y) {
      const auto* from = padded.ptr<std::int16_t>(y + margin) + margin;
      auto* to = streaks.Row<std::uint8_t>(y);
      for (int x = 0; x < albedo.width(); ++x) {
        Contrast most{least, 0};
        std::uint8_t brightest = 0;
        for (std::size_t d = 0; d < places.size(); ++d) {
          const Contrast contrast = places[d].ContrastAt(from + x);
          if (contrast.brightness <= most.brightness) continue;
          most = contrast;
          brightest = static_cast<std::uint8_t>(d + 1);
        }
        const double most_step =
            std::max(params.max_side_share * most.brightness, unit * params.max_side_grey);
        to[x] = most.step <= most_step ? brightest : 0;
      }
    }
  });
  return streaks;
}

std::uint16_t DirectionsNear(double radians, double max_turn_steps) {
  const double steps = radians / std::numbers::pi * kDirections;
  std::uint16_t near = 0;
  for (int direction = 0; direction < kDirections; ++direction) {
    const double turn = std::abs(std::remainder(direction - steps, kDirections));
    if (turn <= max_turn_steps) near |= static_cast<std::uint16_t>(1 << direction);
  }
  return near;
}

}  // namespace glint::photometric
