// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/corner_creases.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <opencv2/core.hpp>
#include <optional>

#include "base/mat.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

class CornerSearch {
 public:
  CornerSearch(bool right, bool bottom, const LineResponse& response, const Plane& albedo,
               const CornerCreaseParams& params)
      : right_(right), bottom_(bottom), response_(response), albedo_(albedo), params_(params) {
    const int shorter = std::min(albedo.width(), albedo.height());
    leg_ = static_cast<int>(params.max_leg_share * shorter);
  }

  /// The lines that make up the surest crease; none where there is none.
  std::vector<FoundLine> Run() const {
    if (leg_ <= params_.min_length_px / 2) return {};
    const std::vector<cv::Mat> groups = Groups();
    Found found;
    for (int turn = params_.min_turn_deg; turn <= 90 - params_.min_turn_deg;
         turn += params_.turn_step_deg) {
      TryTurn(turn * std::numbers::pi / 180, groups, found);
    }
    if (found.best) return {*found.best};
    if (found.strongest.score < params_.min_ink_score) return {};
    const auto chord = FindLostInkAcross(CornerOf(AsMat(albedo_)), found.strongest.radians,
                                         found.strongest.distance, params_.start_px, params_.ink);
    return chord ? PiecesOf(*chord, found.strongest.score) : std::vector<FoundLine>();
  }

 private:
  /// The line with the highest score, whatever it needs.
  struct Strongest {
    double score = 0, radians = 0;
    int distance = 0;
  };
  struct Found {
    std::optional<FoundLine> best;
    Strongest strongest;
  };

  /// The albedo around the corner in grey values, turned so that it is at the top left.
  cv::Mat CornerOf(const cv::Mat& albedo) const {
    cv::Mat corner;
    albedo(Box()).convertTo(corner, CV_32F, 1.0 / kGrey);
    Turn(corner);
    return corner;
  }

  cv::Rect Box() const {
    return {right_ ? albedo_.width() - leg_ : 0, bottom_ ? albedo_.height() - leg_ : 0, leg_, leg_};
  }

  void Turn(cv::Mat& corner) const {
    if (right_) cv::flip(corner, corner, 1);
    if (bottom_) cv::flip(corner, corner, 0);
  }

  /// The groups around the corner, turned so that it is at the top left.
  std::vector<cv::Mat> Groups() const {
    std::vector<cv::Mat> groups = response_.Groups(Box());
    for (cv::Mat& group : groups) Turn(group);
    return groups;
  }

  /// A group's response on a chord; NaN where it is not seen as a whole.
  float ResponseOf(const CornerChord& chord, const cv::Mat& group) const {
    const int end = static_cast<int>(chord.length()) - params_.start_px;
    if (chord.left >= leg_ || chord.top >= leg_ || end <= params_.start_px) {
      return std::numeric_limits<float>::quiet_NaN();
    }
    float sum = 0;
    for (int t = params_.start_px; t < end; ++t) sum += group.at<float>(chord.At(t));
    return sum / std::sqrt(static_cast<float>(end - params_.start_px));
  }

  /// Whether a chord is long enough, and the object goes on between it and the corner.
  bool IsCandidate(const std::vector<CornerChord>& chords, const std::vector<bool>& seen,
                   std::size_t at) const {
    const auto corner = static_cast<std::size_t>(params_.min_corner_px);
    if (at < corner || chords[at].length() < params_.min_length_px) return false;
    const auto end = seen.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    return std::all_of(end - params_.min_corner_px - 1, end, [](bool is_seen) { return is_seen; });
  }

  void TryTurn(double radians, const std::vector<cv::Mat>& groups, Found& found) const {
    std::vector<CornerChord> chords;
    for (int distance = 1; distance < leg_; ++distance) chords.emplace_back(radians, distance);
    std::vector<float> energy(chords.size());
    std::vector<bool> seen(chords.size(), true);
    for (const cv::Mat& group : groups) {
      std::vector<float> responses;
      responses.reserve(chords.size());
      for (std::size_t i = 0; i < chords.size(); ++i) {
        responses.push_back(ResponseOf(chords[i], group));
        if (std::isnan(responses.back())) seen[i] = false;
      }
      response_.AddEnergy(responses, 1, params_.beside_px, energy);
    }
    std::vector<double> scores;
    scores.reserve(chords.size());
    for (const float sum : energy) scores.push_back(response_.ScoreOf(sum));
    for (std::size_t i = 0; i < chords.size(); ++i) {
      if (!IsCandidate(chords, seen, i)) continue;
      if (scores[i] > found.strongest.score) {
        found.strongest = {scores[i], radians, static_cast<int>(i) + 1};
      }
      if (found.best && scores[i] <= found.best->score) continue;
      const CornerChord& middle = chords[MiddleOf(scores, i)];
      const StraightLine line = LineOf(middle, 0, static_cast<int>(middle.length()));
      const double needed = Needed(line);
      if (scores[i] >= needed) found.best = FoundLine{line, scores[i], needed};
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

  /// A point of the corner in the object.
  cv::Point2d InObject(cv::Point2d at) const {
    return {right_ ? albedo_.width() - 1 - at.x : at.x,
            bottom_ ? albedo_.height() - 1 - at.y : at.y};
  }

  /// A part of a chord, taken for straight, in the object. @param begin  px along it; @param end
  StraightLine LineOf(const CornerChord& chord, double begin, double end) const {
    const cv::Point2d from = InObject(chord.At(begin));
    const cv::Point2d run = InObject(chord.At(end)) - from;
    const double length = std::max(std::hypot(run.x, run.y), 1.0);
    return {.x = from.x,
            .y = from.y,
            .cosine = run.x / length,
            .sine = run.y / length,
            .begin = 0,
            .end = static_cast<int>(length)};
  }

  /// A bowed chord as straight lines.
  std::vector<FoundLine> PiecesOf(const CornerChord& chord, double score) const {
    std::vector<FoundLine> pieces;
    pieces.reserve(static_cast<std::size_t>(params_.ink_pieces));
    const double length = chord.length() / params_.ink_pieces;
    for (int i = 0; i < params_.ink_pieces; ++i) {
      pieces.push_back({LineOf(chord, i * length, (i + 1) * length), score, params_.min_ink_score});
    }
    return pieces;
  }

  /// The score that a line needs, by what the print shows along it.
  double Needed(const StraightLine& line) const {
    const PrintAlong print = MeasurePrintAlong(line, params_.start_px, albedo_, params_.print);
    if (print.brighter >= params_.min_streak_grey) return params_.min_streak_score;
    return params_.min_score * CostOf(print, params_.print);
  }

  bool right_, bottom_;
  const LineResponse& response_;
  const Plane& albedo_;
  const CornerCreaseParams& params_;
  int leg_;
};

}  // namespace

std::vector<FoundLine> FindCornerCreases(const LineResponse& response, const Plane& albedo,
                                         const CornerCreaseParams& params, ThreadPool& pool) {
  std::vector<std::vector<FoundLine>> corners(4);
  pool.ParallelFor(std::ssize(corners), [&](std::int64_t i) {
    const bool right = i % 2 != 0, bottom = i / 2 != 0;
    corners[static_cast<std::size_t>(i)] =
        CornerSearch(right, bottom, response, albedo, params).Run();
  });
  std::vector<FoundLine> found;
  for (const auto& corner : corners) found.insert(found.end(), corner.begin(), corner.end());
  std::ranges::stable_sort(found, std::greater<>(), &FoundLine::score);
  return found;
}

}  // namespace glint::photometric
