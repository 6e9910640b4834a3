// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/broken_ink.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "analyse/photometric/albedo_at.h"
#include "analyse/photometric/energy_normalisation.h"
#include "analyse/photometric/evenness.h"
#include "analyse/photometric/masks.h"
#include "analyse/photometric/streak_rows.h"
#include "base/mat.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// A direction, and which streaks and evidence go with it.
struct Way {
  double cosine, sine;
  std::uint16_t streaks, evidence;  // bits of directions

  Way(double radians, const BrokenInkParams& params)
      : cosine(std::cos(radians)),
        sine(std::sin(radians)),
        streaks(DirectionsNear(radians, params.max_streak_turn_steps)),
        evidence(DirectionsNear(radians, params.max_turn_steps)) {}

  /// Degrees between it and the nearer of the object's sides.
  double TurnFromSides() const {
    return std::asin(std::min(std::abs(cosine), std::abs(sine))) * 180 / std::numbers::pi;
  }
};

/// The evidence on a row of dashes.
struct Strength {
  double mean;
  double score;
};

/// A line along a way.
struct Stretch : StraightLine {
  Way way;

  Stretch(cv::Point from, const Way& along, int first, int last)
      : StraightLine{.x = static_cast<double>(from.x),
                     .y = static_cast<double>(from.y),
                     .cosine = along.cosine,
                     .sine = along.sine,
                     .begin = first,
                     .end = last},
        way(along) {}
};

/// A line that was found.
struct Found {
  Stretch line;
  double score;
  double needed;
};

class Search {
 public:
  Search(const BrokenInkInput& input, const BrokenInkParams& params, ThreadPool& pool)
      : input_(input),
        params_(params),
        size_(input.albedo.size()),
        streaks_(FindPaperStreaks(input.albedo, params.streaks, pool)),
        most_(static_cast<std::int32_t>(params.max_evidence * kEnergyUnit)),
        field_(streaks_.even, input.directions, input.energy, most_) {
    cv::integral((AsMat(streaks_.bright) != 0) / 255, sums_, CV_32S);
  }

