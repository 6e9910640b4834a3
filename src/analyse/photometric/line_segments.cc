// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/line_segments.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <opencv2/core.hpp>
#include <utility>

#include "analyse/photometric/parallel_scores.h"
#include "base/rounding.h"

namespace glint::photometric {
namespace {

constexpr float kUnseen = std::numeric_limits<float>::quiet_NaN();
constexpr int kCell = 2;  // px: the side of what is looked at at a time

/// A row of numbers for each slope; per cell across the object.
using Rows = std::vector<std::vector<float>>;

/// Half a piece: per slope, then per group, the sums along the lines that begin at each cell.
using StripSums = std::vector<Rows>;

/// Segments by what their pieces say.
struct Segments {
  std::vector<FoundLine> sure;
  std::vector<FoundLine> others;  ///< that may answer throughout

  void Append(const Segments& more) {
    sure.insert(sure.end(), more.sure.begin(), more.sure.end());
    others.insert(others.end(), more.others.begin(), more.others.end());
  }
};

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

  /// The segments whose pieces say that they are lines, or may be, whatever the print says.
  Segments Run(ThreadPool& pool) const {
    const std::vector<Rows> scores = ScoreAll(pool);
    std::vector<Segments> found(static_cast<std::size_t>(slopes_));
    pool.ParallelFor(slopes_, [&](std::int64_t index) {
      AddOfSlope(static_cast<int>(index), scores, found[static_cast<std::size_t>(index)]);
    });
    Segments all;
    for (const Segments& some : found) all.Append(some);
    return all;
  }

  /// What is asked of a segment in view of the print; infinity where that runs with it, where it
  /// runs along the rim, or where a short one shows in a part of it only.
  double NeededBy(const StraightLine& line) const {
    const int pieces = PiecesOf(line);
    const bool is_short = pieces < params_.min_pieces;
    if (IsAtSide(line) ||
        (is_short &&
         !(LeastOfParts(line, 2 * pieces, params_.bend_px) >= params_.min_short_half_score)) ||
        RunsAlongBorder(line, albedo_, params_.border) || HasPrint(line)) {
      return std::numeric_limits<double>::infinity();
    }
    return params_.min_score *
           CostOf(MeasurePrintAlong(line, 0, albedo_, params_.print_along), params_.print_along);
  }

