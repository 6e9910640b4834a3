// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/line_extension.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <opencv2/core.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "analyse/photometric/found_lines.h"
#include "base/mat.h"

namespace glint::photometric {
namespace {

/// Where a line ends, and the direction in which it would go on.
struct LineEnd {
  double x = 0, y = 0;
  double radians = 0;
};

/// What was added at an end.
struct Continuation {
  StraightLine line;  // begins at 0
  double radians = 0;
  double score = 0;
};

/// The principal axis of points: their mean and a direction.
struct Axis {
  double x = 0, y = 0, cosine = 1, sine = 0;

  explicit Axis(const std::vector<cv::Point>& points) {
    const auto count = static_cast<double>(points.size());
    for (const cv::Point at : points) {
      x += at.x / count;
      y += at.y / count;
    }
    double xx = 0, xy = 0, yy = 0;
    for (const cv::Point at : points) {
      xx += (at.x - x) * (at.x - x);
      xy += (at.x - x) * (at.y - y);
      yy += (at.y - y) * (at.y - y);
    }
    const double radians = 0.5 * std::atan2(2 * xy, xx - yy);
    cosine = std::cos(radians);
    sine = std::sin(radians);
  }

  double Along(cv::Point at) const { return (at.x - x) * cosine + (at.y - y) * sine; }
};

/// The end of a line on one side of its axis. @param side  1 or -1
LineEnd EndOf(const std::vector<cv::Point>& pixels, int side, int end_px) {
  const Axis whole(pixels);
  const auto along = [&](cv::Point at) { return side * whole.Along(at); };
  const cv::Point last = *std::ranges::max_element(pixels, {}, along);
  std::vector<cv::Point> near;
  for (const cv::Point at : pixels) {
    if (along(at) >= along(last) - end_px) near.push_back(at);
  }
  const Axis axis(near);
  const double outwards = axis.cosine * whole.cosine + axis.sine * whole.sine >= 0 ? side : -side;
  return {.x = static_cast<double>(last.x),
          .y = static_cast<double>(last.y),
          .radians = std::atan2(outwards * axis.sine, outwards * axis.cosine)};
}

class Follower {
 public:
  Follower(const LineResponse& response, const Plane& albedo, const LineExtensionParams& params)
      : response_(response), albedo_(albedo), params_(params) {}

  /// The pixels that a line goes on with at one end.
  std::vector<cv::Point> Follow(LineEnd end) const {
    std::vector<cv::Point> pixels;
    for (int step = 0; step < params_.max_steps; ++step) {
      const std::optional<Continuation> next = Next(end);
      if (!next) break;
      for (int t = 1; t <= next->line.end; ++t) pixels.push_back(next->line.At(t));
      const cv::Point last = next->line.At(next->line.end);
      end = {static_cast<double>(last.x), static_cast<double>(last.y), next->radians};
    }
    return pixels;
  }

 private:
  std::optional<Continuation> Next(const LineEnd& end) const {
    const int reach = *std::ranges::max_element(params_.lengths_px) + params_.beside_px + 2;
    const cv::Rect box = cv::Rect(static_cast<int>(end.x) - reach, static_cast<int>(end.y) - reach,
                                  2 * reach + 1, 2 * reach + 1) &
                         cv::Rect(0, 0, albedo_.width(), albedo_.height());
    const std::vector<cv::Mat> groups = response_.Groups(box);
    std::optional<Continuation> best;
    for (int turn = -params_.max_turn_deg; turn <= params_.max_turn_deg;
         turn += params_.turn_step_deg) {
      for (const int length : params_.lengths_px) {
        TryLine(end, end.radians + turn * std::numbers::pi / 180, length, groups, box.tl(), best);
      }
    }
    return best;
  }

