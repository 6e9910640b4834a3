// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/through_folds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <span>
#include <utility>

#include "analyse/photometric/pixels/masks.h"
#include "base/mat.h"
#include "base/rounding.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// The scores of one piece's lines: a row per slope, a column per place across where they begin.
using PieceScores = cv::Mat;  // CV_32F

/// The scores of every piece's lines.
struct Scores {
  explicit Scores(int pieces)
      : lit(static_cast<std::size_t>(pieces)), judged(static_cast<std::size_t>(pieces)) {}

  std::vector<PieceScores> lit;     ///< how the lines answer to the light
  std::vector<PieceScores> judged;  ///< the same, but what runs along print counts for little
};

/// A line through the object: where it is at the begin and the end of each piece.
struct Through {
  std::vector<int> begins, slopes;  // px across
  double score = 0;                 // of the pieces, on average
  double needed = 0;                // that is asked of it
  int shown = 0;                    // pieces that show it
  double needed_share = 0;          // of the pieces, that have to
  bool bare = false;                // whether it runs along lines whose ink is gone
};

/// 1 where no contour of the print is near, else 0. CV_32F. @param gradient  Albedo::gradient
cv::Mat PlainPaper(const Plane& gradient, const PlainPieceParams& params) {
  cv::Mat contours =
      AsMat(gradient) > params.max_gradient_grey * params.max_gradient_grey * kGradientUnit;
  cv::dilate(contours, contours, Square(params.near_px));
  cv::Mat plain(contours.size(), CV_32F, cv::Scalar(1));
  return plain.setTo(0, contours);
}

/// 1 near a line whose ink is gone, else 0. CV_32F.
cv::Mat NearLostInk(std::span<const FoundLine> lost_ink, cv::Size object, int near_px) {
  cv::Mat near(object, CV_32F, cv::Scalar(0));
  for (const FoundLine& found : lost_ink) {
    const StraightLine& line = found.line;
    cv::line(near, line.At(line.begin), line.At(line.end), 1, 2 * near_px + 1);
  }
  return near;
}

/// Looks for folds in one direction.
class FoldSearch {
 public:
  /// @param along_x  whether they run along x, or along y
  FoldSearch(bool along_x, const LineResponse& response, const Plane& albedo,
             std::span<const FoundLine> lost_ink, const ThroughFoldParams& params)
      : along_x_(along_x),
        response_(response),
        albedo_(albedo),
        params_(params),
        length_((along_x ? albedo.width() : albedo.height()) - 2 * params.rim_px),
        across_(along_x ? albedo.height() : albedo.width()),
        pieces_(length_ / params.piece_px),
        slopes_(1 + 2 * (params.max_slope_px / params.slope_step_px)),
        plain_(PlainPaper(response.gradient(), params.plain)) {
    const cv::Mat near = NearLostInk(lost_ink, AsMat(albedo).size(), params.bare.near_px);
    for (int piece = 0; piece < pieces_; ++piece) bare_.push_back(PixelsOn(near, piece));
  }

  std::vector<FoundLine> Run(ThreadPool& pool) const {
    if (pieces_ < params_.min_pieces) return {};
    Scores scores(pieces_);
    pool.ParallelFor(pieces_, [&](std::int64_t piece) { Score(static_cast<int>(piece), scores); });
    std::vector<Through> folds = Choose(scores.judged);
    AddBetweenMargins(scores.lit, folds);
    std::vector<FoundLine> found;
    for (const Through& fold : folds) {
      const std::vector<double> knots = KnotsOf(fold);
      for (int piece = 0; piece < pieces_; ++piece) {
        found.push_back({.line = LineOf(piece, knots),
                         .score = fold.score,
                         .needed = fold.needed,
                         .flanked = true,
                         .continues = piece > 0});
      }
    }
    return found;
  }

 private:
  int Begin(int piece) const { return params_.rim_px + length_ * piece / pieces_; }
  int LengthOf(int piece) const { return Begin(piece + 1) - Begin(piece); }
  int SlopeOf(int index) const { return (index - slopes_ / 2) * params_.slope_step_px; }
  int IndexOf(int slope) const { return slope / params_.slope_step_px + slopes_ / 2; }
  cv::Point At(int along, int across) const {
    return along_x_ ? cv::Point(along, across) : cv::Point(across, along);
  }

