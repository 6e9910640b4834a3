// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/rim_ticks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <opencv2/core.hpp>

#include "analyse/photometric/pixels/masks.h"

namespace glint::photometric {
namespace {

/// The strongest line that starts at a place of the rim.
struct Candidate {
  int along;
  int length = 0;
  double radians = 0;  // from straight inwards
  double energy = 0;   // LineResponse, summed over the groups
};

class SideSearch {
 public:
  SideSearch(Side side, const LineResponse& response, const Plane& albedo,
             const RimTickParams& params)
      : side_(side),
        response_(response),
        albedo_(albedo),
        params_(params),
        size_(albedo.width(), albedo.height()),
        length_(LengthOf(side, size_)),
        depth_(std::min(params.start_px + *std::ranges::max_element(params.lengths_px),
                        DepthOf(side, size_))) {}

  std::vector<FoundLine> Run() const {
    const std::vector<cv::Mat> groups = Groups();
    const std::vector<bool> shaded = Shaded(groups);
    std::vector<Candidate> best;
    best.reserve(static_cast<std::size_t>(length_));
    for (int along = 0; along < length_; ++along) best.push_back({.along = along});
    for (int turn = -params_.max_turn_deg; turn <= params_.max_turn_deg;
         turn += params_.turn_step_deg) {
      TryTurn(turn * std::numbers::pi / 180, groups, best);
    }
    return Choose(std::move(best), groups, shaded);
  }

 private:
  cv::Point At(int along, int deep) const { return photometric::At(side_, along, deep, size_); }

  /// The groups along the side: a row per pixel of depth, a column per place of the rim.
  std::vector<cv::Mat> Groups() const {
    const cv::Point begin = At(0, 0), end = At(length_ - 1, depth_ - 1);
    const cv::Rect box(cv::Point(std::min(begin.x, end.x), std::min(begin.y, end.y)),
                       cv::Point(std::max(begin.x, end.x) + 1, std::max(begin.y, end.y) + 1));
    std::vector<cv::Mat> groups = response_.Groups(box);
    for (cv::Mat& group : groups) {
      cv::Mat turned(depth_, length_, CV_32F);
      for (int deep = 0; deep < depth_; ++deep) {
        for (int along = 0; along < length_; ++along) {
          turned.at<float>(deep, along) = group.at<float>(At(along, deep) - box.tl());
        }
      }
      group = turned;
    }
    return groups;
  }

  /// Where the shadow of what covers the rim may fall: beside each stretch that most groups do not
  /// show. It moves with the lamp, and its edge runs inwards as a tick does.
  std::vector<bool> Shaded(const std::vector<cv::Mat>& groups) const {
    const int deep = std::min(params_.start_px, depth_ - 1);
    const auto is_covered = [&](int along) {
      const auto covered = std::ranges::count_if(
          groups, [&](const cv::Mat& group) { return std::isnan(group.at<float>(deep, along)); });
      return 2 * covered > std::ssize(groups);
    };
    std::vector<bool> shaded(static_cast<std::size_t>(length_));
    for (int begin = 0; begin < length_; ++begin) {
      int end = begin;
      while (end < length_ && is_covered(end)) ++end;
      const int reach = static_cast<int>(params_.shadow_share * (end - begin));
      for (int i = std::max(begin - reach, 0); i < std::min(end + reach, length_); ++i) {
        shaded[static_cast<std::size_t>(i)] = true;
      }
      begin = end;
    }
    return shaded;
  }

  /// Adds the residuals of one more pixel of the lines from every place of the rim.
  void Extend(const cv::Mat& group, double radians, int t, std::vector<float>& sums) const {
    const int deep = params_.start_px + static_cast<int>(std::lround(t * std::cos(radians)));
    const int shift = static_cast<int>(std::lround(t * std::sin(radians)));
    for (int along = 0; along < length_; ++along) {
      const int to = along + shift;
      const bool inside = deep < depth_ && to >= 0 && to < length_;
      sums[static_cast<std::size_t>(along)] +=
          inside ? group.at<float>(deep, to) : std::numeric_limits<float>::quiet_NaN();
    }
  }

