// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/line_paths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <utility>
#include <vector>

#include "analyse/photometric/pixels/masks.h"
#include "analyse/photometric/print/evenness.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/status_macros.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// Distance of each pixel to the nearest that is not surface; outside the plane nothing is.
cv::Mat DistanceToRim(const Plane& surface) {
  cv::Mat framed, distance;
  cv::copyMakeBorder(AsMat(surface) != 0, framed, 1, 1, 1, 1, cv::BORDER_CONSTANT, cv::Scalar(0));
  cv::distanceTransform(framed, distance, cv::DIST_L2, 5);
  return distance(cv::Rect(1, 1, surface.width(), surface.height()));
}

/// Sums over the pixels of one connected component.
struct LinkedPixels {
  int left = std::numeric_limits<int>::max(), right = -1;
  int top = std::numeric_limits<int>::max(), bottom = -1;
  std::int64_t pixels = 0;
  std::int64_t energy = 0;
  std::int32_t peak = 0;
  std::int64_t near_rim = 0;
  std::int64_t near_gap = 0;
  std::int64_t on_print = 0;
  std::int64_t on_stroke = 0;
  std::vector<std::int64_t> beside_print;  // a contour runs with it, by parallel
  Evenness step;                           // of the albedo across it
  Evenness stroke;                         // by how much it is darker there than both sides
  std::int32_t certain = 0;  // the most by which evidence exceeds what was needed, 1/256
  float least_depth = std::numeric_limits<float>::max();  // distance from the rim
  float most_depth = 0;

  void Add(int x, int y, std::int32_t value, float depth) {
    left = std::min(left, x);
    right = std::max(right, x);
    top = std::min(top, y);
    bottom = std::max(bottom, y);
    ++pixels;
    energy += value;
    peak = std::max(peak, value);
    least_depth = std::min(least_depth, depth);
    most_depth = std::max(most_depth, depth);
  }
};

LinePath Describe(const LinkedPixels& component, std::int32_t level) {
  const int width = component.right - component.left + 1;
  const int height = component.bottom - component.top + 1;
  LinePath path{.box = {component.left, component.top, width, height}, .pixels = component.pixels};
  path.length = std::sqrt(static_cast<double>(width * width + height * height));
  path.peak = static_cast<double>(component.peak) / level;
  path.mean =
      static_cast<double>(component.energy) / (static_cast<double>(component.pixels) * level);
  path.score = path.mean * std::sqrt(std::sqrt(path.length));
  return path;
}

/// Whether a path lies on an edge of the print: brighter on one side all along.
bool IsOnEdge(const LinkedPixels& component, const PathParams& params) {
  return component.pixels >= params.min_edge_pixels &&
         std::abs(component.step.Mean()) >= params.min_edge_step_grey &&
         component.step.Ratio(params.edge_noise_grey) >= params.min_edge_evenness;
}

/// Whether a path lies on a stroke of the print: darker than on both sides all along.
bool IsOnStroke(const LinkedPixels& component, const PathParams& params) {
  return params.even_stroke_cost > 0 && component.pixels >= params.min_stroke_pixels &&
         component.stroke.Mean() >= params.min_stroke_grey &&
         component.stroke.Ratio(params.edge_noise_grey) >= params.min_edge_evenness;
}

/// How much more is asked of a path that lies on what the print has all along it.
double EvenPrintCost(const LinkedPixels& component, const PathParams& params) {
  return std::max(IsOnEdge(component, params) ? params.edge_cost : 0,
                  IsOnStroke(component, params) ? params.even_stroke_cost : 0);
}

