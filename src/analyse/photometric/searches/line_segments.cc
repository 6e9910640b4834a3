// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/line_segments.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <numbers>
#include <opencv2/core.hpp>
#include <span>
#include <utility>
#include <vector>

#include "analyse/photometric/lines/parallel_scores.h"
#include "base/rounding.h"

namespace glint::photometric {
namespace {

constexpr float kUnseen = std::numeric_limits<float>::quiet_NaN();
constexpr int kCell = 2;  // px: the side of what is looked at at a time

/// A row of numbers for each slope; per cell across the object.
using Rows = std::vector<std::vector<float>>;

/// Half a piece: per slope, then per group, the sums along the lines that begin at each cell.
using StripSums = std::vector<Rows>;

/// The scores of all pieces: per strip that one begins with, per slope.
using PieceScores = std::vector<Rows>;

/// Looks for segments whose directions are nearer to one axis than to the other. Along that axis
/// the object is cut into strips, half a piece each; a piece begins with every strip.
class SegmentSearch {
 public:
  /// @param along_x  whether they are nearer to x than to y
  SegmentSearch(bool along_x, const LineResponse& response, const Plane& albedo,
                const LineSegmentParams& params)
      : along_x_(along_x),
        response_(response),
        albedo_(albedo),
        params_(params),
        length_(along_x ? albedo.width() : albedo.height()),
        across_((along_x ? albedo.height() : albedo.width()) / kCell),
        strip_(params.piece_px / kCell / 2),
        piece_(2 * kCell * strip_),
        strips_(length_ / (kCell * strip_)),
        slopes_(4 * strip_ + 1) {}

  /// The segments whose pieces say that they may be lines, whatever the print says.
  /// @param thin_px  LineSurroundings::thin, px, of each search
  /// @return of each
  std::vector<std::vector<FoundLine>> Run(std::span<const int> thin_px, ThreadPool& pool) const {
    std::vector<std::vector<FoundLine>> all;
    for (const PieceScores& scores : ScoreAll(thin_px, pool))
      all.push_back(SegmentsOf(scores, pool));
    return all;
  }

  /// What of a segment answers throughout, and all of that at once, be it all of a short one;
  /// scored 0 where there is none.
  FoundLine AnsweringPartOf(FoundLine segment, int thin_px) const {
    StraightLine& line = segment.line;
    const int halves = 2 * PiecesOf(line);
    const std::vector<double> scores = ScoresOfParts(line, halves, thin_px);
    const auto [first, count] = LongestAnswering(scores);
    segment.score = 0;
    segment.needed = params_.min_half_score;
    if (count < std::min(halves, params_.min_halves)) return segment;
    const int length = line.length();
    line.begin = length * first / halves;
    line.end = length * (first + count) / halves - 1;
    if (IsAtSide(line) || RunsAlongBorder(line, albedo_, params_.border)) return segment;
    const PrintAlong print = MeasurePrintAlong(line, 0, albedo_, params_.print_along);
    if (CostOf(print, params_.print_along) > params_.max_print_cost) return segment;
    const double whole = ScoresOfParts(line, 1, thin_px)[0];
    if (whole < WholeScoreNeededOf(line, halves < 2 * params_.min_pieces)) return segment;
    if (count < 2 * params_.min_pieces &&
        whole <
            params_.min_short_share * std::ranges::max(ScoresOfParts(line, count / 2, thin_px))) {
      return segment;
    }
    segment.score = *std::min_element(scores.begin() + first, scores.begin() + first + count);
    return segment;
  }

 private:
  /// Cells across, over a piece: to 45 degrees to either side.
  int SlopeOf(int index) const { return index - 2 * strip_; }
  /// How many cells across a line of this slope has come after so many along.
  int ShiftAt(int along, int slope) const {
    return RoundToInt(static_cast<double>(slope) * along / (2 * strip_));
  }
  int Begin(int strip) const { return length_ % (kCell * strip_) / 2 + kCell * strip_ * strip; }

