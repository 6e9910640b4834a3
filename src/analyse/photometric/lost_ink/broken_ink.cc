// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/broken_ink.h"

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

#include "analyse/photometric/evidence/energy_normalisation.h"
#include "analyse/photometric/pixels/masks.h"
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
        most_(static_cast<std::int32_t>(params.max_evidence * kEnergyUnit)) {}

  std::vector<Found> Run(ThreadPool& pool) const {
    std::vector<std::vector<Found>> parts(std::size(kSides));
    pool.ParallelFor(std::ssize(parts), [&](std::int64_t i) {
      FindTicks(kSides[i], parts[static_cast<std::size_t>(i)]);
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
        count += HasDirection(streaks_, line.way.streaks, line.At(t, across)) ? 1 : 0;
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

  /// Whether a streak runs along a line or its parallel, or a pixel beside it.
  bool HasStreak(const Stretch& line, int along, int across = 0) const {
    return HasDirection(streaks_, line.way.streaks, line.At(along, across)) ||
           HasDirection(streaks_, line.way.streaks, line.At(along, across - 1)) ||
           HasDirection(streaks_, line.way.streaks, line.At(along, across + 1));
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
        any = any || HasDirection(streaks_, tick.way.streaks, tick.At(tick.end + t, across));
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

  const BrokenInkInput& input_;
  const BrokenInkParams& params_;
  Size size_;
  Plane streaks_;
  std::int32_t most_;
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