double NeededScore(const LinkedPixels& component, const LinePath& path, const PathParams& params) {
  const bool along_rim = 100 * component.near_rim > params.rim_percent * component.pixels &&
                         path.length > params.rim_length_bands * params.rim_band_px &&
                         std::min(path.box.width, path.box.height) <= params.rim_band_px;
  const bool at_gap = 100 * component.near_gap > params.touch_percent * component.pixels;
  const bool from_rim =
      component.least_depth <= static_cast<float>(params.rim_start_px) &&
      component.most_depth - component.least_depth >= params.inward_share * path.length;
  const double needed = along_rim            ? params.min_rim_score
                        : at_gap || from_rim ? params.min_touch_score
                                             : params.min_score;
  const auto pixels = static_cast<double>(component.pixels);
  const double on_print = static_cast<double>(component.on_print) / pixels;
  const double parallel =
      static_cast<double>(*std::ranges::max_element(component.beside_print)) / pixels;
  const double doubt =
      std::clamp((parallel - params.parallel_share) / params.parallel_range, 0.0, 1.0);
  const double on_stroke = static_cast<double>(component.on_stroke) / pixels;
  const double ink = std::clamp((on_stroke - params.stroke_share) / params.stroke_range, 0.0, 1.0);
  return needed * (1 + std::max({params.print_cost * on_print, params.parallel_cost * doubt,
                                 params.stroke_cost * ink, EvenPrintCost(component, params)}));
}

/// @param share  of the score that it needs
bool IsLine(const LinePath& path, double share, const PathParams& params) {
  return path.pixels > 0 && path.peak >= params.min_peak_levels &&
         path.length >= params.min_length_px && path.score >= share * path.needed;
}

/// Ridge pixels joined to paths.
struct JoinedPaths {
  cv::Mat labels;  // CV_32S, also around the ridges
  std::vector<LinkedPixels> components;
  std::vector<LinePath> paths;  // per component
};

/// What lies around the object, for PathParams.
struct Surroundings {
  cv::Mat depth;     // CV_32F: distance from the rim
  cv::Mat near_gap;  // CV_8U

  Surroundings(const PathInput& input, const PathParams& params)
      : depth(DistanceToRim(input.surface)) {
    cv::dilate(AsMat(input.gaps), near_gap, Disc(params.touch_reach_px));
  }
};

/// Counts what the print has at a ridge pixel and beside it.
void AddPrint(const PathInput& input, int x, int y, const PathParams& params, LinkedPixels& to) {
  const int direction = input.directions.Row<std::uint8_t>(y)[x] % kDirections;
  to.on_print += input.print->contrast.HasNear(x, y, direction) ? 1 : 0;
  to.on_stroke += input.print->strokes.HasNear(x, y, direction) ? 1 : 0;
  const double angle = CV_PI * direction / kDirections;
  int away = -params.parallels * params.parallel_step_px;
  for (std::int64_t& beside : to.beside_print) {
    const int u = x - static_cast<int>(std::lround(away * std::sin(angle)));
    const int v = y + static_cast<int>(std::lround(away * std::cos(angle)));
    beside += input.print->contours.Has(u, v, direction) ? 1 : 0;
    away += params.parallel_step_px;
  }
}

/// Adds how much brighter a ridge pixel's surroundings are on one side of its path than on the
/// other, which side comes first being the same all along the path, and by how much it is darker
/// than both.
void AddAcross(const PathInput& input, int x, int y, int strip_px, LinkedPixels& to) {
  const int direction = input.directions.Row<std::uint8_t>(y)[x] % kDirections;
  const double angle = CV_PI * direction / kDirections;
  double across_x = -std::sin(angle), across_y = std::cos(angle);
  const bool lies = to.right - to.left >= to.bottom - to.top;
  if ((lies ? across_y : across_x) < 0) {
    across_x = -across_x;
    across_y = -across_y;
  }
  const Plane& albedo = input.print->albedo;
  const auto albedo_at = [&](int away) {
    const int u = x + static_cast<int>(std::lround(away * across_x));
    const int v = y + static_cast<int>(std::lround(away * across_y));
    return std::int64_t{albedo.Row<std::int16_t>(
        std::clamp(v, 0, albedo.height() - 1))[std::clamp(u, 0, albedo.width() - 1)]};
  };
  std::int64_t before = 0, behind = 0;
  for (int away = strip_px - 1; away <= strip_px + 1; ++away) {
    before += albedo_at(-away);
    behind += albedo_at(away);
  }
  to.step.Add((behind - before) / 3);
  to.stroke.Add(std::min(before, behind) / 3 -
                std::min({albedo_at(-1), albedo_at(0), albedo_at(1)}));
}

