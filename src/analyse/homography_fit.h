// SPDX-License-Identifier: Apache-2.0
// Homographies from corresponding points.
#pragma once

#include <absl/status/status.h>

#include <array>
#include <opencv2/core/mat.hpp>
#include <opencv2/core/types.hpp>
#include <optional>
#include <span>
#include <vector>

#include "base/params.h"
#include "glint/plane.h"
#include "glint/report.h"
#include "glint/stages.h"

namespace glint {

/// Which points of a picture can be recognised in another.
struct FeatureParams {
  /// a frame, the strongest ones
  GLINT_PARAM(int, max_features, 1, 65535) = 3000;
  /// contrast of a corner (FAST): lower than OpenCV's 20, because prints are soft
  GLINT_PARAM(int, fast_threshold_grey, 1, 255) = 10;
};

/// When the matches of features are believed.
struct MatchParams {
  /// below which no homography is looked for
  GLINT_PARAM(std::size_t, min_matches, 4, 65535) = 40;
  /// matches that a homography must explain
  GLINT_PARAM(int, min_inliers, 4, 65535) = 24;
  /// distance up to which a match agrees with a homography
  GLINT_PARAM(double, ransac_px, 0.1, 100) = 3.0;
};

/// Rounds of a homography's fit, with new weights each.
inline constexpr int kFitRounds = 6;

/// A point and where it was seen.
struct Correspondence {
  Point from;
  Point to;
};

/// The homography that carries `from` to `to`, by least squares with Tukey's weights on the
/// distances in the target. For correspondences of which most are right and that are nearly right
/// at first (`from` close to `to`); always the same sums in the same order.
/// @param scale  distance at which a correspondence loses all weight, pixels
/// Nothing with fewer than 8 correspondences, or when they do not determine a homography.
std::optional<Homography> FitHomography(std::span<const Correspondence> points, double scale);

/// Points of a picture that can be recognised: E. Rublee et al., "ORB: an efficient alternative to
/// SIFT or SURF", ICCV 2011.
struct Features {
  std::vector<cv::KeyPoint> points;
  cv::Mat descriptors;
};

/// @param luma  kU8 on the host
Features FindFeatures(const Plane& luma, const FeatureParams& params = {});

/// Points of two pictures whose descriptors are each other's nearest.
std::vector<Correspondence> MatchFeatures(const Features& from, const Features& to);

/// The homography that most matches agree with: RANSAC with a fixed seed. Nothing when too
/// few of them agree.
/// @param outline  where given, only matches from inside this convex outline count
std::optional<Homography> FitMatches(std::span<const Correspondence> matches,
                                     const Quadrilateral* outline = nullptr,
                                     const MatchParams& params = {});

}  // namespace glint
