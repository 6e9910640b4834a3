// SPDX-License-Identifier: Apache-2.0
// How well a quadrilateral is the outline of a thing in one small picture.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <opencv2/core/mat.hpp>
#include <utility>

#include "analyse/location/edge_pixels.h"
#include "analyse/location/object_search_params.h"
#include "analyse/outline_lines.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// The edges of a small picture, read along outlines.
class EdgeMap {
 public:
  /// @param rgb  CV_8UC3
  EdgeMap(const cv::Mat& rgb, const JudgingParams& params)
      : EdgeMap(rgb, GradientOf(rgb), params) {}
  /// @param gradient  of `rgb`
  EdgeMap(const cv::Mat& rgb, const ColourGradient& gradient, const JudgingParams& params);

  /// What the profile across a side has at one place.
  struct Edge {
    bool found = false;   ///< an edge along the side, with no stronger one at the profile's ends
    bool inside = false;  ///< the place lies in the picture
    int out = 0;          ///< how far along the normal it lies, where one is found
  };
  /// The strongest edge within `reach` of `p` that runs across the unit vector `normal`.
  Edge Probe(Point p, Point normal, int reach) const;

  /// The colour at a point, the nearest one of the picture outside of it.
  cv::Vec3f Colour(Point p) const;

  /// The mean colour of params().colour_places_px from `p` along `normal`.
  cv::Vec3f Beside(Point p, Point normal) const;

  /// The picture, a little blurred. CV_8UC3
  const cv::Mat& smooth() const { return smooth_; }

  /// Lets places count as edges, too, where the foreground ends. @param mask  CV_8U: not 0 where it
  /// is
  void SetForeground(cv::Mat mask) { foreground_ = std::move(mask); }

  /// Whether `inwards` of a point lies foreground, and on its other side none.
  bool EndsForeground(Point p, Point inwards) const;

  /// Whether an edge of any direction lies within a pixel of `p`.
  bool HasEdgeNear(Point p) const;

  Size size() const { return pixels_.size(); }
  const JudgingParams& params() const { return params_; }

 private:
  EdgePixels pixels_;
  cv::Mat smooth_;      // CV_8UC3
  cv::Mat foreground_;  // CV_8U; empty: not asked
  JudgingParams params_;
};

/// Places along a side at which it is probed; the parts next to the corners, which may be round or
/// hidden, left out.
inline constexpr std::size_t kSideSamples = 72;
/// Position of one of `count` samples on its side, 0..1.
double SamplePosition(std::size_t sample, const JudgingParams& params,
                      std::size_t count = kSideSamples);

/// What the edges say of an outline.
struct OutlineJudgement {
  std::array<double, 4> support{};   ///< per side: share of its places in the picture with an edge
  std::array<double, 4> seen{};      ///< per side: share of its places in the picture
  std::array<double, 4> contrast{};  ///< per side: median distance of the colours it parts (RGB)
  std::array<std::bitset<kSideSamples>, 4> found;  ///< per side: places with an edge
  double extension = 0;  ///< share of edges on the sides' continuations beyond the corners
  double corners = 0;    ///< share of edges right beside the corners
  /// per side: share of its neighbours' continuations beyond it along which the object goes on
  std::array<double, 4> passed{};

  double MeanSupport() const;
  double LeastSupport() const;
  double MeanSeen() const;
  double MeanContrast() const;
};

/// How much of the four sides is to be looked at.
enum class JudgedParts { kSides, kAll };

/// Judges a convex clockwise outline. @param reach  pixels that a side may be off
OutlineJudgement JudgeOutline(const EdgeMap& edges, const Quadrilateral& outline, int reach,
                              JudgedParts parts = JudgedParts::kAll);

/// Moves the sides to the edges near them; a side with too few keeps its place.
Quadrilateral RefitOutline(const EdgeMap& edges, const Quadrilateral& outline, int reach);

}  // namespace glint