/// Does so for all paths, whose boxes are known.
void AddAllAcross(const cv::Mat& ridges, const PathInput& input, int strip_px,
                  JoinedPaths& joined) {
  for (int y = 0; y < ridges.rows; ++y) {
    for (int x = 0; x < ridges.cols; ++x) {
      if (ridges.at<std::uint8_t>(y, x) == 0) continue;
      const auto path = static_cast<std::size_t>(joined.labels.at<std::int32_t>(y, x));
      AddAcross(input, x, y, strip_px, joined.components[path]);
    }
  }
}

JoinedPaths Join(const cv::Mat& ridges, const PathInput& input, const Surroundings& around,
                 const PathParams& params) {
  cv::Mat linked;
  const int reach = 2 * params.link_px + 1;
  cv::dilate(ridges, linked, cv::Mat::ones(reach, reach, CV_8U));
  JoinedPaths joined;
  const int count = cv::connectedComponents(linked, joined.labels, 8, CV_32S);
  LinkedPixels none;
  none.beside_print.resize(2 * static_cast<std::size_t>(params.parallels) + 1);
  joined.components.resize(static_cast<std::size_t>(count), none);
  for (int y = 0; y < ridges.rows; ++y) {
    const auto* ridge = ridges.ptr<std::uint8_t>(y);
    const auto* depth = around.depth.ptr<float>(y);
    for (int x = 0; x < ridges.cols; ++x) {
      if (ridge[x] == 0) continue;
      LinkedPixels& to =
          joined.components[static_cast<std::size_t>(joined.labels.at<std::int32_t>(y, x))];
      to.Add(x, y, input.energy.Row<std::int32_t>(y)[x], depth[x]);
      to.near_rim += depth[x] <= static_cast<float>(params.rim_band_px) ? 1 : 0;
      to.near_gap += around.near_gap.at<std::uint8_t>(y, x) != 0 ? 1 : 0;
      if (input.print != nullptr) AddPrint(input, x, y, params, to);
      if (!input.certain.empty()) {
        to.certain = std::max(to.certain, input.certain.Row<std::int32_t>(y)[x]);
      }
    }
  }
  if (input.print != nullptr && !input.print->albedo.empty())
    AddAllAcross(ridges, input, params.edge_strip_px, joined);
  for (const LinkedPixels& component : joined.components) {
    LinePath& path = joined.paths.emplace_back();
    if (component.pixels == 0) continue;
    path = Describe(component, input.level);
    path.needed = NeededScore(component, path, params);
  }
  return joined;
}

/// How far a disc reaches to either side of its middle, row by row, from the topmost on.
std::vector<int> ReachOfDisc(int radius) {
  const cv::Mat disc = Disc(radius);
  std::vector<int> reach;
  reach.reserve(static_cast<std::size_t>(disc.rows));
  for (int y = 0; y < disc.rows; ++y) reach.push_back(cv::countNonZero(disc.row(y)) / 2);
  return reach;
}

/// Whether any pixel of `marked` in begin .. end - 1 is set and satisfies a condition. Most are not
/// set, so eight are looked at at once.
template <class Condition>
bool AnyMarked(const std::uint8_t* marked, int begin, int end, const Condition& condition) {
  int x = begin;
  while (x < end) {
    std::uint64_t eight = 0;
    if (x + 8 <= end) {
      std::memcpy(&eight, marked + x, sizeof eight);
      if (eight == 0) {
        x += 8;
        continue;
      }
    }
    if (marked[x] != 0 && condition(x)) return true;
    ++x;
  }
  return false;
}