  /// Asks of a segment that it answers throughout, and all of it at once.
  FoundLine AskThroughout(FoundLine segment) const {
    const ThoroughSegmentParams& asked = params_.thorough;
    const StraightLine& line = segment.line;
    segment.score = 0;
    segment.needed = asked.min_half_score;
    if (IsAtSide(line) || RunsAlongBorder(line, albedo_, params_.border)) return segment;
    const PrintAlong print = MeasurePrintAlong(line, 0, albedo_, params_.print_along);
    if (CostOf(print, params_.print_along) > asked.max_print_cost) return segment;
    if (!(LeastOfParts(line, 1, asked.bend_px) >= asked.min_whole_score)) return segment;
    segment.score = LeastOfParts(line, 2 * PiecesOf(line), asked.bend_px);
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

  /// The scores of all pieces: per strip that one begins with, per slope.
  std::vector<Rows> ScoreAll(ThreadPool& pool) const {
    std::vector<Rows> scores;
    StripSums last;
    for (int strip = 0; strip < strips_; ++strip) {
      StripSums next = SumsOf(strip, pool);
      if (strip > 0) {
        Rows& rows = scores.emplace_back(static_cast<std::size_t>(slopes_));
        pool.ParallelFor(slopes_, [&](std::int64_t index) {
          const auto i = static_cast<std::size_t>(index);
          rows[i] = ScoresOf(last[i], next[i], SlopeOf(static_cast<int>(index)));
        });
      }
      last = std::move(next);
    }
    return scores;
  }

  /// The scores of the pieces that begin at each cell across.
  std::vector<float> ScoresOf(const Rows& first, const Rows& second, int slope) const {
    std::vector<float> energy(static_cast<std::size_t>(across_));
    for (std::size_t group = 0; group < first.size(); ++group) {
      std::vector<float> sums = first[group];
      AddShifted(second[group].data(), ShiftAt(strip_, slope), sums);
      response_.AddEnergy(sums, piece_, params_.beside_px / kCell, energy);
    }
    for (float& value : energy) value = static_cast<float>(response_.ScoreOf(value));
    return energy;
  }

  void AddOfSlope(int index, const std::vector<Rows>& scores, Segments& found) const {
    for (int strip = 0; strip < static_cast<int>(scores.size()); ++strip) {
      for (int at = 0; at < across_; ++at) AddFrom(strip, index, at, scores, found);
    }
  }

  /// Adds the segments that begin there, of each number of pieces.
  void AddFrom(int strip, int index, int at, const std::vector<Rows>& scores,
               Segments& found) const {
    const int slope = SlopeOf(index);
    const double length = std::hypot(piece_, kCell * slope);
    double sum = 0, least = params_.max_piece_score;
    for (int pieces = 1; pieces <= params_.max_pieces; ++pieces) {
      const int here = strip + 2 * (pieces - 1), across = at + slope * (pieces - 1);
      if (here >= static_cast<int>(scores.size()) || across < 0 || across >= across_) break;
      const auto& row = scores[static_cast<std::size_t>(here)][static_cast<std::size_t>(index)];
      const double score = MostNear(row, across);
      if (score < std::min(params_.min_piece_score, params_.thorough.min_piece_score)) break;
      sum += std::min(score, params_.max_piece_score);
      const double whole = sum / pieces * std::pow(length * pieces, 0.25);
      least = std::min(least, score);
      const bool sure = AreEnough(pieces, least, whole, params_);
      if (!sure && !AreEnough(pieces, least, whole, params_.thorough)) continue;
      if (!IsOnRidge(strip, index, at, pieces, scores)) continue;
      (sure ? found.sure : found.others)
          .push_back({.line = LineAt(strip, slope, at, RoundToInt(length * pieces)),
                      .score = whole,
                      .needed = params_.min_score,
                      .flanked = true});
    }
  }

  /// Whether so many pieces make a segment. @param least  score of any of them; @param whole theirs
  template <class Asked>
  bool AreEnough(int pieces, double least, double whole, const Asked& asked) const {
    const bool is_short = pieces < params_.min_pieces;
    return pieces >= 2 && whole >= asked.min_score && least >= asked.min_piece_score &&
           (!is_short || least >= asked.min_short_score);
  }

  /// The most within `bend_px` across.
  double MostNear(const std::vector<float>& row, int at) const {
    const int bend = params_.bend_px / kCell;
    const auto first = row.begin() + std::max(at - bend, 0);
    const auto last = row.begin() + std::min(at + bend + 1, across_);
    return *std::max_element(first, last);
  }

  /// Whether no segment within `bend_px` beside it has more on its very line.
  bool IsOnRidge(int strip, int index, int at, int pieces, const std::vector<Rows>& scores) const {
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

  /// How many pieces a segment has: each goes as far along its axis, whatever its slope.
  int PiecesOf(const StraightLine& line) const {
    return RoundToInt(line.length() * (along_x_ ? line.cosine : line.sine) / piece_);
  }

  /// The least score of parts of a segment, as long each, that may lie so far across; 0 where one
  /// is not seen.
  double LeastOfParts(const StraightLine& line, int parts, int bend_px) const {
    const int reach = params_.beside_px + 1;
    const cv::Rect around(line.At(line.begin), line.At(line.end));
    const cv::Rect box(around.tl() - cv::Point(reach, reach),
                       around.br() + cv::Point(reach + 1, reach + 1));
    const ResponseWindow window = WindowOf(response_, box, {albedo_.width(), albedo_.height()});
    const int bend = std::min(bend_px, params_.beside_px);
    double least = std::numeric_limits<double>::infinity();
    StraightLine part = line;
    for (int i = 0; i < parts; ++i) {
      part.begin = line.length() * i / parts;
      part.end = line.length() * (i + 1) / parts - 1;
      const auto scores = ParallelScores(part, params_.beside_px, window, response_);
      const auto middle = scores.begin() + params_.beside_px;
      const double most = *std::max_element(middle - bend, middle + bend + 1);
      least = most >= 0 ? std::min(least, most) : 0;
    }
    return least;
  }

  /// Whether print runs with a segment, or with one of its pieces.
  bool HasPrint(const StraightLine& line) const {
    if (RunsWithPrint(line, albedo_, params_.print_beside)) return true;
    const int pieces = std::max(line.length() / piece_, 1);
    StraightLine piece = line;
    for (int i = 0; i < pieces; ++i) {
      piece.begin = line.length() * i / pieces;
      piece.end = line.length() * (i + 1) / pieces - 1;
      if (RunsWithPrint(piece, albedo_, params_.piece_print_beside)) return true;
    }
    return false;
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
    std::ranges::stable_sort(segments, std::greater<>(), &FoundLine::score);
    return ApartFromSurer(std::move(segments), params.known_px, params.max_known_share,
                          {albedo.width(), albedo.height()});
  };
  Segments all;
  for (const bool along_x : {true, false}) {
    const SegmentSearch search(along_x, response, albedo, params);
    Segments found = search.Run(pool);
    for (auto* some : {&found.sure, &found.others}) {
      *some = WithoutKnown(std::move(*some), known, params.known_px, params.max_known_share);
    }
    pool.ParallelFor(std::ssize(found.sure), [&](std::int64_t i) {
      FoundLine& segment = found.sure[static_cast<std::size_t>(i)];
      segment.needed = search.NeededBy(segment.line);
    });
    const auto is_line = [](const FoundLine& segment) { return segment.score >= segment.needed; };
    const auto print = std::stable_partition(found.sure.begin(), found.sure.end(), is_line);
    found.others.insert(found.others.end(), print, found.sure.end());
    found.sure.erase(print, found.sure.end());
    found.others = apart(std::move(found.others));
    pool.ParallelFor(std::ssize(found.others), [&](std::int64_t i) {
      FoundLine& segment = found.others[static_cast<std::size_t>(i)];
      segment = search.AskThroughout(segment);
    });
    std::erase_if(found.others, std::not_fn(is_line));
    all.Append(found);
  }
  all.sure = apart(std::move(all.sure));
  all.others = apart(std::move(all.others));
  all.sure.insert(all.sure.end(), all.others.begin(), all.others.end());
  return ApartFromSurer(std::move(all.sure), params.known_px, params.max_known_share,
                        {albedo.width(), albedo.height()});
}

}  // namespace glint::photometric