  void TryTurn(double radians, const std::vector<cv::Mat>& groups,
               std::vector<Candidate>& best) const {
    const std::vector<float> none(static_cast<std::size_t>(length_));
    std::vector<std::vector<float>> sums(groups.size(), none);
    int reached = 0;
    for (const int length : params_.lengths_px) {
      if (length > params_.max_length_share * DepthOf(side_, size_)) continue;
      std::vector<float> energy = none;
      for (std::size_t group = 0; group < groups.size(); ++group) {
        for (int t = reached; t < length; ++t) Extend(groups[group], radians, t, sums[group]);
        response_.AddEnergy(sums[group], length, {.beside = params_.beside_px}, energy);
      }
      reached = std::max(reached, length);
      for (Candidate& candidate : best) {
        const double found = energy[static_cast<std::size_t>(candidate.along)];
        if (found > candidate.energy) candidate = {candidate.along, length, radians, found};
      }
    }
  }

  /// The line in the object, from the rim to its end; it is 0 where the search began.
  StraightLine LineOf(const Candidate& candidate) const {
    const cv::Point start = At(candidate.along, std::min(params_.start_px, depth_ - 1));
    const cv::Point inwards = At(0, 1) - At(0, 0), aside = At(1, 0) - At(0, 0);
    const double cosine = std::cos(candidate.radians), sine = std::sin(candidate.radians);
    return {.x = static_cast<double>(start.x),
            .y = static_cast<double>(start.y),
            .cosine = inwards.x * cosine + aside.x * sine,
            .sine = inwards.y * cosine + aside.y * sine,
            .begin = -static_cast<int>(params_.start_px / cosine),
            .end = candidate.length - 1};
  }

  /// The score of the first or the second third of a line, whichever is more.
  double StartScore(const Candidate& candidate, const std::vector<cv::Mat>& groups) const {
    const std::vector<float> none(static_cast<std::size_t>(length_));
    const int third = std::max(candidate.length / 3, 1);
    double most = 0;
    for (const int from : {0, third}) {
      std::vector<float> energy = none;
      for (const cv::Mat& group : groups) {
        std::vector<float> sums = none;
        for (int t = from; t < from + third; ++t) Extend(group, candidate.radians, t, sums);
        response_.AddEnergy(sums, third, {.beside = params_.beside_px}, energy);
      }
      most = std::max(most, response_.ScoreOf(energy[static_cast<std::size_t>(candidate.along)]));
    }
    return most;
  }

  /// The contrast of the strongest even contour of the print that starts beside a line and runs
  /// much as it does, grey; 0 where none does.
  double NearContrast(const StraightLine& line) const {
    const auto contrast_of = [&](const Evenness& across) {
      return across.Ratio(params_.print.noise_grey) >= params_.min_near_evenness
                 ? std::abs(across.Mean())
                 : 0.0;
    };
    const cv::Point aside = At(1, 0) - At(0, 0);
    double most = 0;
    for (int turn = -params_.near_turn_deg; turn <= params_.near_turn_deg;
         turn += params_.near_turn_step_deg) {
      const double radians = std::atan2(line.sine, line.cosine) + turn * std::numbers::pi / 180;
      for (int shift = -params_.near_px; shift <= params_.near_px; shift += params_.near_step_px) {
        StraightLine near = line;
        near.x += shift * aside.x;
        near.y += shift * aside.y;
        near.cosine = std::cos(radians);
        near.sine = std::sin(radians);
        const PrintAlong print = MeasurePrintAlong(near, 0, albedo_, params_.print);
        most = std::max(most, contrast_of(print.step));
        if (print.stroke.Mean() > 0) most = std::max(most, contrast_of(print.stroke));
      }
    }
    return most >= params_.min_near_grey ? most : 0;
  }

