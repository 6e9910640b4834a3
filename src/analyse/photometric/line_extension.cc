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
#include "analyse/photometric/line_ends.h"
#include "base/mat.h"

namespace glint::photometric {
namespace {

/// What was added at an end.
struct Continuation {
  StraightLine line;  // begins at 0
  double radians = 0;
  double score = 0;
};

/// What a line goes on with at one end.
struct Added {
  std::vector<cv::Point> shown;   ///< by the light
  std::vector<cv::Point> dashed;  ///< the way to dashes of paper, and these
};

class Follower {
 public:
  Follower(const LineGuides& guides, const LineExtensionParams& params)
      : guides_(guides), params_(params) {}

  /// @param length  of the line
  Added Follow(LineEnd end, double length) const {
    Added added;
    for (int step = 0; step < params_.max_steps; ++step) {
      if (const std::optional<Continuation> next = Next(end)) {
        end = GoTo(next->line, next->radians, added.shown);
        length += next->line.end;
        continue;
      }
      const StraightLine tip{
          .x = end.x, .y = end.y, .cosine = std::cos(end.radians), .sine = std::sin(end.radians)};
      const auto stretch = StretchToDash(tip, guides_.paper, guides_.dash_rows);
      if (!stretch || stretch->end > params_.max_dash_share * length) break;
      length += stretch->end;
      end = GoTo(*stretch, std::atan2(stretch->sine, stretch->cosine), added.dashed);
    }
    return added;
  }

 private:
  /// Adds a line's pixels. @return its end
  static LineEnd GoTo(const StraightLine& line, double radians, std::vector<cv::Point>& pixels) {
    for (int t = 1; t <= line.end; ++t) pixels.push_back(line.At(t));
    const cv::Point last = line.At(line.end);
    return {static_cast<double>(last.x), static_cast<double>(last.y), radians};
  }

  std::optional<Continuation> Next(const LineEnd& end) const {
    const int reach = *std::ranges::max_element(params_.lengths_px) + params_.beside_px + 2;
    const cv::Rect box = cv::Rect(static_cast<int>(end.x) - reach, static_cast<int>(end.y) - reach,
                                  2 * reach + 1, 2 * reach + 1) &
                         cv::Rect(0, 0, guides_.albedo.width(), guides_.albedo.height());
    const std::vector<cv::Mat> groups = guides_.response.Groups(box);
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
      guides_.response.AddEnergy(sums, length, 2 * beside, energy);
    }
    for (int shift = -params_.max_shift_px; shift <= params_.max_shift_px; ++shift) {
      const double score = guides_.response.ScoreOf(*(energy.begin() + beside + shift));
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
    const PrintAlong print = MeasurePrintAlong(line, 1, guides_.albedo, params_.print);
    return score >= params_.min_score * CostOf(print, params_.print);
  }

  const LineGuides& guides_;
  const LineExtensionParams& params_;
};

/// Adds what they go on with to lines, of which each has two ends.
class Adder {
 public:
  explicit Adder(Lines& lines) : lines_(lines) {
    lines_.extensions = Plane::Host(lines_.ids.size(), PixelType::kU8);
    AsMat(lines_.extensions).setTo(0);
  }

  void Add(std::int32_t id, const Added& added) {
    for (const cv::Point at : added.shown) Add(id, at);
    for (const cv::Point at : added.dashed) {
      if (Add(id, at) && !lines_.mask.empty()) AsMat(lines_.mask)(Around(at)).setTo(255);
    }
  }

 private:
  cv::Rect All() const { return {0, 0, lines_.ids.width(), lines_.ids.height()}; }
  cv::Rect Around(cv::Point at) const { return cv::Rect(at.x - 1, at.y - 1, 3, 3) & All(); }

  /// @return whether it is new there
  bool Add(std::int32_t id, cv::Point at) {
    if (!All().contains(at)) return false;
    std::int32_t& known = lines_.ids.Row<std::int32_t>(at.y)[at.x];
    if (known != 0) return false;
    known = id;
    lines_.extensions.Row<std::uint8_t>(at.y)[at.x] = 255;
    return true;
  }

  Lines& lines_;
};

}  // namespace

Lines ExtendLines(Lines lines, const LineGuides& guides, const LineExtensionParams& params,
                  ThreadPool& pool) {
  const std::vector<std::vector<cv::Point>> pixels = LinePixels(lines);
  const Follower follower(guides, params);
  std::vector<Added> added(2 * pixels.size());
  pool.ParallelFor(std::ssize(added), [&](std::int64_t i) {
    const auto line = static_cast<std::size_t>(i / 2);
    if (lines.paths[line].length < params.min_length_px || pixels[line].empty()) return;
    added[static_cast<std::size_t>(i)] = follower.Follow(
        EndOf(pixels[line], i % 2 == 0 ? 1 : -1, params.end_px), lines.paths[line].length);
  });
  Adder adder(lines);
  for (std::size_t i = 0; i < added.size(); ++i) {
    adder.Add(static_cast<std::int32_t>(i / 2) + 1, added[i]);
  }
  return lines;
}

}  // namespace glint::photometric