  /// A piece between two of the places across where pieces meet.
  StraightLine LineOf(int piece, const std::vector<double>& knots) const {
    const auto i = static_cast<std::size_t>(piece);
    const int first = piece == 0 ? 0 : Begin(piece);  // from side to side
    const int last = piece + 1 == pieces_ ? length_ + 2 * params_.rim_px - 1 : Begin(piece + 1);
    const double slope = (knots[i + 1] - knots[i]) / LengthOf(piece);
    const double far = std::hypot(1, slope), cosine = 1 / far, sine = slope / far;
    const double begin = knots[i] + slope * (first - Begin(piece));
    return {.x = along_x_ ? first : begin,
            .y = along_x_ ? begin : first,
            .cosine = along_x_ ? cosine : sine,
            .sine = along_x_ ? sine : cosine,
            .begin = 0,
            .end = RoundToInt((last - first) * far)};
  }

  /// The part of the object where a piece may run.
  cv::Rect BoxOf(int piece) const {
    return along_x_ ? cv::Rect(Begin(piece), 0, LengthOf(piece), across_)
                    : cv::Rect(0, Begin(piece), across_, LengthOf(piece));
  }
  /// A part of the object: a row per place along a piece, a column per place across.
  cv::Mat Upright(const cv::Mat& part) const { return along_x_ ? cv::Mat(part.t()) : part; }

  /// The groups where a piece may run.
  std::vector<cv::Mat> GroupsOf(int piece) const {
    std::vector<cv::Mat> groups = response_.Groups(BoxOf(piece));
    for (cv::Mat& group : groups) group = Upright(group);
    return groups;
  }

  /// How many pixels of each of a piece's lines lie on a mask, of 0 and 1; 0 of a line that is not
  /// inside as a whole. As PieceScores.
  cv::Mat PixelsOn(const cv::Mat& mask, int piece) const {
    const cv::Mat part = Upright(mask(BoxOf(piece)));
    cv::Mat pixels(slopes_, across_, CV_32F);
    for (int index = 0; index < slopes_; ++index) {
      std::ranges::transform(SumAlong(part, SlopeOf(index)), pixels.ptr<float>(index),
                             [](float sum) { return std::isfinite(sum) ? sum : 0; });
    }
    return pixels;
  }

  void Score(int piece, Scores& scores) const {
    const int length = LengthOf(piece);
    const std::vector<cv::Mat> groups = GroupsOf(piece);
    cv::Mat lit(slopes_, across_, CV_32F), judged(slopes_, across_, CV_32F);
    for (int index = 0; index < slopes_; ++index) {
      std::vector<float> energy(static_cast<std::size_t>(across_));
      for (const cv::Mat& group : groups) {
        response_.AddEnergy(SumAlong(group, SlopeOf(index)), length, {.beside = params_.beside_px},
                            energy);
      }
      const std::vector<double> steps = PrintSteps(piece, SlopeOf(index));
      for (int begin = 0; begin < across_; ++begin) {
        const double score = std::min(response_.ScoreOf(energy[static_cast<std::size_t>(begin)]),
                                      params_.max_place_score);
        const bool is_print =
            score > params_.max_print_score && RunsWithPrint(steps, begin, params_.print);
        lit.at<float>(index, begin) = static_cast<float>(score);
        judged.at<float>(index, begin) =
            static_cast<float>(is_print ? params_.max_print_score : score);
      }
    }
    scores.lit[static_cast<std::size_t>(piece)] = lit;
    scores.judged[static_cast<std::size_t>(piece)] = judged;
  }

  /// The steps of the albedo between the sides of lines of one slope, by where they begin; grey.
  std::vector<double> PrintSteps(int piece, int slope) const {
    const int length = LengthOf(piece), side = params_.print.side_px;
    std::vector<std::int64_t> sums(static_cast<std::size_t>(across_));
    const auto albedo_at = [&](int along, int across) {
      const cv::Point at = At(along, std::clamp(across, 0, across_ - 1));
      return static_cast<int>(albedo_.Row<std::int16_t>(at.y)[at.x]);
    };
    for (int t = 0; t < length; ++t) {
      const int along = Begin(piece) + t, shift = ShiftAt(t, slope, length);
      for (int begin = 0; begin < across_; ++begin) {
        sums[static_cast<std::size_t>(begin)] += std::abs(albedo_at(along, begin + shift - side) -
                                                          albedo_at(along, begin + shift + side));
      }
    }
    std::vector<double> steps;
    steps.reserve(sums.size());
    for (const std::int64_t sum : sums) {
      steps.push_back(static_cast<double>(sum) / (static_cast<double>(kGrey) * length));
    }
    return steps;
  }