  /// The residuals of a group in a strip: a row per cell along, a column per cell across. Of cells
  /// whose pixels are independent a sum along a line spreads as that of as many pixels.
  cv::Mat CellsOf(int group, int strip) const {
    const int length = kCell * strip_, width = kCell * across_;
    const cv::Rect box = along_x_ ? cv::Rect(Begin(strip), 0, length, width)
                                  : cv::Rect(0, Begin(strip), width, length);
    cv::Mat pixels = response_.Group(group, box);
    if (along_x_) cv::transpose(pixels, pixels);
    cv::Mat cells(strip_, across_, CV_32F);
    for (int y = 0; y < cells.rows; ++y) {
      const auto* one = pixels.ptr<float>(kCell * y);
      const auto* other = pixels.ptr<float>(kCell * y + 1);
      auto* to = cells.ptr<float>(y);
      for (int x = 0; x < cells.cols; ++x) {
        const int at = kCell * x;
        to[x] = (one[at] + one[at + 1] + other[at] + other[at + 1]) / std::numbers::sqrt2_v<float>;
      }
    }
    return cells;
  }

  StripSums SumsOf(int strip, ThreadPool& pool) const {
    StripSums sums(static_cast<std::size_t>(slopes_),
                   Rows(static_cast<std::size_t>(response_.groups())));
    pool.ParallelFor(response_.groups(), [&](std::int64_t group) {
      const cv::Mat cells = CellsOf(static_cast<int>(group), strip);
      for (int index = 0; index < slopes_; ++index) {
        std::vector<float> along(static_cast<std::size_t>(across_));
        for (int t = 0; t < cells.rows; ++t) {
          AddShifted(cells.ptr<float>(t), ShiftAt(t, SlopeOf(index)), along);
        }
        sums[static_cast<std::size_t>(index)][static_cast<std::size_t>(group)] = std::move(along);
      }
    });
    return sums;
  }

  /// Adds what lies so many cells across; beyond the ends nothing is seen.
  static void AddShifted(const float* values, int shift, std::vector<float>& sums) {
    const int size = static_cast<int>(sums.size());
    const int first = std::clamp(-shift, 0, size), last = std::clamp(size - shift, 0, size);
    std::fill(sums.begin(), sums.begin() + first, kUnseen);
    std::fill(sums.begin() + last, sums.end(), kUnseen);
    for (int i = first; i < last; ++i) sums[static_cast<std::size_t>(i)] += values[i + shift];
  }

  std::vector<PieceScores> ScoreAll(std::span<const int> thin_px, ThreadPool& pool) const {
    std::vector<PieceScores> scores(thin_px.size());
    StripSums last;
    for (int strip = 0; strip < strips_; ++strip) {
      StripSums next = SumsOf(strip, pool);
      if (strip > 0) {
        for (PieceScores& some : scores) some.emplace_back(static_cast<std::size_t>(slopes_));
        pool.ParallelFor(slopes_, [&](std::int64_t index) {
          const auto i = static_cast<std::size_t>(index);
          Rows rows = ScoresOf(last[i], next[i], SlopeOf(static_cast<int>(index)), thin_px);
          for (std::size_t k = 0; k < rows.size(); ++k) scores[k].back()[i] = std::move(rows[k]);
        });
      }
      last = std::move(next);
    }
    return scores;
  }

  /// The scores of the pieces that begin at each cell across, of each search.
  Rows ScoresOf(const Rows& first, const Rows& second, int slope,
                std::span<const int> thin_px) const {
    Rows energies(thin_px.size(), std::vector<float>(static_cast<std::size_t>(across_)));
    std::vector<ThinEnergy> thin;
    for (std::size_t k = 0; k < thin_px.size(); ++k) {
      thin.push_back({.lines = (thin_px[k] + kCell - 1) / kCell, .energy = energies[k]});
    }
    for (std::size_t group = 0; group < first.size(); ++group) {
      std::vector<float> sums = first[group];
      AddShifted(second[group].data(), ShiftAt(strip_, slope), sums);
      response_.AddEnergies(sums, piece_, params_.beside_px / kCell, thin);
    }
    for (std::vector<float>& energy : energies) {
      for (float& value : energy) value = static_cast<float>(response_.ScoreOf(value));
    }
    return energies;
  }

  std::vector<FoundLine> SegmentsOf(const PieceScores& scores, ThreadPool& pool) const {
    std::vector<std::vector<FoundLine>> found(static_cast<std::size_t>(slopes_));
    pool.ParallelFor(slopes_, [&](std::int64_t index) {
      AddOfSlope(static_cast<int>(index), scores, found[static_cast<std::size_t>(index)]);
    });
    std::vector<FoundLine> all;
    for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
    return all;
  }

