// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/printed_border.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analyse/location/colour_in_light.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/quadrilateral.h"
#include "base/median.h"

namespace glint {
namespace {

/// On which side of an outline a border is looked for.
enum class Towards { kInside, kOutside };

/// The colours on a line from a side into the border, a pixel apart, and on its other side.
struct BorderProfile {
  std::vector<cv::Vec3f> border;  // from params.first_px on
  cv::Vec3f behind;
};

using SideProfiles = std::vector<BorderProfile>;

/// Unit vector across a side.
Point Across(const OutlineSide& side, Towards where) {
  const Point along = side.to - side.from;
  const double sign = where == Towards::kInside ? 1 : -1;
  return Point{-along.y, along.x} * (sign / Length(along));
}

SideProfiles ProfilesOf(const EdgeMap& edges, const OutlineSide& side, Towards where, int depth_px,
                        const PrintedBorderParams& params) {
  const Point across = Across(side, where);
  SideProfiles profiles(params.places);
  for (std::size_t i = 0; i < params.places; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(params.places - 1);
    const double position = params.corner_share + (1 - 2 * params.corner_share) * share;
    const Point place = side.from + (side.to - side.from) * position;
    for (int depth = params.first_px; depth <= depth_px; ++depth) {
      profiles[i].border.push_back(edges.Colour(place + across * depth));
    }
    profiles[i].behind = edges.Colour(place - across * params.first_px);
  }
  return profiles;
}

/// The border at one side.
struct SideBorder {
  std::vector<double> widths;  // of the places where there is one
  cv::Vec3f colour;            // the median of each channel
};

/// How far the border goes at each place: as far as its colour does, which is unlike what lies
/// behind. Light may change it along the side, but hardly from the side inwards.
SideBorder BorderOf(const SideProfiles& side, const PrintedBorderParams& params) {
  SideBorder found;
  std::array<std::vector<float>, 3> channels;
  for (const BorderProfile& profile : side) {
    const cv::Vec3f& begin = profile.border.front();
    if (cv::norm(begin - profile.behind) < params.min_step) continue;
    const auto end = std::ranges::find_if(profile.border, [&](const cv::Vec3f& colour) {
      return cv::norm(colour - begin) > params.max_unlike;
    });
    found.widths.push_back(static_cast<double>(params.first_px + (end - profile.border.begin())));
    for (std::size_t c = 0; c < 3; ++c) channels[c].push_back(begin[static_cast<int>(c)]);
  }
  if (found.widths.empty()) return found;
  found.colour = {UpperMedian(channels[0]), UpperMedian(channels[1]), UpperMedian(channels[2])};
  return found;
}

/// Whether all sides are one print.
bool AreOnePrint(const std::array<SideBorder, 4>& sides, const PrintedBorderParams& params) {
  for (const SideBorder& a : sides) {
    for (const SideBorder& b : sides) {
      const double ratio = cv::norm(a.colour) / std::max(1.0, cv::norm(b.colour));
      if (ratio > params.max_light_ratio) return false;
      if (UnlikeInAnyLight(a.colour, b.colour, params.max_light_ratio) > params.max_unlike)
        return false;
    }
  }
  return true;
}

/// Whether most of these end at one straight edge.
bool EndTogether(const std::vector<double>& widths, double width,
                 const PrintedBorderParams& params) {
  const double slack = std::max(params.min_slack_px, params.slack_share * width);
  const auto near =
      std::ranges::count_if(widths, [&](double other) { return std::abs(other - width) <= slack; });
  return static_cast<double>(near) >=
         params.min_straight_share * static_cast<double>(widths.size());
}

/// How wide the border is on each side of an outline; nothing where there is none.
std::optional<std::array<double, 4>> BorderWidths(const EdgeMap& edges,
                                                  const Quadrilateral& outline, Towards where,
                                                  const PrintedBorderParams& params) {
  const double most = params.max_width_share * Diagonal(outline);
  const int depth = static_cast<int>(std::ceil(most)) + 1;
  if (depth <= params.first_px) return std::nullopt;
  std::array<SideBorder, 4> sides;
  std::array<double, 4> widths{};
  for (std::size_t i = 0; i < 4; ++i) {
    const OutlineSide side{outline[i], outline[(i + 1) % 4]};
    sides[i] = BorderOf(ProfilesOf(edges, side, where, depth, params), params);
    std::vector<double>& here = sides[i].widths;
    const auto places = static_cast<double>(params.places);
    if (static_cast<double>(here.size()) < params.min_side_share * places) return std::nullopt;
    widths[i] = UpperMedian(here);
    if (widths[i] < params.min_width_px || widths[i] > most) return std::nullopt;
    if (!EndTogether(here, widths[i], params)) return std::nullopt;
  }
  if (!AreOnePrint(sides, params)) return std::nullopt;
  const auto [least, widest] = std::ranges::minmax(widths);
  if (widest > params.max_width_ratio * least) return std::nullopt;
  return widths;
}

/// The outline at the outer edge of the border around this one.
std::optional<Quadrilateral> OuterEdge(const EdgeMap& edges, const Quadrilateral& panel,
                                       const PrintedBorderParams& params) {
  const auto widths = BorderWidths(edges, panel, Towards::kOutside, params);
  if (!widths) return std::nullopt;
  std::array<OutlineSide, 4> sides;
  for (std::size_t i = 0; i < 4; ++i) {
    const OutlineSide side{panel[i], panel[(i + 1) % 4]};
    const Point out = Across(side, Towards::kOutside) * ((*widths)[i] - 0.5);
    sides[i] = {side.from + out, side.to + out};
  }
  return MeetSides(sides, edges.params().min_corner_sine);
}

bool AreEnough(std::size_t with, std::size_t asked, const PrintedBorderParams& params) {
  return static_cast<double>(with) >= params.min_frames_share * static_cast<double>(asked);
}

}  // namespace

bool HasPrintedBorder(const SearchedClip& clip, const std::map<std::size_t, Homography>& motion,
                      std::span<const std::size_t> frames, const Quadrilateral& outline,
                      const PrintedBorderParams& params) {
  std::size_t with = 0;
  for (const std::size_t at : frames) {
    const Quadrilateral here = Map(motion.at(at), outline);
    const bool shows =
        IsConvex(here) && BorderWidths(clip[at].edges, here, Towards::kInside, params).has_value();
    with += shows ? 1 : 0;
  }
  return AreEnough(with, frames.size(), params);
}

std::optional<Quadrilateral> RimAroundPanel(const SearchedClip& clip,
                                            const std::map<std::size_t, Homography>& motion,
                                            std::span<const std::size_t> frames,
                                            const Quadrilateral& panel,
                                            const PrintedBorderParams& params) {
  std::array<std::vector<double>, 4> x;
  std::array<std::vector<double>, 4> y;
  for (const std::size_t at : frames) {
    const Quadrilateral here = Map(motion.at(at), panel);
    const auto back = Inverse(motion.at(at));
    if (!back || !IsConvex(here)) continue;
    const auto edge = OuterEdge(clip[at].edges, here, params);
    if (!edge) continue;
    const Quadrilateral rim = Map(*back, *edge);
    for (std::size_t i = 0; i < 4; ++i) {
      x[i].push_back(rim[i].x);
      y[i].push_back(rim[i].y);
    }
  }
  if (x[0].empty() || !AreEnough(x[0].size(), frames.size(), params)) return std::nullopt;
  Quadrilateral rim;
  for (std::size_t i = 0; i < 4; ++i) rim[i] = {UpperMedian(x[i]), UpperMedian(y[i])};
  if (!IsConvex(rim)) return std::nullopt;
  return rim;
}

}  // namespace glint
