// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/folds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "base/host_call.h"
#include "base/mat.h"
#include "base/status_macros.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// From a pixel of one line across to another line.
struct Bridge {
  cv::Point from, to;
};

/// Two lines; the one with the smaller id first.
using Pair = std::pair<std::int32_t, std::int32_t>;

/// Bridges between lines, how long they are, and how many pixels of each of the two they begin at.
struct Bridges {
  std::vector<Bridge> all;
  std::vector<int> lengths;
  std::int64_t of_first = 0, of_second = 0;
};

/// A pixel of another line that runs the same way, at or beside a place across from a pixel.
std::int32_t OtherLineAt(const Plane& ids, const Plane& direction, cv::Point at, std::int32_t own,
                         int angle, int max_turn) {
  for (int y = std::max(at.y - 1, 0); y <= std::min(at.y + 1, ids.height() - 1); ++y) {
    const auto* row = ids.Row<std::int32_t>(y);
    const auto* angles = direction.Row<std::uint8_t>(y);
    for (int x = std::max(at.x - 1, 0); x <= std::min(at.x + 1, ids.width() - 1); ++x) {
      if (row[x] == 0 || row[x] == own) continue;
      const int turn = std::abs(angles[x] % kDirections - angle);
      if (std::min(turn, kDirections - turn) <= max_turn) return row[x];
    }
  }
  return 0;
}

/// Whether two lines lie beside each other all along, at one distance.
bool RunBeside(const Bridges& bridges, double of_shorter, double shorter,
               const FoldParams& params) {
  if (of_shorter < params.beside_share * shorter) return false;
  std::vector<int> lengths = bridges.lengths;
  std::ranges::sort(lengths);
  const std::size_t trimmed =
      lengths.size() * static_cast<std::size_t>(params.trimmed_percent) / 100;
  return lengths[lengths.size() - 1 - trimmed] - lengths[trimmed] <= params.max_unevenness_px;
}

/// Looks across a line, on both sides of each of its pixels, for another.
std::map<Pair, Bridges> FindBridges(const Plane& ids, const Plane& direction,
                                    const FoldParams& params) {
  std::map<Pair, Bridges> bridges;
  const cv::Rect inside(0, 0, ids.width(), ids.height());
  for (int y = 0; y < ids.height(); ++y) {
    const auto* row = ids.Row<std::int32_t>(y);
    for (int x = 0; x < ids.width(); ++x) {
      const std::int32_t own = row[x];
      if (own == 0) continue;
      const int angle = direction.Row<std::uint8_t>(y)[x] % kDirections;
      for (const int side : {-1, 1}) {
        for (int distance = params.min_distance_px; distance <= params.max_distance_px;
             ++distance) {
          const BilinearTap place = AcrossLine(angle, side * distance);
          const cv::Point at(x + place.x, y + place.y);
          if (!inside.contains(at)) break;
          const std::int32_t other =
              OtherLineAt(ids, direction, at, own, angle, params.same_direction_steps);
          if (other == 0) continue;
          Bridges& found = bridges[std::minmax(own, other)];
          found.all.push_back({{x, y}, at});
          found.lengths.push_back(distance);
          ++(own < other ? found.of_first : found.of_second);
          break;
        }
      }
    }
  }
  return bridges;
}

std::vector<std::int64_t> PixelsOf(const Plane& ids, std::size_t lines) {
  std::vector<std::int64_t> pixels(lines);
  for (int y = 0; y < ids.height(); ++y) {
    const auto* row = ids.Row<std::int32_t>(y);
    for (int x = 0; x < ids.width(); ++x) {
      if (row[x] != 0) ++pixels[static_cast<std::size_t>(row[x] - 1)];
    }
  }
  return pixels;
}

/// Correlation over the views of how two lines show; 0 where nothing is known.
double Correlation(std::span<const std::vector<LineVisibility>> views, std::size_t a,
                   std::size_t b) {
  double n = 0, sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
  for (const auto& view : views) {
    if (view[a].pixels == 0 || view[b].pixels == 0) continue;
    const double x = view[a].Mean(), y = view[b].Mean();
    n += 1;
    sum_a += x;
    sum_b += y;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  const double spread = (n * aa - sum_a * sum_a) * (n * bb - sum_b * sum_b);
  return spread > 0 ? (n * ab - sum_a * sum_b) / std::sqrt(spread) : 0;
}

Plane Fill(const Plane& ids, const Plane& direction,
           std::span<const std::vector<LineVisibility>> views, const FoldParams& params) {
  cv::Mat mask(ids.height(), ids.width(), CV_8U, cv::Scalar(0));
  const std::size_t lines = views.empty() ? 0 : views[0].size();
  const std::vector<std::int64_t> pixels = PixelsOf(ids, lines);
  for (const auto& [pair, bridges] : FindBridges(ids, direction, params)) {
    const auto first = static_cast<std::size_t>(pair.first - 1);
    const auto second = static_cast<std::size_t>(pair.second - 1);
    const bool second_shorter = pixels[second] < pixels[first];
    const auto beside = static_cast<double>(second_shorter ? bridges.of_second : bridges.of_first);
    const auto shorter = static_cast<double>(second_shorter ? pixels[second] : pixels[first]);
    if (!RunBeside(bridges, beside, shorter, params)) continue;
    if (Correlation(views, first, second) > params.max_correlation) continue;
    for (const Bridge& bridge : bridges.all) {
      cv::line(mask, bridge.from, bridge.to, cv::Scalar(255), 2);
    }
  }
  cv::morphologyEx(mask, mask, cv::MORPH_CLOSE, cv::Mat::ones(3, 3, CV_8U));
  return AsPlane(mask);
}

}  // namespace

absl::StatusOr<Plane> FillFolds(const Plane& ids, const Plane& direction,
                                std::span<const std::vector<LineVisibility>> views,
                                const FoldParams& params) {
  Plane mask;
  GLINT_RETURN_IF_ERROR(HostCall("lines", [&] { mask = Fill(ids, direction, views, params); }));
  return mask;
}

}  // namespace glint::photometric
