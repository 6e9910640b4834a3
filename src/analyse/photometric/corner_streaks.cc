// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/corner_streaks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "analyse/photometric/corner_chord.h"
#include "analyse/photometric/masks.h"
#include "base/mat.h"
#include "base/rounding.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

std::int16_t InAlbedo(double grey) { return static_cast<std::int16_t>(RoundToInt(grey * kGrey)); }

/// A picture moved by whole pixels; its border goes on.
cv::Mat Moved(const cv::Mat& picture, cv::Point by) {
  const int reach = std::max(std::abs(by.x), std::abs(by.y));
  cv::Mat wide;
  cv::copyMakeBorder(picture, wide, reach, reach, reach, reach, cv::BORDER_REPLICATE);
  return wide({reach - by.x, reach - by.y, picture.cols, picture.rows}).clone();
}

/// By how much pixels, or their neighbours, are brighter than both of their sides, 1/64 grey; far
/// less than 0 where these are not of one print.
/// @param radians  of the direction to the sides
cv::Mat StreakMap(const cv::Mat& albedo, double radians, const CornerStreakParams& params) {
  const cv::Point side(RoundToInt(params.side_px * std::cos(radians)),
                       RoundToInt(params.side_px * std::sin(radians)));
  const cv::Mat one = Moved(albedo, side), other = Moved(albedo, -side);
  cv::Mat brighter, apart, most;
  cv::max(one, other, brighter);
  brighter = albedo - brighter;
  cv::absdiff(one, other, apart);
  cv::max(brighter, InAlbedo(params.max_side_grey), most);
  brighter.setTo(-InAlbedo(params.most_grey), apart > most);
  cv::dilate(brighter, brighter, Square(1));
  return brighter;
}

class StreakSearch {
 public:
  StreakSearch(Corner corner, const Plane& albedo, const Plane& surface,
               const CornerStreakParams& params)
      : corner_(corner), object_(albedo.width(), albedo.height()), params_(params) {
    const int shorter = std::min(object_.width, object_.height);
    leg_ = static_cast<int>(params.max_leg_share * shorter);
    if (leg_ < 1) return;
    albedo_ = corner.PartOf(AsMat(albedo), leg_);
    surface_ = corner.PartOf(AsMat(surface), leg_);
  }

  std::optional<FoundLine> Run() const {
    std::optional<FoundLine> best;
    if (leg_ <= params_.min_length_px / 2) return best;
    std::array<cv::Mat, kDirections> maps;
    for (int i = 0; i < kDirections; ++i) {
      maps[static_cast<std::size_t>(i)] = StreakMap(albedo_, DirectionOf(i), params_);
    }
    for (int turn = params_.min_turn_deg; turn <= 90 - params_.min_turn_deg;
         turn += params_.turn_step_deg) {
      const int direction = std::min(turn * kDirections / 90, kDirections - 1);
      TryTurn(turn * kDegree, maps[static_cast<std::size_t>(direction)], best);
    }
    return best;
  }

 private:
  /// To which the sides of a chord are looked for: as exact as whole pixels are.
  static constexpr int kDirections = 3;
  static double DirectionOf(int i) { return (i + 0.5) * 90 / kDirections * kDegree; }

  void TryTurn(double radians, const cv::Mat& map, std::optional<FoundLine>& best) const {
    int seen = 0;  // chords in a row, up to this one, that are part of the object
    for (int distance = 1; distance < leg_; ++distance) {
      const CornerChord chord(radians, distance);
      if (chord.left >= leg_ || chord.top >= leg_) return;
      seen = IsSeen(chord) ? seen + 1 : 0;
      if (seen <= params_.min_corner_px || chord.length < params_.min_length_px) continue;
      const double mean = MeanOf(chord, map);
      if (mean < params_.min_mean_grey || (best && mean <= best->score)) continue;
      best = FoundLine{.line = corner_.LineOf(chord, object_),
                       .score = mean,
                       .needed = params_.min_mean_grey,
                       .bare = true};
    }
  }

  int EndOf(const CornerChord& chord) const {
    return static_cast<int>(chord.length) - params_.start_px;
  }

  bool IsSeen(const CornerChord& chord) const {
    for (int along = params_.start_px; along < EndOf(chord); ++along) {
      if (surface_.at<std::uint8_t>(chord.At(along)) == 0) return false;
    }
    return true;
  }

  /// By how much a chord is brighter than its sides, grey values; 0 where too few of its pixels
  /// are.
  double MeanOf(const CornerChord& chord, const cv::Mat& map) const {
    const int pixels = EndOf(chord) - params_.start_px;
    const auto allowed = static_cast<int>((1 - params_.min_share) * pixels);
    const std::int16_t least = InAlbedo(params_.min_grey), most = InAlbedo(params_.most_grey);
    int missed = 0;
    std::int64_t sum = 0;
    for (int along = params_.start_px; along < EndOf(chord); ++along) {
      const std::int16_t brighter = map.at<std::int16_t>(chord.At(along));
      if (brighter < least && ++missed > allowed) return 0;
      sum += std::clamp<std::int16_t>(brighter, -most, most);
    }
    return pixels < 1 ? 0 : static_cast<double>(sum) / kGrey / pixels;
  }

  Corner corner_;
  cv::Size object_;
  const CornerStreakParams& params_;
  int leg_;
  cv::Mat albedo_, surface_;  // around the corner, which is at the top left
};

}  // namespace

std::vector<FoundLine> FindCornerStreaks(const Plane& albedo, const Plane& surface,
                                         const CornerStreakParams& params, ThreadPool& pool) {
  const auto find = [&](const Corner& corner) {
    return StreakSearch(corner, albedo, surface, params).Run();
  };
  return FindAcrossCorners(find, pool);
}

}  // namespace glint::photometric