/// Unmarks of `marks` what has too little of the strongest evidence of `of` near it. Marks are few,
/// so each looks around for itself.
void DropFaint(const Plane& energy, const cv::Mat& of, int reach_px, double min_share,
               cv::Mat& marks) {
  const std::vector<int> reach = ReachOfDisc(reach_px);
  const auto is_faint = [&](cv::Point at) {
    const auto own = static_cast<float>(energy.Row<std::int32_t>(at.y)[at.x]);
    const int first = at.y - reach_px;
    for (int y = std::max(first, 0); y <= std::min(at.y + reach_px, marks.rows - 1); ++y) {
      const int to_side = reach[static_cast<std::size_t>(y - first)];
      const auto* value = energy.Row<std::int32_t>(y);
      const bool faint =
          AnyMarked(of.ptr<std::uint8_t>(y), std::max(at.x - to_side, 0),
                    std::min(at.x + to_side + 1, marks.cols), [&](int x) {
                      return own < static_cast<float>(min_share) * static_cast<float>(value[x]);
                    });
      if (faint) return true;
    }
    return false;
  };
  std::vector<cv::Point> faint;
  cv::findNonZero(marks, faint);
  std::erase_if(faint, [&](cv::Point at) { return !is_faint(at); });
  for (const cv::Point at : faint) marks.at<std::uint8_t>(at) = 0;  // they may be `of` themselves
}

/// Where paths in line with kept ones may lie, by direction.
class FollowZones {
 public:
  FollowZones(const Plane& directions, const PathParams& params)
      : directions_(directions), zones_(directions.size()) {
    const int reach = params.follow_along_px + params.follow_across_px + 1;
    for (int direction = 0; direction < kDirections; ++direction) {
      const double angle = CV_PI * direction / kDirections;
      const double cosine = std::cos(angle), sine = std::sin(angle);
      for (int y = -reach; y <= reach; ++y) {
        for (int x = -reach; x <= reach; ++x) {
          const double along = x * cosine + y * sine, across = y * cosine - x * sine;
          if (std::abs(along) > params.follow_along_px) continue;
          if (std::abs(across) > params.follow_across_px) continue;
          bars_[static_cast<std::size_t>(direction)].emplace_back(x, y);
        }
      }
    }
  }

  /// Opens the zone around a ridge pixel of a kept path.
  void Add(int x, int y) {
    const int direction = DirectionAt(x, y);
    const auto bit = static_cast<std::uint16_t>(1 << direction);
    const Size size = zones_.size();
    for (const cv::Point to : bars_[static_cast<std::size_t>(direction)]) {
      const int u = x + to.x, v = y + to.y;
      if (u >= 0 && v >= 0 && u < size.width && v < size.height) zones_.Row(v)[u] |= bit;
    }
  }

  bool Has(int x, int y) const { return zones_.HasNear(x, y, DirectionAt(x, y)); }

 private:
  int DirectionAt(int x, int y) const { return directions_.Row<std::uint8_t>(y)[x] % kDirections; }

  const Plane& directions_;
  DirectionMask zones_;
  std::array<std::vector<cv::Point>, kDirections> bars_;
};

/// Whether a chosen path runs beside a ridge pixel.
bool HasBeside(const PathInput& input, const JoinedPaths& joined, const std::vector<bool>& chosen,
               cv::Point at, int reach) {
  const cv::Mat ridges = AsMat(input.ridges);
  const int direction = input.directions.Row<std::uint8_t>(at.y)[at.x] % kDirections;
  const double angle = CV_PI * direction / kDirections;
  for (int away = -reach; away <= reach; ++away) {
    const int x = at.x - static_cast<int>(std::lround(away * std::sin(angle)));
    const int y = at.y + static_cast<int>(std::lround(away * std::cos(angle)));
    if (x < 0 || y < 0 || x >= ridges.cols || y >= ridges.rows) continue;
    // Around the ridges, too: a path one pixel wide has holes for a line of pixels.
    if (chosen[static_cast<std::size_t>(joined.labels.at<std::int32_t>(y, x))]) return true;
  }
  return false;
}

