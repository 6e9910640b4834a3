// SPDX-License-Identifier: Apache-2.0
#include "analyse/homography_fit.h"

#include <array>
#include <cmath>
#include <opencv2/calib3d.hpp>
#include <opencv2/features2d.hpp>
#include <utility>

#include "analyse/descriptor_match.h"
#include "analyse/quadrilateral.h"
#include "base/mat.h"
#include "base/normal_equations.h"

namespace glint {
namespace {

/// Moves and scales points so that they lie about the origin at distances about 1.
struct Normaliser {
  Point middle;
  double scale = 1;

  explicit Normaliser(std::span<const Correspondence> points) {
    for (const Correspondence& c : points)
      middle = middle + c.from * (1 / static_cast<double>(points.size()));
    double sum = 0;
    for (const Correspondence& c : points) sum += Distance(c.from, middle);
    if (sum > 0) scale = static_cast<double>(points.size()) / sum;
  }
  Point operator()(Point p) const { return (p - middle) * scale; }
  Homography ToNormal() const {
    return {scale, 0, -scale * middle.x, 0, scale, -scale * middle.y, 0, 0, 1};
  }
  Homography FromNormal() const {
    return {1 / scale, 0, middle.x, 0, 1 / scale, middle.y, 0, 0, 1};
  }
};

}  // namespace

std::optional<Homography> FitHomography(std::span<const Correspondence> points, double scale) {
  if (points.size() < 8) return std::nullopt;
  const Normaliser normal(points);
  Homography h = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // between normalised points
  double reach = 4 * scale * normal.scale;     // generous at first, then as asked
  for (int round = 0; round < kFitRounds; ++round) {
    NormalEquations equations;
    for (const Correspondence& c : points) {
      const Point p = normal(c.from);
      const Point q = normal(c.to);
      const double away = Distance(Map(h, p), q) / reach;
      if (round > 0 && away >= 1) continue;
      const double tukey = round > 0 ? (1 - away * away) * (1 - away * away) : 1;
      // Divided by the depth, the algebraic error is the distance in the target.
      const double depth = h[6] * p.x + h[7] * p.y + 1;
      const double weight = tukey / (depth * depth);
      equations.Add({p.x, p.y, 1, 0, 0, 0, -p.x * q.x, -p.y * q.x}, q.x, weight);
      equations.Add({0, 0, 0, p.x, p.y, 1, -p.x * q.y, -p.y * q.y}, q.y, weight);
    }
    const auto solved = equations.Solve();
    if (!solved) return std::nullopt;
    std::copy(solved->begin(), solved->end(), h.begin());
    reach = std::max(reach / 2, scale * normal.scale);
  }
  const Homography result = Compose(normal.FromNormal(), Compose(h, normal.ToNormal()));
  return result;
}

Features FindFeatures(const Plane& luma, const FeatureParams& params) {
  Features features;
  const auto orb = cv::ORB::create(params.max_features);
  orb->setFastThreshold(params.fast_threshold_grey);
  orb->detectAndCompute(AsMat(luma), cv::noArray(), features.points, features.descriptors);
  return features;
}

std::vector<Correspondence> MatchFeatures(const Features& from, const Features& to) {
  std::vector<Correspondence> matched;
  for (const auto& [i, j] : MatchMutually(from.descriptors, to.descriptors)) {
    const cv::Point2f a = from.points[static_cast<std::size_t>(i)].pt;
    const cv::Point2f b = to.points[static_cast<std::size_t>(j)].pt;
    matched.push_back({{a.x, a.y}, {b.x, b.y}});
  }
  return matched;
}

std::optional<Homography> FitMatches(std::span<const Correspondence> matches,
                                     const Quadrilateral* outline, const MatchParams& params) {
  std::vector<cv::Point2f> a;
  std::vector<cv::Point2f> b;
  for (const Correspondence& match : matches) {
    if (outline && !Contains(*outline, match.from)) continue;
    a.emplace_back(static_cast<float>(match.from.x), static_cast<float>(match.from.y));
    b.emplace_back(static_cast<float>(match.to.x), static_cast<float>(match.to.y));
  }
  if (a.size() < params.min_matches) return std::nullopt;
  cv::Mat agreeing;
  const cv::Mat found = cv::findHomography(a, b, cv::RANSAC, params.ransac_px, agreeing);
  if (found.empty() || cv::countNonZero(agreeing) < params.min_inliers) return std::nullopt;
  Homography h{};
  for (int i = 0; i < 9; ++i) h[static_cast<std::size_t>(i)] = found.at<double>(i / 3, i % 3);
  return Inverse(h) ? std::optional(h) : std::nullopt;
}

}  // namespace glint
