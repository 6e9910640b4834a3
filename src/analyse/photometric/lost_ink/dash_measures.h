// SPDX-License-Identifier: Apache-2.0
// What is measured of a dash of bare paper by its pixels and what lies beside them.
#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <vector>

#include "analyse/photometric/lost_ink/dash_pixels.h"
#include "base/params.h"

namespace glint::photometric {

/// Where a dash is measured. Object pixels.
struct DashMeasureParams {
  using Distances = std::array<int, 2>;

  /// from its middle to either side, where the print beside it is
  GLINT_PARAM(Distances, side_px, 1, 20) = {3, 4};
  /// beside it, where little may be as white: what is printed rarely comes alone
  GLINT_PARAM(double, beside_px, 1, 50) = 12;
  /// from its middle to where that begins
  GLINT_PARAM(double, beside_from_px, 0, 50) = 3.5;
  /// of those pixels, that have to be less white
  GLINT_PARAM(double, beside_quantile, 0.5, 1) = 0.95;
  /// of a disc that bare paper has room for where it is a margin or a ground, not a stroke: a dash
  /// that reaches one is still alone
  GLINT_PARAM(int, ground_radius_px, 1, 100) = 6;
  /// around such paper, where it fades into the ink
  GLINT_PARAM(int, ground_edge_px, 0, 20) = 2;
  /// of its own pixels, that are no whiter than what is compared with them
  GLINT_PARAM(double, own_quantile, 0, 1) = 0.8;
  /// from its pixels to either side, where most of it should be gone
  GLINT_PARAM(int, edge_px, 1, 20) = 2;
  /// to there
  GLINT_PARAM(int, beyond_edge_px, 2, 20) = 4;
};

/// A dash: its middle, its direction, and how much whiter than its sides it is at most.
struct PaperDash {
  double x = 0, y = 0;
  double cosine = 1, sine = 0;
  double length = 0;                    ///< px
  double contrast = 0;                  ///< grey values
  cv::Vec3d ink = cv::Vec3d(0, 0, 0);   ///< R, G, B of its sides
  cv::Vec3d gain = cv::Vec3d(0, 0, 0);  ///< of its own colour over that
  double evidence = 0;                  ///< DashEvidence

  bool operator==(const PaperDash&) const = default;
};

/// A dash, and what tells paper from print.
struct MeasuredDash {
  PaperDash dash;
  double width = 0;         ///< px
  double pixels = 0;        ///< how many
  double alone = 0;         ///< by how much it is whiter than nearly all beside it but wide bare
                            ///< paper, over its contrast; -9: nothing else is
  double least_gain = 0;    ///< grey: over the brighter side, of the channel that gains least
  double most_gain = 0;     ///< grey: the same of that which gains most
  double sides_differ = 0;  ///< grey, in the channel where they differ most
  double sharpness = 0;     ///< of what it is whiter than beyond its edge, the part that is gone at
                            ///< the edge: ink breaks off with an edge, a brush's stroke is soft
};

/// Wide bare paper and its edge: margins, balloons, a light ground.
/// @param bare  CV_8U, 0 and 255: where no ink can be lost
cv::Mat WideBarePaper(const cv::Mat& bare, const DashMeasureParams& params);

/// Measures dashes.
/// @param pixels     of each, FindDashPixels
/// @param colour     CV_8UC3, R, G, B: the object, the median of its views
/// @param whiteness  CV_8U, WhitenessOf
/// @param ground     CV_8U, WideBarePaper
std::vector<MeasuredDash> MeasureDashes(const std::vector<std::vector<cv::Point>>& pixels,
                                        const cv::Mat& colour, const cv::Mat& whiteness,
                                        const cv::Mat& ground, const DashRidges& ridges,
                                        const DashMeasureParams& params);

}  // namespace glint::photometric