  /// Keeps the best of a line and of those that start beside it.
  void TryLine(const LineEnd& end, double radians, int length, const std::vector<cv::Mat>& groups,
               cv::Point corner, std::optional<Continuation>& best) const {
    const StraightLine line{.x = end.x,
                            .y = end.y,
                            .cosine = std::cos(radians),
                            .sine = std::sin(radians),
                            .begin = 0,
                            .end = length};
    const int beside = params_.beside_px;
    std::vector<float> energy(2 * static_cast<std::size_t>(beside) + 1);
    for (const cv::Mat& group : groups) {
      std::vector<float> sums;
      sums.reserve(energy.size());
      for (int across = -beside; across <= beside; ++across) {
        sums.push_back(SumAlong(line, across, group, corner));
      }
      response_.AddEnergy(sums, length, 2 * beside, energy);
    }
    for (int shift = -params_.max_shift_px; shift <= params_.max_shift_px; ++shift) {
      const double score = response_.ScoreOf(*(energy.begin() + beside + shift));
      if (score < params_.min_score || (best && score <= best->score)) continue;
      StraightLine moved = line;
      moved.x -= shift * line.sine;
      moved.y += shift * line.cosine;
      if (IsLine(moved, score)) best = {moved, radians, score};
    }
  }

  static float SumAlong(const StraightLine& line, int across, const cv::Mat& group,
                        cv::Point corner) {
    float sum = 0;
    const cv::Rect inside({0, 0}, group.size());
    for (int t = 2; t <= line.end; ++t) {
      const cv::Point at = line.At(t, across) - corner;
      sum += inside.contains(at) ? group.at<float>(at) : std::numeric_limits<float>::quiet_NaN();
    }
    return sum;
  }

  bool IsLine(const StraightLine& line, double score) const {
    const PrintAlong print = MeasurePrintAlong(line, 1, albedo_, params_.print);
    return score >= params_.min_score * CostOf(print, params_.print);
  }

  const LineResponse& response_;
  const Plane& albedo_;
  const LineExtensionParams& params_;
};

/// The pixels of each line.
std::vector<std::vector<cv::Point>> PixelsOf(const Lines& lines) {
  std::vector<std::vector<cv::Point>> pixels(lines.paths.size());
  for (int y = 0; y < lines.ids.height(); ++y) {
    const auto* row = lines.ids.Row<std::int32_t>(y);
    for (int x = 0; x < lines.ids.width(); ++x) {
      if (row[x] != 0) pixels[static_cast<std::size_t>(row[x] - 1)].emplace_back(x, y);
    }
  }
  return pixels;
}

}  // namespace

Lines ExtendLines(Lines lines, const LineResponse& response, const Plane& albedo,
                  const LineExtensionParams& params, ThreadPool& pool) {
  const std::vector<std::vector<cv::Point>> pixels = PixelsOf(lines);
  const Follower follower(response, albedo, params);
  std::vector<std::vector<cv::Point>> added(2 * pixels.size());
  pool.ParallelFor(std::ssize(added), [&](std::int64_t i) {
    const auto line = static_cast<std::size_t>(i / 2);
    if (lines.paths[line].length < params.min_length_px || pixels[line].empty()) return;
    added[static_cast<std::size_t>(i)] =
        follower.Follow(EndOf(pixels[line], i % 2 == 0 ? 1 : -1, params.end_px));
  });
  lines.extensions = Plane::Host(lines.ids.size(), PixelType::kU8);
  AsMat(lines.extensions).setTo(0);
  for (std::size_t i = 0; i < added.size(); ++i) {
    for (const cv::Point at : added[i]) {
      if (at.x < 0 || at.y < 0 || at.x >= lines.ids.width() || at.y >= lines.ids.height()) continue;
      std::int32_t& id = lines.ids.Row<std::int32_t>(at.y)[at.x];
      if (id != 0) continue;
      id = static_cast<std::int32_t>(i / 2) + 1;
      lines.extensions.Row<std::uint8_t>(at.y)[at.x] = 255;
    }
  }
  return lines;
}

}  // namespace glint::photometric
