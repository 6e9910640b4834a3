// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/line_extension.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lines/line_ends.h"
#include "analyse/photometric/lines/parallel_scores.h"
#include "analyse/photometric/lost_ink/dash_ends.h"
#include "analyse/photometric/pixels/masks.h"
#include "base/mat.h"

namespace glint::photometric {
namespace {

/// What a line goes on with first.
enum class FirstStep { kAny, kFaint };

/// What was added at an end.
struct Continuation {
  StraightLine line;  // begins at 0
  double radians = 0;
  double surplus = 0;  // of its score, over what is asked
};

/// What is asked of a score.
struct Asked {
  double score = 0;
  bool of_print = true;                                       // more where print runs with it ...
  double max_cost = std::numeric_limits<double>::infinity();  // ... and that costs no more
};

/// What a line goes on with at one end.
struct Added {
  std::vector<cv::Point> shown;   ///< by the light
  std::vector<cv::Point> dashed;  ///< the way to dashes of paper, and these
};

class Follower {
 public:
  /// @param known  CV_8U: not 0 where lines are, or were
  Follower(const LineGuides& guides, const LineExtensionParams& params, const cv::Mat& known)
      : guides_(guides), params_(params) {
    cv::dilate(known, known_, Square(params.known_px));
  }

  /// @param pixels  of the line
  /// @param side    of its ends, as EndOf has it
  /// @param length  of the line
  /// @param first   what its first step is
  Added Follow(std::vector<cv::Point> pixels, int side, double length, FirstStep first) const {
    Added added;
    LineEnd end = EndOf(pixels, side, params_.end_px);
    for (int step = 0; step < params_.max_steps; ++step) {
      std::vector<cv::Point>* into = &added.shown;
      std::optional<Continuation> next;
      if (step == 0 && first == FirstStep::kFaint) {
        next = Faint(end);
      } else {
        next = Next(end);
        if (!next) next = Far(end, pixels, side, length);
        if (!next) next = Alike(pixels, side, length);
        if (!next) {
          next = ToDash(end, length);
          if (!next) next = OverDots(end);
          into = &added.dashed;
        }
      }
      if (!next) break;
      length += next->line.end;
      end = GoTo(next->line, next->radians, *into);
      pixels.insert(pixels.end(), into->end() - next->line.end, into->end());
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

  /// The way to a dash of paper before an end.
  std::optional<Continuation> ToDash(const LineEnd& end, double length) const {
    const StraightLine tip{
        .x = end.x, .y = end.y, .cosine = std::cos(end.radians), .sine = std::sin(end.radians)};
    const auto stretch = StretchToDash(tip, guides_.paper, guides_.dash_rows);
    if (!stretch || stretch->end > params_.max_dash_share * length) return std::nullopt;
    return Continuation{*stretch, std::atan2(stretch->sine, stretch->cosine)};
  }

  /// The way over dots of paper before an end.
  std::optional<Continuation> OverDots(const LineEnd& end) const {
    const StraightLine tip{
        .x = end.x, .y = end.y, .cosine = std::cos(end.radians), .sine = std::sin(end.radians)};
    const cv::Size size(guides_.albedo.width(), guides_.albedo.height());
    const auto stretch = StretchOverDots(tip, guides_.paper.dots, size, params_.dots);
    if (!stretch) return std::nullopt;
    return Continuation{*stretch, std::atan2(stretch->sine, stretch->cosine)};
  }

  /// How what lies around an end answers.
  ResponseWindow Around(const LineEnd& end, int length) const {
    const int reach = length + params_.beside_px + 2;
    const cv::Rect box(static_cast<int>(end.x) - reach, static_cast<int>(end.y) - reach,
                       2 * reach + 1, 2 * reach + 1);
    return WindowOf(guides_.response, box, {guides_.albedo.width(), guides_.albedo.height()});
  }

  std::optional<Continuation> Next(const LineEnd& end) const {
    return Ahead(end, [&](int) { return Asked{.score = params_.min_score}; });
  }

  /// The same of a line that is one, where nothing else leads on: many such ends are none. It does
  /// not lead on to what is known.
  std::optional<Continuation> Faint(const LineEnd& end) const {
    const std::optional<Continuation> next = Ahead(end, [&](int turn) {
      const double more = params_.faint_turn_score * std::abs(turn);
      return Asked{.score = params_.min_faint_score + more, .of_print = false};
    });
    return next && !IsKnown(next->line) ? next : std::nullopt;
  }

  /// The best of what is straight ahead, or turned a little.
  /// @param asked  Asked(int turn), degrees
  template <class AskedOf>
  std::optional<Continuation> Ahead(const LineEnd& end, AskedOf asked) const {
    const ResponseWindow around = Around(end, *std::ranges::max_element(params_.lengths_px));
    std::optional<Continuation> best;
    for (int turn = -params_.max_turn_deg; turn <= params_.max_turn_deg;
         turn += params_.turn_step_deg) {
      for (const int length : params_.lengths_px) {
        const double radians = end.radians + turn * std::numbers::pi / 180;
        TryLine(LineFrom(end, radians, 0, length), radians, asked(turn), around, best);
      }
    }
    return best;
  }

  /// The same for what is so faint that it shows over a long way only, of which the farther half
  /// shows, too: that of a line whose direction is known well.
  std::optional<Continuation> Far(const LineEnd& end, const std::vector<cv::Point>& pixels,
                                  int side, double line_length) const {
    std::optional<Continuation> best;
    for (const int length : params_.far_lengths_px) {
      if (length > params_.max_far_share * line_length) continue;
      const ResponseWindow around = Around(end, length);
      double direction = EndOf(pixels, side, 2 * length).radians;
      if (std::cos(direction - end.radians) < 0) direction += std::numbers::pi;
      for (int turn = -params_.max_far_turn_deg; turn <= params_.max_far_turn_deg; ++turn) {
        const double radians = direction + turn * std::numbers::pi / 180;
        std::optional<Continuation> whole, half;
        TryLine(LineFrom(end, radians, 0, length), radians, {params_.min_far_score}, around, whole);
        if (!whole || (best && whole->surplus <= best->surplus) || IsKnown(whole->line)) continue;
        TryLine(LineFrom(end, radians, length / 2, length), radians, {params_.min_far_half_score},
                around, half);
        if (half) best = whole;
      }
    }
    return best;
  }

  /// What shows as the end of the line does, where it shows too little for those. @param length  of
  /// the line
  std::optional<Continuation> Alike(const std::vector<cv::Point>& pixels, int side,
                                    double length) const {
    if (length < params_.like_end_px) return std::nullopt;
    const LineEnd end = EndOf(pixels, side, params_.like_end_px);
    const ResponseWindow around = Around(
        end, std::max(params_.like_end_px, *std::ranges::max_element(params_.like_lengths_px)));
    const LineSignature signature =
        SignatureOf(LineFrom(end, end.radians, -params_.like_end_px, 0), params_.signature, around);
    if (signature.weights.empty() || signature.score < params_.min_like_end_score) {
      return std::nullopt;
    }
    const Asked asked{.score = params_.min_like_score, .max_cost = params_.max_like_print_cost};
    std::optional<Continuation> best;
    for (const int more : params_.like_lengths_px) {
      for (int turn = -params_.max_like_turn_deg; turn <= params_.max_like_turn_deg;
           turn += params_.turn_step_deg) {
        const double radians = end.radians + turn * std::numbers::pi / 180;
        const StraightLine line = LineFrom(end, radians, 0, more);
        const std::vector<double> scores =
            SignatureScores(NewPartOf(line), signature.weights, params_.signature, around);
        TryShifts(line, radians, asked, scores, params_.signature.beside_px, best);
      }
      if (best) break;
    }
    if (!best || IsKnown(best->line)) return std::nullopt;
    const double response =
        SignatureResponse(NewPartOf(best->line), signature.weights, params_.signature, around);
    return response >= params_.min_like_share * signature.response ? best : std::nullopt;
  }

  /// Whether most of a line runs beside what is known.
  bool IsKnown(const StraightLine& line) const {
    int known = 0;
    for (int t = 1; t <= line.end; ++t) {
      const cv::Point at = line.At(t);
      const bool inside = cv::Rect({}, known_.size()).contains(at);
      known += inside && known_.at<std::uint8_t>(at) != 0 ? 1 : 0;
    }
    return known > params_.max_known_share * line.end;
  }

  static StraightLine LineFrom(const LineEnd& end, double radians, int from, int length) {
    return {.x = end.x,
            .y = end.y,
            .cosine = std::cos(radians),
            .sine = std::sin(radians),
            .begin = from,
            .end = length};
  }

  /// Keeps the best of a line and of those that start beside it.
  void TryLine(const StraightLine& line, double radians, Asked asked, const ResponseWindow& around,
               std::optional<Continuation>& best) const {
    const std::vector<double> scores =
        ParallelScores(NewPartOf(line), params_.beside_px, around, guides_.response);
    TryShifts(line, radians, asked, scores, params_.beside_px, best);
  }

  /// Where a line begins there is what is known, whose light is not its own.
  static StraightLine NewPartOf(StraightLine line) {
    line.begin += 2;
    return line;
  }

  /// The same. @param scores  of the line and its parallels, the line's own at `middle`
  void TryShifts(const StraightLine& line, double radians, Asked asked,
                 const std::vector<double>& scores, int middle,
                 std::optional<Continuation>& best) const {
    for (int shift = -params_.max_shift_px; shift <= params_.max_shift_px; ++shift) {
      const double score = *(scores.begin() + middle + shift);
      const double surplus = score - asked.score;
      if (surplus < 0 || (best && surplus <= best->surplus)) continue;
      StraightLine moved = line;
      moved.x -= shift * line.sine;
      moved.y += shift * line.cosine;
      if (IsLine(moved, score, asked)) best = {moved, radians, surplus};
    }
  }

  bool IsLine(const StraightLine& line, double score, Asked asked) const {
    if (!asked.of_print) return true;
    const PrintAlong print = MeasurePrintAlong(line, 1, guides_.albedo, params_.print);
    const double cost = CostOf(print, params_.print);
    return cost <= asked.max_cost && score >= asked.score * cost;
  }

  const LineGuides& guides_;
  const LineExtensionParams& params_;
  cv::Mat known_;  // CV_8U: not 0 beside lines
};

/// Adds what they go on with to lines, of which each has two ends.
class Adder {
 public:
  explicit Adder(Lines& lines) : lines_(lines) {
    if (!lines_.extensions.empty()) return;
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

/// How long a line is with what was added to it, px.
double DiagonalOf(const std::vector<cv::Point>& pixels) {
  const cv::Rect box = cv::boundingRect(pixels);
  return std::hypot(box.width, box.height);
}

/// Follows all lines from both of their ends.
/// @param lengths  of the lines
/// @param least    of a line that is followed, px
Lines FollowAll(Lines lines, const std::vector<std::vector<cv::Point>>& pixels,
                const std::vector<double>& lengths, const Follower& follower, FirstStep first,
                int least, ThreadPool& pool) {
  std::vector<Added> added(2 * pixels.size());
  pool.ParallelFor(std::ssize(added), [&](std::int64_t i) {
    const auto line = static_cast<std::size_t>(i / 2);
    if (lengths[line] < least || pixels[line].empty()) return;
    added[static_cast<std::size_t>(i)] =
        follower.Follow(pixels[line], i % 2 == 0 ? 1 : -1, lengths[line], first);
  });
  Adder adder(lines);
  for (std::size_t i = 0; i < added.size(); ++i) {
    adder.Add(static_cast<std::int32_t>(i / 2) + 1, added[i]);
  }
  return lines;
}

}  // namespace

Lines ExtendLines(Lines lines, const LineGuides& guides, const LineExtensionParams& params,
                  ThreadPool& pool) {
  std::vector<double> lengths(lines.paths.size());
  std::ranges::transform(lines.paths, lengths.begin(), &LinePath::length);
  const std::vector<std::vector<cv::Point>> pixels = LinePixels(lines);
  const Follower follower(guides, params, AsMat(lines.ids) != 0);
  return FollowAll(std::move(lines), pixels, lengths, follower, FirstStep::kAny,
                   params.min_length_px, pool);
}

Lines ExtendFaintEnds(Lines lines, const cv::Mat& dropped, const LineGuides& guides,
                      const LineExtensionParams& params, ThreadPool& pool) {
  const std::vector<std::vector<cv::Point>> pixels = LinePixels(lines);
  std::vector<double> lengths(pixels.size());
  std::ranges::transform(pixels, lengths.begin(), DiagonalOf);
  const Follower follower(guides, params, (AsMat(lines.ids) != 0) | dropped);
  return FollowAll(std::move(lines), pixels, lengths, follower, FirstStep::kFaint,
                   params.min_faint_length_px, pool);
}

}  // namespace glint::photometric