/// Chooses paths too weak alone that go on in line with chosen ones.
void ChooseFollowers(const PathInput& input, const JoinedPaths& joined, const PathParams& params,
                     std::vector<bool>& chosen) {
  const cv::Mat ridges = AsMat(input.ridges);
  const auto for_ridges = [&](const auto& visit) {
    for (int y = 0; y < ridges.rows; ++y) {
      for (int x = 0; x < ridges.cols; ++x) {
        if (ridges.at<std::uint8_t>(y, x) == 0) continue;
        visit(x, y, static_cast<std::size_t>(joined.labels.at<std::int32_t>(y, x)));
      }
    }
  };
  FollowZones zones(input.directions, params);
  std::vector<bool> opened(chosen.size());
  for (int round = 0; round < params.follow_rounds; ++round) {
    for_ridges([&](int x, int y, std::size_t path) {
      if (chosen[path] && !opened[path]) zones.Add(x, y);
    });
    opened = chosen;
    std::vector<std::int64_t> inside(chosen.size()), beside(chosen.size());
    for_ridges([&](int x, int y, std::size_t path) {
      if (chosen[path]) return;
      if (zones.Has(x, y)) ++inside[path];
      if (HasBeside(input, joined, chosen, {x, y}, params.follow_beside_px)) ++beside[path];
    });
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const LinePath& path = joined.paths[i];
      if (path.length < params.min_follower_length_px) continue;
      if (path.score < params.min_follower_score) continue;
      const double enough = std::min<double>(
          params.min_follower_pixels, params.min_follower_share * static_cast<double>(path.pixels));
      const bool flank = static_cast<double>(beside[i]) >
                         params.max_beside_share * static_cast<double>(path.pixels);
      if (path.pixels > 0 && static_cast<double>(inside[i]) >= enough && !flank) chosen[i] = true;
    }
  }
}

/// Unmarks what is not of a chosen path.
void KeepChosen(const std::vector<bool>& chosen, const JoinedPaths& joined, cv::Mat& ridges) {
  for (int y = 0; y < ridges.rows; ++y) {
    for (int x = 0; x < ridges.cols; ++x) {
      if (!chosen[static_cast<std::size_t>(joined.labels.at<std::int32_t>(y, x))]) {
        ridges.at<std::uint8_t>(y, x) = 0;
      }
    }
  }
}

/// The ridge pixels of chosen paths.
cv::Mat RidgesOf(const std::vector<bool>& chosen, const PathInput& input,
                 const JoinedPaths& joined) {
  cv::Mat crest = AsMat(input.ridges).clone();
  KeepChosen(chosen, joined, crest);
  return crest;
}

/// Whether a path lies away from the rim and from gaps, whose own misfit shows, and no part of it
/// is certain: what is certain has been taken out of it without its branches.
bool MayBeLone(const LinkedPixels& component, const LinePath& path, const PathParams& params) {
  return component.certain == 0 && path.needed < params.min_rim_score &&
         !IsOnEdge(component, params) && !IsOnStroke(component, params) &&
         100 * component.near_gap <= params.touch_percent * component.pixels;
}

/// Chooses paths that are nearly significant where they are no halo of a chosen one.
void ChooseLone(const PathInput& input, const JoinedPaths& joined, const PathParams& params,
                std::vector<bool>& chosen) {
  cv::Mat clear = AsMat(input.ridges).clone();
  DropFaint(input.energy, RidgesOf(chosen, input, joined), params.halo_px, params.min_halo_share,
            clear);
  std::vector<std::int64_t> outside(chosen.size());
  for (int y = 0; y < clear.rows; ++y) {
    for (int x = 0; x < clear.cols; ++x) {
      if (clear.at<std::uint8_t>(y, x) == 0) continue;
      ++outside[static_cast<std::size_t>(joined.labels.at<std::int32_t>(y, x))];
    }
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const LinePath& path = joined.paths[i];
    if (chosen[i] || !IsLine(path, params.lone_share, params)) continue;
    if (!MayBeLone(joined.components[i], path, params)) continue;
    chosen[i] = static_cast<double>(outside[i]) >=
                params.min_lone_pixels_share * static_cast<double>(path.pixels);
  }
}

/// Whether what is certain is so by enough for a path on an edge or a stroke of the print.
/// @param cost  EvenPrintCost
bool IsCertainOnPrint(std::int32_t certain, double cost) { return certain >= 256 * (1 + cost); }

