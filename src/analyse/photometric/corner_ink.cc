// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/corner_ink.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace glint::photometric {
namespace {

/// What is gone along a chord.
struct LostInk {
  double mean_grey = 0;
  double spots_share = 0;
};

/// Nothing where the chord leaves the picture.
std::optional<LostInk> Measure(const cv::Mat& grey, const CornerChord& chord, int start_px,
                               const CornerInkParams& params) {
  const int end = static_cast<int>(chord.length()) - start_px;
  const cv::Rect picture({0, 0}, grey.size());
  LostInk ink;
  for (int along = start_px; along < end; ++along) {
    const cv::Point before = chord.At(along, -params.strip_px);
    const cv::Point beyond = chord.At(along, params.strip_px);
    if (!before.inside(picture) || !beyond.inside(picture)) return std::nullopt;
    float on = 0;
    for (const int across : {-1, 0, 1}) {
      on = std::max(on, grey.at<float>(chord.At(along, across)));
    }
    const double brighter = on - std::max(grey.at<float>(before), grey.at<float>(beyond));
    ink.mean_grey += std::clamp(brighter, params.min_place_grey, params.max_place_grey);
    ink.spots_share += brighter > params.min_spot_grey ? 1 : 0;
  }
  const int places = end - start_px;
  if (places <= 0) return std::nullopt;
  ink.mean_grey /= places;
  ink.spots_share /= places;
  return ink;
}

}  // namespace

CornerChord::CornerChord(double radians, int distance, double bow_px)
    : left(distance / std::cos(radians)), top(distance / std::sin(radians)), bow(bow_px) {}

double CornerChord::length() const { return std::hypot(left, top); }

cv::Point CornerChord::At(double along, int across) const {
  const double share = along / length();
  const double off = across + bow * 4 * share * (1 - share);
  return {RoundToInt(top * share + off * left / length()),
          RoundToInt(left * (1 - share) + off * top / length())};
}

std::optional<CornerChord> FindLostInkAcross(const cv::Mat& grey, double radians, int distance,
                                             int start_px, const CornerInkParams& params) {
  std::optional<CornerChord> best;
  double most = params.min_mean_grey;
  const int bows = static_cast<int>(params.max_bow_share / params.bow_step_share);
  for (int turn = -params.max_turn_deg; turn <= params.max_turn_deg; turn += params.turn_step_deg) {
    const double turned = radians + turn * std::numbers::pi / 180;
    if (turned <= 0 || turned >= std::numbers::pi / 2) continue;  // across another corner
    for (int shift = -params.max_shift_px; shift <= params.max_shift_px; ++shift) {
      if (distance + shift < 1) continue;
      const CornerChord straight(turned, distance + shift);
      if (straight.left >= grey.rows || straight.top >= grey.cols) continue;
      const double length = straight.length();
      if (length < params.min_length_px) continue;
      for (int bow = -bows; bow <= bows; ++bow) {
        const CornerChord chord(turned, distance + shift, bow * params.bow_step_share * length);
        const auto ink = Measure(grey, chord, start_px, params);
        if (!ink || ink->mean_grey < most || ink->spots_share < params.min_spots_share ||
            ink->spots_share > params.max_spots_share) {
          continue;
        }
        most = ink->mean_grey;
        best = chord;
      }
    }
  }
  return best;
}

}  // namespace glint::photometric
