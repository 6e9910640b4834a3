// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/corner_streaks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <opencv2/core.hpp>
#include <optional>

#include "analyse/photometric/lines/corner_chord.h"

namespace glint::photometric {
namespace {

class StreakSearch {
 public:
  StreakSearch(Corner corner, const Plane& streaks, const Plane& surface,
               const CornerStreakParams& params)
      : corner_(corner),
        streaks_(streaks),
        surface_(surface),
        object_(surface.width(), surface.height()),
        params_(params),
        leg_(static_cast<int>(params.max_leg_share * std::min(object_.width, object_.height))) {}

  std::optional<FoundLine> Run() const {
    std::optional<FoundLine> best;
    for (int turn = params_.min_turn_deg; turn <= 90 - params_.min_turn_deg;
         turn += params_.turn_step_deg) {
      TryTurn(turn * std::numbers::pi / 180, best);
    }
    return best;
  }

 private:
  void TryTurn(double radians, std::optional<FoundLine>& best) const {
    int seen = 0;  // chords in a row, up to this one, that are part of the object
    for (int distance = 1; distance < leg_; ++distance) {
      const CornerChord chord(radians, distance);
      if (chord.left >= leg_ || chord.top >= leg_) return;
      StraightLine line = corner_.LineOf(chord, object_);
      line.begin += params_.start_px;
      line.end -= params_.start_px;
      seen = IsSeen(line) ? seen + 1 : 0;
      if (seen <= params_.min_corner_px || chord.length < params_.min_length_px) continue;
      const double share = ShareOf(line);
      if (share < params_.min_share || (best && share <= best->score)) continue;
      best = FoundLine{.line = corner_.LineOf(chord, object_),
                       .score = share,
                       .needed = params_.min_share,
                       .bare = true};
    }
  }

  bool IsSeen(const StraightLine& line) const {
    for (int along = line.begin; along <= line.end; ++along) {
      const cv::Point at = line.At(along);
      if (surface_.Row<std::uint8_t>(at.y)[at.x] == 0) return false;
    }
    return true;
  }

  /// Of a line's pixels those with a streak that runs as it does; 0 where these are too few.
  double ShareOf(const StraightLine& line) const {
    const std::uint16_t directions =
        DirectionsNear(std::atan2(line.sine, line.cosine), params_.max_streak_turn_steps);
    const double allowed = (1 - params_.min_share) * line.length();
    int missed = 0;
    for (int along = line.begin; along <= line.end; ++along) {
      const bool has = HasDirection(streaks_, directions, line.At(along)) ||
                       HasDirection(streaks_, directions, line.At(along, -1)) ||
                       HasDirection(streaks_, directions, line.At(along, 1));
      if (!has && ++missed > allowed) return 0;
    }
    return 1 - static_cast<double>(missed) / line.length();
  }

  Corner corner_;
  const Plane& streaks_;
  const Plane& surface_;
  cv::Size object_;
  const CornerStreakParams& params_;
  int leg_;
};

}  // namespace

std::vector<FoundLine> FindCornerStreaks(const Plane& albedo, const Plane& surface,
                                         const CornerStreakParams& params, ThreadPool& pool) {
  const Plane streaks = FindPaperStreaks(albedo, params.streaks, pool);
  const auto find = [&](const Corner& corner) {
    return StreakSearch(corner, streaks, surface, params).Run();
  };
  return FindAcrossCorners(find, pool);
}

}  // namespace glint::photometric