/// Unmarks what is certain by too little for a path on an edge or a stroke of the print.
void DropEvenPrint(const PathInput& input, const JoinedPaths& joined, const PathParams& params,
                   cv::Mat& certain) {
  for (int y = 0; y < certain.rows; ++y) {
    for (int x = 0; x < certain.cols; ++x) {
      if (certain.at<std::uint8_t>(y, x) == 0) continue;
      const auto path = static_cast<std::size_t>(joined.labels.at<std::int32_t>(y, x));
      const double cost = EvenPrintCost(joined.components[path], params);
      const bool enough =
          cost <= 0 || IsCertainOnPrint(input.certain.Row<std::int32_t>(y)[x], cost);
      if (!enough) certain.at<std::uint8_t>(y, x) = 0;
    }
  }
}

/// The ridge pixels of significant paths, and of what is certain and no halo of them.
cv::Mat CrestOf(const PathInput& input, const Surroundings& around, const PathParams& params) {
  const cv::Mat ridges = AsMat(input.ridges);
  const JoinedPaths joined = Join(ridges, input, around, params);
  std::vector<bool> chosen;
  for (const LinePath& path : joined.paths) {
    chosen.push_back(IsLine(path, 1, params));
  }
  if (params.lone_share < 1) ChooseLone(input, joined, params, chosen);
  if (params.follow_rounds > 0 && params.min_piece_score == 0) {  // or of their pieces, later
    ChooseFollowers(input, joined, params, chosen);
  }
  cv::Mat crest = RidgesOf(chosen, input, joined);
  if (!input.certain.empty()) {
    cv::Mat certain = (AsMat(input.certain) != 0) & ridges;
    DropEvenPrint(input, joined, params, certain);
    DropFaint(input.energy, crest, params.halo_px, params.min_halo_share, certain);
    crest |= certain;
  }
  if (params.end_reach_px > 0) {
    DropFaint(input.energy, crest, params.end_reach_px, params.min_end_share, crest);
  }
  return crest;
}

/// Unmarks lines that lie on an edge or a stroke of the print and are too weak for that. What is
/// left of a path may show print all along where the whole of it did not.
void DropLinesOnPrint(const JoinedPaths& joined, const PathParams& params, cv::Mat& crest) {
  std::vector<bool> kept;
  kept.reserve(joined.paths.size());
  for (std::size_t i = 0; i < joined.paths.size(); ++i) {
    const LinkedPixels& component = joined.components[i];
    const double cost = component.pixels == 0 ? 0 : EvenPrintCost(component, params);
    kept.push_back(cost <= 0 || IsCertainOnPrint(component.certain, cost) ||
                   joined.paths[i].score >= joined.paths[i].needed);
  }
  KeepChosen(kept, joined, crest);
}

/// Keeps of significant paths only what is no hair: the pieces, whose pixels touch, that are strong
/// on their own, where those are significant together, and then what goes on in line with them. A
/// strong line grows hairs where a filter across it still meets it, and chance leads away from it.
/// @param link_px  by which strong pieces are joined
cv::Mat WithoutFaintPieces(const PathInput& input, const Surroundings& around,
                           const PathParams& params, int link_px, cv::Mat crest) {
  PathParams joining = params;
  joining.link_px = 0;
  const auto keep = [&](const auto& is_kept) {
    const JoinedPaths joined = Join(crest, input, around, joining);
    std::vector<bool> kept;
    kept.reserve(joined.paths.size());
    for (const LinePath& path : joined.paths) kept.push_back(is_kept(path));
    KeepChosen(kept, joined, crest);
  };
  keep([&](const LinePath& piece) { return piece.score >= params.min_piece_score; });
  joining.link_px = link_px;
  keep([&](const LinePath& path) { return IsLine(path, 1, params); });
  if (params.follow_rounds == 0) return crest;
  joining.link_px = 0;
  const JoinedPaths pieces = Join(AsMat(input.ridges), input, around, joining);
  std::vector<bool> chosen(pieces.paths.size());
  for (int y = 0; y < crest.rows; ++y) {
    for (int x = 0; x < crest.cols; ++x) {
      if (crest.at<std::uint8_t>(y, x) == 0) continue;
      chosen[static_cast<std::size_t>(pieces.labels.at<std::int32_t>(y, x))] = true;
    }
  }
  ChooseFollowers(input, pieces, params, chosen);
  return RidgesOf(chosen, input, pieces);
}