  /// How far across a line of this slope has come, so far along a piece.
  static int ShiftAt(int t, int slope, int length) {
    return RoundToInt(static_cast<double>(slope) * t / length);
  }

  /// The sums along lines of one slope. @param group  a row per place along, a column per place
  /// across
  std::vector<float> SumAlong(const cv::Mat& group, int slope) const {
    std::vector<float> sums(static_cast<std::size_t>(across_));
    for (int t = 0; t < group.rows; ++t) {
      const auto* row = group.ptr<float>(t);
      const int shift = ShiftAt(t, slope, group.rows);
      for (int begin = 0; begin < across_; ++begin) {
        const int at = begin + shift;
        sums[static_cast<std::size_t>(begin)] +=
            at >= 0 && at < across_ ? row[at] : std::numeric_limits<float>::quiet_NaN();
      }
    }
    return sums;
  }

  /// What counts for where a fold runs: how a piece's lines answer, and the more the more of them
  /// lies near lost ink.
  PieceScores PlaceScores(const std::vector<PieceScores>& scores, std::size_t piece) const {
    const double per_px = params_.bare.place_score / LengthOf(static_cast<int>(piece));
    return Smooth(scores[piece] + bare_[piece] * per_px);
  }

  /// The scores, each the mean of those within `flank_px`: both flanks of a fold answer, and it is
  /// in the middle.
  PieceScores Smooth(const PieceScores& scores) const {
    PieceScores smooth(scores.size(), CV_32F);
    for (int index = 0; index < slopes_; ++index) {
      const auto* from = scores.ptr<float>(index);
      auto* to = smooth.ptr<float>(index);
      for (int begin = 0; begin < across_; ++begin) {
        const int first = std::max(begin - params_.flank_px, 0);
        const int last = std::min(begin + params_.flank_px, across_ - 1);
        float sum = 0;
        for (int at = first; at <= last; ++at) sum += from[at];
        to[begin] = sum / static_cast<float>(last - first + 1);
      }
    }
    return smooth;
  }

  /// The best way through the pieces to each begin and slope of the last one.
  struct Ways {
    std::vector<cv::Mat> sums;  // CV_32F per piece, as PieceScores
    std::vector<cv::Mat> from;  // CV_32SC2 per piece: begin and slope's index of the piece before
  };

  /// @param begins  where they may begin
  Ways FindWays(const std::vector<PieceScores>& scores, const cv::Range& begins) const {
    Ways ways;
    cv::Mat first(slopes_, across_, CV_32F, cv::Scalar(-std::numeric_limits<float>::infinity()));
    PlaceScores(scores, 0).colRange(begins).copyTo(first.colRange(begins));
    ways.sums.push_back(first);
    ways.from.emplace_back();
    for (std::size_t piece = 1; piece < scores.size(); ++piece) {
      const cv::Mat& before = ways.sums.back();
      const PieceScores here = PlaceScores(scores, piece);
      cv::Mat sums(before.size(), CV_32F), from(before.size(), CV_32SC2);
      for (int index = 0; index < slopes_; ++index) {
        for (int begin = 0; begin < across_; ++begin) {
          const auto [most, at] = BestBefore(before, index, begin);
          sums.at<float>(index, begin) = most + here.at<float>(index, begin);
          from.at<cv::Vec2i>(index, begin) = at;
        }
      }
      ways.sums.push_back(sums);
      ways.from.push_back(from);
    }
    return ways;
  }

  std::pair<float, cv::Vec2i> BestBefore(const cv::Mat& before, int index, int begin) const {
    float most = -std::numeric_limits<float>::infinity();
    cv::Vec2i best(0, 0);
    for (int other = 0; other < slopes_; ++other) {
      if (std::abs(SlopeOf(other) - SlopeOf(index)) > params_.max_bend_px) continue;
      for (int step = -params_.max_step_px; step <= params_.max_step_px; ++step) {
        const int at = begin - step - SlopeOf(other);
        if (at < 0 || at >= across_ || before.at<float>(other, at) <= most) continue;
        most = before.at<float>(other, at);
        best = {at, other};
      }
    }
    return {most, best};
  }