  /// What a line's score has to be multiplied with for a contour beside it.
  double NearCost(const StraightLine& line) const {
    const double contrast = NearContrast(line);
    if (contrast == 0) return 1;
    return 1 + std::max(params_.near_cost, params_.near_contrast_cost * contrast / 100);
  }

  /// What a line's score has to be multiplied with for the side of the object that it starts at.
  double SideCost() const {
    return length_ < DepthOf(side_, size_) ? 1 + params_.short_side_cost : 1;
  }

  /// What a line's score has to be multiplied with for its turn from straight inwards.
  double TurnCost(const Candidate& candidate) const {
    const double degrees = candidate.radians * 180 / std::numbers::pi;
    const double share = degrees / std::max(params_.max_turn_deg, 1);
    return 1 + params_.turn_cost * share * share;
  }

  /// The score that a line needs, by what the print shows along it and beside it and by whether a
  /// shadow may fall there; infinity if nothing shows of it before its last third.
  double Needed(const Candidate& candidate, const std::vector<cv::Mat>& groups,
                bool in_shadow) const {
    const StraightLine line = LineOf(candidate);
    const PrintAlong print = MeasurePrintAlong(line, 0, albedo_, params_.print);
    const double start = StartScore(candidate, groups);
    const double cost =
        (in_shadow ? 1 + params_.shadow_cost : 1) * TurnCost(candidate) * SideCost();
    if (print.brighter >= params_.min_lit_streak_grey && start >= params_.min_lit_start_score) {
      return params_.min_lit_streak_score * cost;
    }
    if (print.brighter >= params_.min_streak_grey) return params_.min_streak_score * cost;
    if (start < params_.min_start_score) return std::numeric_limits<double>::infinity();
    return params_.min_score * std::max(CostOf(print, params_.print) * cost, NearCost(line));
  }

  bool IsAtCorner(int along) const {
    return along < params_.corner_px || along >= length_ - params_.corner_px;
  }

  std::vector<FoundLine> Choose(std::vector<Candidate> best, const std::vector<cv::Mat>& groups,
                                const std::vector<bool>& shaded) const {
    std::ranges::stable_sort(best, std::greater<>(), &Candidate::energy);
    const double least =
        std::min({params_.min_score, params_.min_streak_score, params_.min_lit_streak_score});
    std::vector<FoundLine> found;
    std::vector<int> taken;
    for (const Candidate& candidate : best) {
      const double score = response_.ScoreOf(candidate.energy);
      if (score < least) break;
      const auto is_near = [&](int other) {
        return std::abs(other - candidate.along) <= params_.apart_px;
      };
      if (std::ranges::any_of(taken, is_near)) continue;
      taken.push_back(candidate.along);
      if (IsAtCorner(candidate.along)) continue;  // nor is what lies beside it a tick
      const bool in_shadow = shaded[static_cast<std::size_t>(candidate.along)];
      const double needed = Needed(candidate, groups, in_shadow);
      if (score < needed) continue;
      found.push_back({LineOf(candidate), score, needed});
    }
    return found;
  }

  Side side_;
  const LineResponse& response_;
  const Plane& albedo_;
  const RimTickParams& params_;
  cv::Size size_;
  int length_, depth_;
};

}  // namespace

std::vector<FoundLine> FindRimTicks(const LineResponse& response, const Plane& albedo,
                                    const RimTickParams& params, ThreadPool& pool) {
  std::vector<std::vector<FoundLine>> sides(std::size(kSides));
  pool.ParallelFor(std::ssize(sides), [&](std::int64_t i) {
    sides[static_cast<std::size_t>(i)] = SideSearch(kSides[i], response, albedo, params).Run();
  });
  std::vector<FoundLine> all;
  for (const auto& side : sides) all.insert(all.end(), side.begin(), side.end());
  std::ranges::stable_sort(all, std::greater<>(), &FoundLine::score);
  return all;
}

}  // namespace glint::photometric
