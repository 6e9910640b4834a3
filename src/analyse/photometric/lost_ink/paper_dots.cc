// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/paper_dots.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>

#include "base/for_rows.h"
#include "base/rounding.h"

namespace glint::photometric {
namespace {

/// What lies around a dot: the pixels at those distances.
std::vector<cv::Point> Around(const PaperDotParams& params) {
  const int reach = std::ranges::max(params.around_px);
  std::vector<cv::Point> around;
  for (int dy = -reach; dy <= reach; ++dy) {
    for (int dx = -reach; dx <= reach; ++dx) {
      const int away = RoundToInt(std::hypot(dx, dy));
      if (std::ranges::find(params.around_px, away) != params.around_px.end()) {
        around.emplace_back(dx, dy);
      }
    }
  }
  return around;
}

class DotJudge {
 public:
  DotJudge(const cv::Mat& colour, const cv::Mat& whiteness, int paper, const PaperDotParams& params)
      : colour_(colour),
        whiteness_(whiteness),
        paper_(paper),
        params_(params),
        around_(Around(params)) {}

  bool IsDot(cv::Point at) const {
    const int own = WhitenessAt(at);
    int whitest = 0;
    for (const cv::Point away : around_) {
      whitest = std::max(whitest, WhitenessAt(at + away));
      if (own - whitest < params_.min_grey) return false;
    }
    const int ink = paper_ - whitest;
    return ink >= params_.min_ink_grey && own - whitest >= params_.min_lost_share * ink &&
           IsWhitest(at) && IsPaper(at);
  }

 private:
  int WhitenessAt(cv::Point at) const { return whiteness_.at<std::uint8_t>(at); }

  /// Of its neighbours: of equals the first.
  bool IsWhitest(cv::Point at) const {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const bool is_before = dy < 0 || (dy == 0 && dx < 0);
        const int other = WhitenessAt(at + cv::Point(dx, dy));
        if (is_before ? other >= WhitenessAt(at) : other > WhitenessAt(at)) return false;
      }
    }
    return true;
  }

  bool IsPaper(cv::Point at) const {
    cv::Vec3i sum(0, 0, 0);
    for (const cv::Point away : around_) sum += cv::Vec3i(colour_.at<cv::Vec3b>(at + away));
    const cv::Vec3b own = colour_.at<cv::Vec3b>(at);
    for (int channel = 0; channel < 3; ++channel) {
      const double mean = static_cast<double>(sum[channel]) / static_cast<double>(around_.size());
      if (own[channel] < mean - params_.max_channel_drop) return false;
    }
    return true;
  }

  const cv::Mat& colour_;
  const cv::Mat& whiteness_;
  int paper_;
  const PaperDotParams& params_;
  std::vector<cv::Point> around_;
};

/// Where a dot lies, seen from a line's point. Pixels.
struct Place {
  double along = 0, across = 0;
};

Place PlaceOn(const StraightLine& line, cv::Point dot) {
  const double dx = dot.x - line.x, dy = dot.y - line.y;
  return {.along = dx * line.cosine + dy * line.sine, .across = dy * line.cosine - dx * line.sine};
}

/// Whether something so far along lies between a row's ends, both included.
bool IsAlong(const StraightLine& row, double along) { return along > 1 && along <= row.end + 0.5; }

/// Looks for rows of dots ahead of a line's end.
class RowFinder {
 public:
  RowFinder(const StraightLine& tip, const std::vector<cv::Point>& dots, cv::Size size,
            const DotRowParams& params)
      : tip_(tip), size_(size), params_(params), dots_(dots) {}

  std::optional<StraightLine> Find() const {
    std::optional<StraightLine> best;
    double least = params_.max_by_chance;
    for (const cv::Point far : dots_) {
      if (!IsAhead(far)) continue;
      const StraightLine row = RowTo(far);
      const auto on = DotsOn(row);
      if (!HangTogether(on) || IsOneOfMany(row, std::ssize(on))) continue;
      const double chance = ByChance(row, std::ssize(on));
      if (chance > least) continue;
      least = chance;
      best = row;
    }
    return best;
  }

 private:
  /// How far to the side a row may lie, so far along.
  double Reach(double along) const {
    return params_.end_offset_px + along * std::tan(params_.end_turn_deg * std::numbers::pi / 180);
  }

  bool IsAhead(cv::Point dot) const {
    const Place at = PlaceOn(tip_, dot);
    return at.along > 1 && at.along <= params_.max_length_px &&
           std::abs(at.across) <= Reach(at.along);
  }