  /// A way's last piece.
  struct End {
    float sum;
    int index, begin;
  };

  /// The last pieces of all ways, the best first. @param ends  where they may end
  std::vector<End> EndsOf(const Ways& ways, const cv::Range& ends) const {
    std::vector<End> all;
    for (int index = 0; index < slopes_; ++index) {
      for (int begin = 0; begin < across_; ++begin) {
        const int end = begin + SlopeOf(index);
        const float sum = ways.sums.back().at<float>(index, begin);
        if (end < ends.start || end >= ends.end || !std::isfinite(sum)) continue;
        all.push_back({sum, index, begin});
      }
    }
    std::ranges::stable_sort(all, std::greater<>(), &End::sum);
    return all;
  }

  Through Trace(const Ways& ways, int index, int begin) const {
    Through fold;
    for (std::size_t piece = ways.sums.size(); piece-- > 0;) {
      fold.begins.insert(fold.begins.begin(), begin);
      fold.slopes.insert(fold.slopes.begin(), SlopeOf(index));
      if (piece == 0) break;
      const auto before = ways.from[piece].at<cv::Vec2i>(index, begin);
      begin = before[0];
      index = before[1];
    }
    return fold;
  }

  /// Where pieces meet, from side to side.
  static std::vector<double> KnotsOf(const Through& fold) {
    std::vector<double> knots;
    knots.reserve(fold.begins.size() + 1);
    for (std::size_t i = 0; i < fold.begins.size(); ++i) {
      const double before = i == 0 ? fold.begins[i] : fold.begins[i - 1] + fold.slopes[i - 1];
      knots.push_back((before + fold.begins[i]) / 2);
    }
    knots.push_back(fold.begins.back() + fold.slopes.back());
    return knots;
  }