  void AddOfSlope(int index, const PieceScores& scores, std::vector<FoundLine>& found) const {
    for (int strip = 0; strip < static_cast<int>(scores.size()); ++strip) {
      for (int at = 0; at < across_; ++at) AddFrom(strip, index, at, scores, found);
    }
  }

  /// Adds the segments that begin there, of each number of pieces.
  void AddFrom(int strip, int index, int at, const PieceScores& scores,
               std::vector<FoundLine>& found) const {
    const int slope = SlopeOf(index);
    const double length = std::hypot(piece_, kCell * slope);
    double sum = 0, counted = 0, least = std::numeric_limits<double>::infinity();
    for (int pieces = 1; pieces <= params_.max_pieces; ++pieces) {
      const int here = strip + 2 * (pieces - 1), across = at + slope * (pieces - 1);
      if (here >= static_cast<int>(scores.size()) || across < 0 || across >= across_) break;
      const auto& row = scores[static_cast<std::size_t>(here)][static_cast<std::size_t>(index)];
      const double score = MostNear(row, across);
      if (score < params_.min_piece_score) break;
      sum += score;
      counted += std::min(score, params_.full_piece_score) +
                 params_.excess_share * std::max(score - params_.full_piece_score, 0.0);
      const double lengthening = std::pow(length * pieces, 0.25) / pieces;
      least = std::min(least, score);
      if (!AreEnough(pieces, least, sum * lengthening) ||
          !IsOnRidge(strip, index, at, pieces, scores)) {
        continue;
      }
      found.push_back({.line = LineAt(strip, slope, at, RoundToInt(length * pieces)),
                       .score = counted * lengthening,
                       .flanked = true});
    }
  }

  /// Whether so many pieces may make a segment.
  /// @param least  score of any of them
  /// @param whole  theirs
  bool AreEnough(int pieces, double least, double whole) const {
    const bool is_short = pieces < params_.min_pieces;
    return pieces >= 2 && whole >= params_.min_score &&
           (!is_short || least >= params_.min_short_score);
  }

  /// The most within `bend_px` across.
  double MostNear(const std::vector<float>& row, int at) const {
    const int bend = params_.bend_px / kCell;
    const auto first = row.begin() + std::max(at - bend, 0);
    const auto last = row.begin() + std::min(at + bend + 1, across_);
    return *std::max_element(first, last);
  }

  /// Whether no segment within `bend_px` beside it has more on its very line.
  bool IsOnRidge(int strip, int index, int at, int pieces, const PieceScores& scores) const {
    const auto sum_at = [&](int begin) {
      double sum = 0;
      for (int i = 0; i < pieces; ++i) {
        const int across = begin + SlopeOf(index) * i;
        if (across < 0 || across >= across_) return 0.0;
        const int here = strip + 2 * i;
        sum += scores[static_cast<std::size_t>(here)][static_cast<std::size_t>(index)]
                     [static_cast<std::size_t>(across)];
      }
      return sum;
    };
    const double own = sum_at(at);
    for (int away = 1; away <= params_.bend_px / kCell; ++away) {
      if (sum_at(at - away) >= own || sum_at(at + away) > own) return false;
    }
    return true;
  }

  StraightLine LineAt(int strip, int slope, int at, int length) const {
    const double far = std::hypot(piece_, kCell * slope);
    const double cosine = piece_ / far, sine = kCell * slope / far;
    const double along = Begin(strip), across = kCell * at + (kCell - 1) / 2.0;
    return {.x = along_x_ ? along : across,
            .y = along_x_ ? across : along,
            .cosine = along_x_ ? cosine : sine,
            .sine = along_x_ ? sine : cosine,
            .begin = 0,
            .end = length - 1};
  }

  /// Of all of a segment at once.
  /// @param is_short  of two pieces
  double WholeScoreNeededOf(const StraightLine& line, bool is_short) const {
    const double needed = is_short ? params_.min_short_whole_score : params_.min_whole_score;
    const double sine = std::sin(params_.square_degrees * std::numbers::pi / 180);
    const bool is_square = std::min(std::abs(line.cosine), std::abs(line.sine)) < sine;
    return is_square ? std::max(needed, params_.min_square_whole_score) : needed;
  }