/// Numbers the paths of a crest by their first pixel.
void Number(const cv::Mat& crest, const JoinedPaths& joined, Lines& lines) {
  std::vector<std::int32_t> ids(joined.paths.size(), 0);
  for (int y = 0; y < crest.rows; ++y) {
    auto* out = lines.ids.Row<std::int32_t>(y);
    for (int x = 0; x < crest.cols; ++x) {
      out[x] = 0;
      if (crest.at<std::uint8_t>(y, x) == 0) continue;
      const auto path = static_cast<std::size_t>(joined.labels.at<std::int32_t>(y, x));
      if (ids[path] == 0) {
        lines.paths.push_back(joined.paths[path]);
        const std::int32_t certain = joined.components[path].certain;
        if (certain > 0) {
          lines.paths.back().needed =
              std::min(lines.paths.back().needed, lines.paths.back().score * 256 / certain);
        }
        ids[path] = static_cast<std::int32_t>(lines.paths.size());
      }
      out[x] = ids[path];
    }
  }
}

Lines Find(const PathInput& input, const PathParams& params) {
  const Surroundings around(input, params);
  cv::Mat crest = CrestOf(input, around, params);
  Lines lines{.ids = Plane::Host(input.ridges.size(), PixelType::kS32), .mask = {}, .paths = {}};
  PathParams whole = params;  // where a line was trimmed it is still one
  const bool trimmed = params.end_reach_px > 0 || params.min_piece_score > 0;
  if (trimmed) whole.link_px += params.trimmed_link_px;
  if (params.min_piece_score > 0) {
    crest = WithoutFaintPieces(input, around, params, whole.link_px, std::move(crest));
  }
  const JoinedPaths joined = Join(crest, input, around, whole);
  DropLinesOnPrint(joined, params, crest);
  Number(crest, joined, lines);
  cv::Mat mask = crest.clone();
  if (params.closing_px > 0) cv::morphologyEx(mask, mask, cv::MORPH_CLOSE, Disc(params.closing_px));
  cv::dilate(mask, mask, Disc(params.dilation_px));
  lines.mask = AsPlane(mask);
  return lines;
}

}  // namespace

Lines KeepLines(Lines lines, const std::vector<bool>& kept) {
  std::vector<std::int32_t> number(kept.size() + 1, 0);
  std::vector<LinePath> paths;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    paths.push_back(lines.paths[i]);
    number[i + 1] = static_cast<std::int32_t>(paths.size());
  }
  for (int y = 0; y < lines.ids.height(); ++y) {
    auto* id = lines.ids.Row<std::int32_t>(y);
    for (int x = 0; x < lines.ids.width(); ++x) id[x] = number[static_cast<std::size_t>(id[x])];
  }
  lines.paths = std::move(paths);
  return lines;
}

Lines DropLines(Lines lines, const std::vector<bool>& kept, int drawn_px) {
  if (std::ranges::all_of(kept, std::identity())) return lines;
  cv::Mat dropped = AsMat(lines.ids) != 0;
  lines = KeepLines(std::move(lines), kept);
  const cv::Mat ids = AsMat(lines.ids);
  dropped &= ids == 0;
  const cv::Mat around = cv::Mat::ones(2 * drawn_px + 1, 2 * drawn_px + 1, CV_8U);
  cv::dilate(dropped, dropped, around);
  cv::Mat near_kept;
  cv::dilate(ids != 0, near_kept, around);
  AsMat(lines.mask).setTo(0, dropped & ~near_kept);
  return lines;
}

absl::StatusOr<Lines> FindLinePaths(const PathInput& input, const PathParams& params) {
  Lines lines;
  GLINT_RETURN_IF_ERROR(HostCall("lines", [&] { lines = Find(input, params); }));
  return lines;
}

}  // namespace glint::photometric