  std::vector<Found> Run(ThreadPool& pool) const {
    std::vector<std::vector<Found>> parts(static_cast<std::size_t>(4 + params_.row_angles));
    pool.ParallelFor(std::ssize(parts), [&](std::int64_t i) {
      auto& found = parts[static_cast<std::size_t>(i)];
      if (i < 4) {
        FindTicks(kSides[i], found);
      } else {
        FindRows(static_cast<int>(i) - 4, found);
      }
    });
    std::vector<Found> all;
    for (auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    std::ranges::stable_sort(all, std::greater<>(), &Found::score);
    return all;
  }

  /// The line moved onto its streaks, from the first of them to the last.
  Stretch Trimmed(Stretch line) const {
    const auto on_streaks = [&](int across) {
      int count = 0;
      for (int t = line.begin; t <= line.end; ++t) {
        count += HasDirection(streaks_.even, line.way.streaks, line.At(t, across)) ? 1 : 0;
      }
      return count;
    };
    constexpr std::array kAcross = {0, -1, 1};
    const int across = *std::ranges::max_element(kAcross, {}, on_streaks);
    line.x -= across * line.way.sine;
    line.y += across * line.way.cosine;
    while (line.begin < line.end && !HasStreak(line, line.begin)) ++line.begin;
    while (line.end > line.begin && !HasStreak(line, line.end)) --line.end;
    return line;
  }

 private:
  bool IsInside(cv::Point at) const {
    return at.x >= 0 && at.y >= 0 && at.x < size_.width && at.y < size_.height;
  }

  bool IsBright(const Stretch& line, int along) const {
    return HasDirection(streaks_.bright, line.way.streaks, line.At(along)) ||
           HasDirection(streaks_.bright, line.way.streaks, line.At(along, -1)) ||
           HasDirection(streaks_.bright, line.way.streaks, line.At(along, 1));
  }

  /// Whether a streak runs along a line or its parallel, or a pixel beside it.
  bool HasStreak(const Stretch& line, int along, int across = 0) const {
    const cv::Point middle = line.At(along, across);
    // A parallel a pixel away is never more than a pixel away in either coordinate.
    if (IsInside(middle) && (field_.Around(middle.x, middle.y) & line.way.streaks) == 0) {
      return false;
    }
    return HasDirection(streaks_.even, line.way.streaks, middle) ||
           HasDirection(streaks_.even, line.way.streaks, line.At(along, across - 1)) ||
           HasDirection(streaks_.even, line.way.streaks, line.At(along, across + 1));
  }

  std::int32_t EvidenceAt(const Way& way, cv::Point at) const {
    if (!IsInside(at)) return 0;
    const int direction = input_.directions.Row<std::uint8_t>(at.y)[at.x] % kDirections;
    if (((way.evidence >> direction) & 1) == 0) return 0;
    return std::min(input_.energy.Row<std::int32_t>(at.y)[at.x], most_);
  }

  std::int32_t Evidence(const Stretch& line, int along) const {
    return std::max({EvidenceAt(line.way, line.At(along)), EvidenceAt(line.way, line.At(along, -1)),
                     EvidenceAt(line.way, line.At(along, 1))});
  }

  double MeanEvidence(const Stretch& line) const {
    std::int64_t sum = 0;
    for (int t = line.begin; t <= line.end; ++t) sum += Evidence(line, t);
    return static_cast<double>(sum) / line.length() / kEnergyUnit;
  }

  double Share(const Stretch& line, int across = 0) const {
    int streaks = 0;
    for (int t = line.begin; t <= line.end; ++t) streaks += HasStreak(line, t, across) ? 1 : 0;
    return static_cast<double>(streaks) / line.length();
  }

  /// The same of a line, or nothing as soon as it is known to be less than `least`.
  std::optional<double> ShareOver(double least, const Stretch& line) const {
    const int length = line.length();
    const double most_gaps = (1 - least) * length + 1;  // one more than may be, whatever is rounded
    int gaps = 0;
    for (int t = line.begin; t <= line.end; ++t) {
      gaps += HasStreak(line, t) ? 0 : 1;
      if (gaps > most_gaps) return std::nullopt;
    }
    const double share = static_cast<double>(length - gaps) / length;
    return share < least ? std::nullopt : std::optional(share);
  }

  double InsideShare(const Stretch& line) const {
    int inside = 0;
    for (int t = line.begin; t <= line.end; ++t) {
      const cv::Point at = line.At(t);
      inside += IsInside(at) && input_.surface.Row<std::uint8_t>(at.y)[at.x] != 0 ? 1 : 0;
    }
    return static_cast<double>(inside) / line.length();
  }

  /// Whether a streak goes on where a tick ends, if not quite in its direction.
  bool GoesOn(const Stretch& tick) const {
    int streaks = 0;
    for (int t = 1; t <= params_.beyond_tick_px; ++t) {
      bool any = false;
      const int reach = static_cast<int>(params_.beyond_reach_px + params_.beyond_spread * t);
      for (int across = -reach; across <= reach; ++across) {
        any = any || HasDirection(streaks_.even, tick.way.streaks, tick.At(tick.end + t, across));
      }
      streaks += any ? 1 : 0;
    }
    return streaks > params_.max_beyond_tick_share * params_.beyond_tick_px;
  }

  bool IsTick(const Stretch& tick) const {
    if (GoesOn(tick)) return false;
    return InsideShare(tick) >= params_.min_tick_share &&
           std::ranges::all_of(params_.beside_tick_px, [&](int away) {
             return Share(tick, away) <= params_.max_beside_tick_share &&
                    Share(tick, -away) <= params_.max_beside_tick_share;
           });
  }

  void FindTicksFrom(cv::Point start, double inwards, std::vector<Found>& found) const {
    for (int turn = -params_.max_tick_turn_deg; turn <= params_.max_tick_turn_deg;
         turn += params_.tick_turn_step_deg) {
      const Way way(inwards + turn * std::numbers::pi / 180, params_);
      for (const int length : params_.tick_lengths_px) {
        const Stretch tick(start, way, params_.tick_start_px, params_.tick_start_px + length - 1);
        const std::optional<double> share = ShareOver(params_.min_tick_share, tick);
        if (!share) continue;
        const double mean = MeanEvidence(tick);
        const double score = *share * mean * std::sqrt(length);
        if (mean < params_.min_tick_mean || score < params_.min_tick_score) continue;
        if (IsTick(tick)) found.push_back({tick, score, params_.min_tick_score});
      }
    }
  }

  void FindTicks(Side side, std::vector<Found>& found) const {
    const cv::Size size(size_.width, size_.height);
    const double inwards = side == Side::kLeft    ? 0
                           : side == Side::kTop   ? std::numbers::pi / 2
                           : side == Side::kRight ? std::numbers::pi
                                                  : -std::numbers::pi / 2;
    const int end = LengthOf(side, size) - params_.tick_corner_px;
    for (int along = params_.tick_corner_px; along < end; ++along) {
      FindTicksFrom(photometric::At(side, along, 0, size), inwards, found);
    }
  }

  /// Whether the streaks on a line are dashes, several and none of them most of it.
  bool IsDashed(const Stretch& row) const {
    int dashes = 0, length = 0, longest = 0, gap = params_.min_gap_px;
    for (int t = row.begin; t <= row.end; ++t) {
      const bool bright = IsBright(row, t);
      if (bright && gap >= params_.min_gap_px) {
        ++dashes;
        length = 0;
      }
      gap = bright ? 0 : gap + 1;
      length += 1;
      if (bright) longest = std::max(longest, length);
    }
    return dashes >= params_.min_dashes && longest <= params_.max_dash_share * row.length();
  }

  /// Share of the pixels around a row's middle that lie on streaks.
  double CrowdShare(const Stretch& row) const {
    const cv::Point middle = row.At(0);
    const int reach = params_.crowd_px;
    const cv::Rect box =
        cv::Rect(middle.x - reach, middle.y - reach, 2 * reach + 1, 2 * reach + 1) &
        cv::Rect(0, 0, size_.width, size_.height);
    const int streaks = sums_.at<int>(box.br()) - sums_.at<int>(box.y, box.br().x) -
                        sums_.at<int>(box.br().y, box.x) + sums_.at<int>(box.tl());
    return static_cast<double>(streaks) / box.area();
  }

  double Grey(cv::Point at) const {
    return static_cast<double>(AlbedoAt(input_.albedo, at)) / kGrey;
  }

  /// The albedo of a place of a row, or of the brighter pixel beside it.
  double GreyOn(const Stretch& row, int along) const {
    return std::max({Grey(row.At(along, -1)), Grey(row.At(along)), Grey(row.At(along, 1))});
  }

  /// The albedo of the brighter side of a place of a row.
  double GreyBeside(const Stretch& row, int along) const {
    const int side = params_.streaks.side_px;
    const auto grey = [&](int across) { return Grey(row.At(along, across)); };
    return std::max(grey(-side) + grey(-side - 1), grey(side) + grey(side + 1)) / 2;
  }

  /// Whether a row's dashes are far brighter than their sides, and than what lies between them,
  /// and no contour runs with them.
  bool IsPlain(const Stretch& row) const {
    const Stretch dashed = Trimmed(row);
    double grey = 0, contrast = 0;
    std::vector<double> gaps;
    for (int t = dashed.begin; t <= dashed.end; ++t) {
      if (!HasStreak(dashed, t)) {
        gaps.push_back(GreyOn(dashed, t));
        continue;
      }
      grey += GreyOn(dashed, t);
      contrast += GreyOn(dashed, t) - GreyBeside(dashed, t);
    }
    const auto dashes = static_cast<double>(dashed.length()) - static_cast<double>(gaps.size());
    if (dashes == 0 || contrast < params_.min_plain_grey * dashes) return false;
    const double dark = (grey - params_.min_gap_contrast_share * contrast) / dashes;
    const auto darker = std::ranges::count_if(gaps, [&](double gap) { return gap <= dark; });
    return static_cast<double>(darker) >=
               params_.min_dark_gap_share * static_cast<double>(gaps.size()) &&
           !RunsWithContour(dashed);
  }

  /// Whether a step of the print runs with a row at one distance from it.
  bool RunsWithStep(const Stretch& row, int across) const {
    Evenness step;
    for (int t = row.begin; t <= row.end; ++t) {
      step.Add(AlbedoAt(input_.albedo, row.At(t, across + params_.contour_step_px)) -
               AlbedoAt(input_.albedo, row.At(t, across)));
    }
    return std::abs(step.Mean()) >= params_.min_contour_grey &&
           step.Ratio(params_.contour_noise_grey) >= params_.min_contour_evenness;
  }

  /// Whether a contour does: one that runs along the object's sides, too, with a row that almost
  /// does.
  bool RunsWithContour(const Stretch& row) const {
    if (HasContourBeside(row)) return true;
    if (row.way.TurnFromSides() >= params_.row.min_turn_deg) return false;
    const bool across = std::abs(row.way.cosine) > std::abs(row.way.sine);
    const int half = row.length() / 2;
    return HasContourBeside(Stretch(row.At((row.begin + row.end) / 2),
                                    Way(across ? 0 : std::numbers::pi / 2, params_), -half, half));
  }

  bool HasContourBeside(const Stretch& row) const {
    const int step = params_.contour_step_px;
    for (int away = params_.streaks.side_px; away + step <= params_.contour_px; ++away) {
      if (RunsWithStep(row, away) || RunsWithStep(row, -away - step)) return true;
    }
    return false;
  }

  bool Keeps(const Stretch& row, const Strength& strength, const RowLimits& limits) const {
    return strength.mean >= limits.min_mean && strength.score >= limits.min_score &&
           row.way.TurnFromSides() >= limits.min_turn_deg &&
           CrowdShare(row) <= limits.max_crowd_share;
  }

  /// The limits that a row keeps, or null.
  const RowLimits* LimitsOf(const Stretch& row, const Strength& strength) const {
    if (Keeps(row, strength, params_.row)) return &params_.row;
    const bool plain = Keeps(row, strength, params_.plain_row) && IsPlain(row);
    return plain ? &params_.plain_row : nullptr;
  }

  bool IsRow(const Stretch& row, double share) const {
    if (!IsDashed(row) || InsideShare(row) < params_.min_inside_share) {
      return false;
    }
    for (int away = params_.beside_px; away <= params_.beside_end_px; away += 2) {
      const double most = params_.max_beside_share * share;
      if (Share(row, away) > most || Share(row, -away) > most) return false;
    }
    return true;
  }

  void FindRows(int angle, std::vector<Found>& found) const {
    const Way way(angle * std::numbers::pi / params_.row_angles, params_);
    const StreakRows rows(field_, {way.cosine, way.sine, way.streaks, way.evidence},
                          std::ranges::max(params_.half_lengths_px));
    for (int y = 0; y < size_.height; ++y) {
      for (int x = 0; x < size_.width; ++x) {
        if ((field_.On(x, y) & way.streaks) != 0) FindRowsThrough({x, y}, way, rows, found);
      }
    }
  }

  void FindRowsThrough(cv::Point middle, const Way& way, const StreakRows& rows,
                       std::vector<Found>& found) const {
    for (const int half : params_.half_lengths_px) {
      const Stretch row(middle, way, -half, half);
      const double share =
          rows.usable() ? static_cast<double>(rows.Streaks(middle.x, middle.y, half)) / row.length()
                        : ShareOver(params_.min_share, row).value_or(0);
      if (share < params_.min_share) return;  // a longer one is found from its other streaks
      const double mean = rows.usable()
                              ? static_cast<double>(rows.Evidence(middle.x, middle.y, half)) /
                                    row.length() / kEnergyUnit
                              : MeanEvidence(row);
      const Strength strength{mean, share * mean * std::sqrt(row.length())};
      const RowLimits* limits = LimitsOf(row, strength);
      if (limits == nullptr || !IsRow(row, share)) continue;
      found.push_back({row, strength.score, limits->min_score});
    }
  }

  const BrokenInkInput& input_;
  const BrokenInkParams& params_;
  Size size_;
  PaperStreaks streaks_;
  cv::Mat sums_;  // CV_32S: of bright streaks
  std::int32_t most_;
  StreakField field_;  // of even ones
};

}  // namespace

std::vector<FoundLine> FindBrokenInk(const BrokenInkInput& input, const BrokenInkParams& params,
                                     ThreadPool& pool) {
  const Search search(input, params, pool);
  std::vector<FoundLine> all;
  for (const Found& found : search.Run(pool)) {
    all.push_back({search.Trimmed(found.line), found.score, found.needed});
  }
  return all;
}

}  // namespace glint::photometric
