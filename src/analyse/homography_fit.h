// SPDX-License-Identifier: Apache-2.0
// Homographies from corresponding points.
#pragma once

#include <array>
#include <opencv2/core/mat.hpp>
#include <opencv2/core/types.hpp>
#include <optional>
#include <span>
#include <vector>

#include "glint/plane.h"
#include "glint/report.h"
#include "glint/stages.h"

namespace glint {

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
Features FindFeatures(const Plane& luma);

/// Points of two pictures whose descriptors are each other's nearest.
std::vector<Correspondence> MatchFeatures(const Features& from, const Features& to);

/// The homography that most matches agree with: RANSAC with 3 px and a fixed seed. Nothing when too
/// few of them agree.
/// @param outline  where given, only matches from inside this convex outline count
std::optional<Homography> FitMatches(std::span<const Correspondence> matches,
                                     const Quadrilateral* outline = nullptr);

}  // namespace glint