  /// How many pieces a segment has: each goes as far along its axis, whatever its slope.
  int PiecesOf(const StraightLine& line) const {
    return RoundToInt(line.length() * (along_x_ ? line.cosine : line.sine) / piece_);
  }

  /// The longest run of values that are enough: where it begins, and how many.
  std::pair<int, int> LongestAnswering(const std::vector<double>& scores) const {
    std::pair<int, int> longest;
    int run = 0;
    for (int i = 0; i < static_cast<int>(scores.size()); ++i) {
      run = scores[static_cast<std::size_t>(i)] >= params_.min_half_score ? run + 1 : 0;
      if (run > longest.second) longest = {i + 1 - run, run};
    }
    return longest;
  }

  /// The scores of parts of a segment, as long each, that may lie `part_bend_px` across; 0 where
  /// one is not seen.
  std::vector<double> ScoresOfParts(const StraightLine& line, int parts, int thin_px) const {
    const int reach = params_.beside_px + 1;
    const cv::Rect around(line.At(line.begin), line.At(line.end));
    const cv::Rect box(around.tl() - cv::Point(reach, reach),
                       around.br() + cv::Point(reach + 1, reach + 1));
    const ResponseWindow window = WindowOf(response_, box, {albedo_.width(), albedo_.height()});
    const int bend = std::min(params_.part_bend_px, params_.beside_px);
    std::vector<double> all;
    StraightLine part = line;
    for (int i = 0; i < parts; ++i) {
      part.begin = line.begin + line.length() * i / parts;
      part.end = line.begin + line.length() * (i + 1) / parts - 1;
      const auto scores = ParallelScores(part, params_.beside_px, window, response_, thin_px);
      const auto middle = scores.begin() + params_.beside_px;
      all.push_back(std::max(*std::max_element(middle - bend, middle + bend + 1), 0.0));
    }
    return all;
  }

  /// Whether all of a line is near one of the sides.
  bool IsAtSide(const StraightLine& line) const {
    const cv::Point begin = line.At(line.begin), end = line.At(line.end);
    const auto near = [&](int one, int other, int size) {
      return std::max(one, other) < params_.side_px ||
             std::min(one, other) >= size - params_.side_px;
    };
    return near(begin.x, end.x, albedo_.width()) || near(begin.y, end.y, albedo_.height());
  }

  bool along_x_;
  const LineResponse& response_;
  const Plane& albedo_;
  const LineSegmentParams& params_;
  int length_;           // px
  int across_;           // cells
  int strip_;            // cells
  int piece_;            // px
  int strips_, slopes_;  // how many
};

}  // namespace

std::vector<FoundLine> FindLineSegments(const LineResponse& response, const Plane& albedo,
                                        const Lines& known, const LineSegmentParams& params,
                                        ThreadPool& pool) {
  const auto apart = [&](std::vector<FoundLine> segments) {
    return ApartFromSurer(std::move(segments), params.known_px, params.max_known_share,
                          {albedo.width(), albedo.height()});
  };
  const auto surest_first = [&](std::vector<FoundLine> segments) {
    std::ranges::stable_sort(segments, std::greater<>(), &FoundLine::score);
    return apart(std::move(segments));
  };
  const std::vector<int> thin_px =
      params.thin_px > 0 ? std::vector{0, params.thin_px} : std::vector{0};
  std::vector<std::vector<FoundLine>> answering(thin_px.size());
  for (const bool along_x : {true, false}) {
    const SegmentSearch search(along_x, response, albedo, params);
    std::vector<std::vector<FoundLine>> candidates = search.Run(thin_px, pool);
    for (std::size_t k = 0; k < thin_px.size(); ++k) {
      std::vector<FoundLine> found = surest_first(
          WithoutKnown(std::move(candidates[k]), known, params.known_px, params.max_known_share));
      pool.ParallelFor(std::ssize(found), [&](std::int64_t i) {
        FoundLine& segment = found[static_cast<std::size_t>(i)];
        segment = search.AnsweringPartOf(segment, thin_px[k]);
      });
      std::ranges::copy_if(found, std::back_inserter(answering[k]), [](const FoundLine& segment) {
        return segment.score >= segment.needed;
      });
    }
  }
  std::vector<FoundLine> all;
  for (std::vector<FoundLine>& some : answering) {
    std::ranges::copy(surest_first(std::move(some)), std::back_inserter(all));
  }
  return apart(std::move(all));
}

}  // namespace glint::photometric
