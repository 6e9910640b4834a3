// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/corner_creases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <opencv2/core.hpp>
#include <optional>

#include "analyse/photometric/lines/corner_chord.h"

namespace glint::photometric {
namespace {

class CornerSearch {
 public:
  CornerSearch(Corner corner, const LineResponse& response, const Plane& albedo,
               const DashesOnLine& dashes, const CornerCreaseParams& params)
      : corner_(corner), response_(response), albedo_(albedo), dashes_(dashes), params_(params) {
    const int shorter = std::min(albedo.width(), albedo.height());
    leg_ = static_cast<int>(params.max_leg_share * shorter);
  }

  std::optional<FoundLine> Run() const {
    if (leg_ <= params_.min_length_px / 2) return std::nullopt;
    const cv::Mat groups = Groups();
    std::optional<FoundLine> best;
    for (int turn = params_.min_turn_deg; turn <= 90 - params_.min_turn_deg;
         turn += params_.turn_step_deg) {
      TryTurn(turn * std::numbers::pi / 180, groups, best);
    }
    return best;
  }

 private:
  /// The groups around the corner, turned so that it is at the top left: a channel each.
  cv::Mat Groups() const {
    const cv::Rect box = corner_.BoxIn({albedo_.width(), albedo_.height()}, leg_);
    cv::Mat groups(box.size(), CV_32FC(response_.groups()));
    for (int group = 0; group < response_.groups(); ++group) {
      cv::insertChannel(response_.Group(group, box), groups, group);
    }
    return corner_.Turned(groups);
  }

  /// Each group's response on a chord; NaN where it is not seen as a whole.
  std::vector<float> ResponsesOf(const CornerChord& chord, const cv::Mat& groups) const {
    const auto channels = static_cast<std::size_t>(groups.channels());
    const int end = static_cast<int>(chord.length) - params_.start_px;
    if (chord.left >= leg_ || chord.top >= leg_ || end <= params_.start_px) {
      return std::vector<float>(channels, std::numeric_limits<float>::quiet_NaN());
    }
    std::vector<float> sums(channels);
    for (int along = params_.start_px; along < end; ++along) {
      const cv::Point pixel = chord.At(along);
      const auto* residuals = groups.ptr<float>(pixel.y, pixel.x);
      for (std::size_t group = 0; group < channels; ++group) sums[group] += residuals[group];
    }
    for (float& sum : sums) sum /= std::sqrt(static_cast<float>(end - params_.start_px));
    return sums;
  }

  /// Whether a chord is long enough, and the object goes on between it and the corner.
  bool IsCandidate(const std::vector<CornerChord>& chords, const std::vector<bool>& seen,
                   std::size_t at) const {
    const auto corner = static_cast<std::size_t>(params_.min_corner_px);
    if (at < corner || chords[at].length < params_.min_length_px) return false;
    const auto end = seen.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    return std::all_of(end - params_.min_corner_px - 1, end, [](bool is_seen) { return is_seen; });
  }

  void TryTurn(double radians, const cv::Mat& groups, std::optional<FoundLine>& best) const {
    std::vector<CornerChord> chords;
    for (int distance = 1; distance < leg_; ++distance) chords.emplace_back(radians, distance);
    std::vector<std::vector<float>> responses(static_cast<std::size_t>(groups.channels()),
                                              std::vector<float>(chords.size()));
    std::vector<bool> seen(chords.size(), true);
    for (std::size_t i = 0; i < chords.size(); ++i) {
      const std::vector<float> found = ResponsesOf(chords[i], groups);
      for (std::size_t group = 0; group < found.size(); ++group) {
        responses[group][i] = found[group];
        if (std::isnan(found[group])) seen[i] = false;
      }
    }
    std::vector<float> energy(chords.size());
    for (const std::vector<float>& group : responses) {
      response_.AddEnergy(group, 1, {.beside = params_.beside_px}, energy);
    }
    std::vector<double> scores;
    scores.reserve(chords.size());
    for (const float found : energy) scores.push_back(response_.ScoreOf(found));
    for (std::size_t i = 0; i < chords.size(); ++i) {
      if (!IsCandidate(chords, seen, i) || (best && scores[i] <= best->score)) continue;
      const StraightLine line =
          corner_.LineOf(chords[MiddleOf(scores, i)], {albedo_.width(), albedo_.height()});
      const double needed = Needed(line);
      if (scores[i] >= needed) best = FoundLine{line, scores[i], needed};
    }
  }

  /// How far the flanks of a line reach on one side. @param step  1 or -1
  std::ptrdiff_t LastFlank(const std::vector<double>& scores, std::size_t line, int step) const {
    const double least = params_.min_flank_share * scores[line];
    auto last = static_cast<std::ptrdiff_t>(line);
    for (std::ptrdiff_t at = last + step; at >= 0 && at < std::ssize(scores); at += step) {
      if (std::abs(at - last) > params_.flank_gap_px + 1) break;
      if (scores[static_cast<std::size_t>(at)] >= least) last = at;
    }
    return last;
  }

  /// The line in the midst of its flanks: a wide crease answers most strongly on one of them.
  std::size_t MiddleOf(const std::vector<double>& scores, std::size_t line) const {
    const std::ptrdiff_t sum = LastFlank(scores, line, -1) + LastFlank(scores, line, 1);
    return static_cast<std::size_t>(sum / 2);
  }

  /// The score that a line needs, by what the print shows along it, and by the ink that it lost.
  double Needed(const StraightLine& line) const {
    const double by_light = NeededBesidePrint(line);
    const double dashes = dashes_(line);
    return dashes < params_.min_dashes_px ? by_light : std::min(by_light, NeededWith(dashes));
  }

  /// The score that a line needs with so many dashes on it.
  double NeededWith(double dashes) const {
    const double range = std::max(params_.many_dashes_px - params_.min_dashes_px, 0.1);
    const double share = std::min((dashes - params_.min_dashes_px) / range, 1.0);
    return params_.min_dashed_score +
           share * (params_.min_many_dashed_score - params_.min_dashed_score);
  }

  double NeededBesidePrint(const StraightLine& line) const {
    const PrintAlong print = MeasurePrintAlong(line, params_.start_px, albedo_, params_.print);
    if (print.brighter >= params_.min_streak_grey) return params_.min_streak_score;
    return params_.min_score * CostOf(print, params_.print);
  }

  Corner corner_;
  const LineResponse& response_;
  const Plane& albedo_;
  const DashesOnLine& dashes_;
  const CornerCreaseParams& params_;
  int leg_;
};

}  // namespace

std::vector<FoundLine> FindCornerCreases(const LineResponse& response, const Plane& albedo,
                                         const DashesOnLine& dashes,
                                         const CornerCreaseParams& params, ThreadPool& pool) {
  const auto find = [&](const Corner& corner) {
    return CornerSearch(corner, response, albedo, dashes, params).Run();
  };
  return FindAcrossCorners(find, pool);
}

}  // namespace glint::photometric