  /// Measures what decides whether a line is a fold.
  void Judge(const std::vector<PieceScores>& scores, Through& fold) const {
    float bare_px = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const auto* row = scores[i].ptr<float>(IndexOf(fold.slopes[i]));
      const double score =
          *std::max_element(row + std::max(fold.begins[i] - params_.flank_px, 0),
                            row + std::min(fold.begins[i] + params_.flank_px + 1, across_));
      fold.score += std::min(score, params_.max_piece_score) / pieces_;
      fold.shown += score >= params_.min_shown_score ? 1 : 0;
      bare_px += bare_[i].at<float>(IndexOf(fold.slopes[i]), fold.begins[i]);
    }
    const bool is_even = fold.shown >= params_.min_even_share * pieces_;
    fold.needed = is_even ? params_.min_even_score : params_.min_score;
    fold.needed_share = params_.min_shown_share;
    fold.bare = bare_px >= static_cast<float>(params_.bare.min_px);
    if (fold.bare) {
      fold.needed = std::min(fold.needed, params_.bare.min_score);
      fold.needed_share = std::min(fold.needed_share, params_.bare.min_shown_share);
    }
  }

  /// Whether a fold comes near one of the sides that it runs along.
  bool IsAtSide(const Through& fold) const {
    return std::ranges::any_of(fold.begins, [&](int begin) {
      return std::min(begin, across_ - 1 - begin) < params_.side_px;
    });
  }

  /// The score of a fold's piece by what of it is plain; nothing where little is.
  std::optional<double> PlainScore(int piece, const Through& fold) const {
    const int length = LengthOf(piece), slope = fold.slopes[static_cast<std::size_t>(piece)];
    const int begin = fold.begins[static_cast<std::size_t>(piece)];
    const cv::Mat plain = Upright(plain_(BoxOf(piece)));
    const std::vector<float> shares = SumAlong(plain / length, slope);
    const auto least = static_cast<float>(params_.plain.min_share);
    std::vector<float> energy(shares.size());
    for (const cv::Mat& group : GroupsOf(piece)) {
      std::vector<float> sums = SumAlong(group.mul(plain), slope);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const bool enough = shares[i] >= least;
        sums[i] = enough ? sums[i] / std::sqrt(shares[i]) : std::numeric_limits<float>::quiet_NaN();
      }
      response_.AddEnergy(sums, length, {.beside = params_.beside_px}, energy);
    }
    if (!(shares[static_cast<std::size_t>(begin)] >= least)) return std::nullopt;
    return response_.ScoreOf(
        *std::max_element(energy.begin() + std::max(begin - params_.flank_px, 0),
                          energy.begin() + std::min(begin + params_.flank_px + 1, across_)));
  }

  /// Whether a fold answers where no print is, too; true where there is print everywhere.
  bool ShowsOffPrint(const Through& fold) const {
    double sum = 0;
    int pieces = 0;
    for (int piece = 0; piece < pieces_; ++piece) {
      const std::optional<double> score = PlainScore(piece, fold);
      if (!score) continue;
      sum += *score;
      ++pieces;
    }
    return sum >= params_.plain.min_score * pieces;
  }

  bool IsNear(const Through& a, const Through& b) const {
    for (std::size_t i = 0; i < a.begins.size(); ++i) {
      if (std::abs(a.begins[i] - b.begins[i]) <= params_.apart_px) return true;
    }
    return false;
  }

  std::vector<Through> Choose(const std::vector<PieceScores>& scores) const {
    const Ways ways = FindWays(scores, {0, across_});
    std::vector<Through> found;
    for (const End& end : EndsOf(ways, {-across_, 2 * across_})) {
      Through fold = Trace(ways, end.index, end.begin);
      const auto is_near = [&](const Through& other) { return IsNear(fold, other); };
      if (IsAtSide(fold) || std::ranges::any_of(found, is_near)) continue;
      Judge(scores, fold);
      found.push_back(std::move(fold));
    }
    std::erase_if(found, [&](const Through& fold) {
      return fold.score < fold.needed || fold.shown < fold.needed_share * pieces_ ||
             !ShowsOffPrint(fold);
    });
    return found;
  }

  /// Adds folds that begin at a step of the one margin and end at one of the other. Print has none
  /// there, so it needs not be told from them.
  void AddBetweenMargins(const std::vector<PieceScores>& scores,
                         std::vector<Through>& found) const {
    const cv::Mat albedo = AsMat(albedo_);
    const auto [begins, ends] =
        FindMarginSteps(along_x_ ? albedo : cv::Mat(albedo.t()), params_.margins);
    for (const MarginStep& begin : begins) {
      for (const MarginStep& end : ends) {
        const bool is_pair = begin.grey * end.grey > 0 &&
                             std::abs(begin.grey + end.grey) >= 2 * params_.min_margins_grey;
        if (!is_pair) continue;
        Through fold;
        if (!FindBetween(scores, begin.across, end.across, fold)) continue;
        const auto is_near = [&](const Through& other) { return IsNear(fold, other); };
        if (IsAtSide(fold) || std::ranges::any_of(found, is_near)) continue;
        if (fold.score >= fold.needed) found.push_back(std::move(fold));
      }
    }
  }

  /// The fold that answers to the light most from one place to another, if it need not bend more
  /// than paper does.
  bool FindBetween(const std::vector<PieceScores>& scores, int begin, int end,
                   Through& fold) const {
    const auto near = [&](int across) {
      return cv::Range(std::max(across - params_.flank_px, 0),
                       std::min(across + params_.flank_px + 1, across_));
    };
    const Ways ways = FindWays(scores, near(begin));
    const std::vector<End> all = EndsOf(ways, near(end));
    if (all.empty()) return false;
    fold = Trace(ways, all[0].index, all[0].begin);
    Judge(scores, fold);
    fold.needed = fold.bare ? params_.bare.min_margin_score : params_.min_margin_score;
    return true;
  }

  bool along_x_;
  const LineResponse& response_;
  const Plane& albedo_;
  const ThroughFoldParams& params_;
  int length_, across_, pieces_, slopes_;
  cv::Mat plain_;              // PlainPaper
  std::vector<cv::Mat> bare_;  // per piece, as PieceScores: pixels of its lines near lost ink
};

}  // namespace

std::vector<FoundLine> FindThroughFolds(const LineResponse& response, const Plane& albedo,
                                        std::span<const FoundLine> lost_ink,
                                        const ThroughFoldParams& params, ThreadPool& pool) {
  std::vector<FoundLine> all;
  for (const bool along_x : {true, false}) {
    const auto found = FoldSearch(along_x, response, albedo, lost_ink, params).Run(pool);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

}  // namespace glint::photometric