  StraightLine RowTo(cv::Point far) const {
    const double dx = far.x - tip_.x, dy = far.y - tip_.y, length = std::hypot(dx, dy);
    return {.x = tip_.x,
            .y = tip_.y,
            .cosine = dx / length,
            .sine = dy / length,
            .begin = 0,
            .end = RoundToInt(length)};
  }

  /// How far along a row the dots on it lie, in their order.
  std::vector<double> DotsOn(const StraightLine& row) const {
    std::vector<double> on;
    for (const cv::Point dot : dots_) {
      const Place at = PlaceOn(row, dot);
      if (IsAlong(row, at.along) && std::abs(at.across) <= params_.max_offset_px) {
        on.push_back(at.along);
      }
    }
    std::ranges::sort(on);
    return on;
  }

  bool HangTogether(const std::vector<double>& on) const {
    double last = 0;
    for (const double along : on) {
      if (along - last > params_.max_gap_px) return false;
      last = along;
    }
    return std::ssize(on) >= params_.min_dots;
  }

  /// Whether a parallel has as many dots: they are a pattern of the print.
  bool IsOneOfMany(const StraightLine& row, std::ptrdiff_t on) const {
    std::vector<double> beside;  // how far from the row
    for (const cv::Point dot : dots_) {
      const Place at = PlaceOn(row, dot);
      const double away = std::abs(at.across);
      if (IsAlong(row, at.along) && away > params_.max_offset_px && away <= params_.nearby_px) {
        beside.push_back(at.across);
      }
    }
    std::ranges::sort(beside);
    for (auto first = beside.begin(), last = first; last != beside.end(); ++last) {
      while (*last - *first > 2 * params_.max_offset_px) ++first;
      if (last - first + 1 >= on) return true;
    }
    return false;
  }

  /// Dots on a pixel, as many as there are nearby without those of the row, or in all.
  double Density(const StraightLine& row, std::ptrdiff_t on) const {
    const cv::Point middle = row.At(row.end / 2);
    const int reach = params_.nearby_px;
    const cv::Rect box =
        cv::Rect(middle.x - reach, middle.y - reach, 2 * reach + 1, 2 * reach + 1) &
        cv::Rect({}, size_);
    const auto nearby = std::ranges::count_if(dots_, [&](cv::Point d) { return box.contains(d); });
    const double area = std::max(static_cast<double>(box.area()), 1.0);
    return std::max(static_cast<double>(nearby - on) / area,
                    static_cast<double>(dots_.size()) / static_cast<double>(size_.area()));
  }

  /// How many rows of at least so many dots there would be ahead, no longer than a certain one.
  double ByChance(const StraightLine& row, std::ptrdiff_t on) const {
    const double width = 2 * params_.max_offset_px;
    const double rows = std::max(2 * Reach(row.end) / width, 1.0);
    const double expected = Density(row, on) * width * row.end;
    double term = std::exp(-expected), fewer = 0;  // of Poisson's distribution
    for (std::ptrdiff_t dots = 0; dots < on; ++dots) {
      fewer += term;
      term *= expected / static_cast<double>(dots + 1);
    }
    return rows * std::max(1 - fewer, term);
  }

  const StraightLine& tip_;
  cv::Size size_;
  const DotRowParams& params_;
  const std::vector<cv::Point>& dots_;
};

}  // namespace

std::vector<cv::Point> FindPaperDots(const cv::Mat& colour, const cv::Mat& whiteness,
                                     const cv::Mat& surface, int paper,
                                     const PaperDotParams& params, ThreadPool& pool) {
  const DotJudge judge(colour, whiteness, paper, params);
  const int margin = std::max(params.rim_px, std::ranges::max(params.around_px));
  std::vector<std::vector<cv::Point>> found(static_cast<std::size_t>(whiteness.rows));
  ForRows(pool, whiteness.rows, [&](Rows rows) {
    for (int y = std::max(rows.begin, margin); y < std::min(rows.end, whiteness.rows - margin);
         ++y) {
      for (int x = margin; x < whiteness.cols - margin; ++x) {
        const cv::Point at(x, y);
        if (surface.at<std::uint8_t>(at) == 0 || !judge.IsDot(at)) continue;
        found[static_cast<std::size_t>(y)].push_back(at);
      }
    }
  });
  std::vector<cv::Point> dots;
  for (const auto& row : found) dots.insert(dots.end(), row.begin(), row.end());
  return dots;
}

std::optional<StraightLine> StretchOverDots(const StraightLine& tip,
                                            const std::vector<cv::Point>& dots, cv::Size size,
                                            const DotRowParams& params) {
  return RowFinder(tip, dots, size, params).Find();
}

}  // namespace glint::photometric
