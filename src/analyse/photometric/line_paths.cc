// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/line_paths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/imgproc.hpp>

#include "analyse/photometric/masks.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "stages/photometric_arithmetic.h"

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
  float least_depth = std::numeric_limits<float>::max();  // distance from the rim
  float most_depth = 0;

  void Add(int x, int y, std::int32_t value, float depth, bool rim, bool gap) {
    left = std::min(left, x);
    right = std::max(right, x);
    top = std::min(top, y);
    bottom = std::max(bottom, y);
    ++pixels;
    energy += value;
    peak = std::max(peak, value);
    near_rim += rim ? 1 : 0;
    near_gap += gap ? 1 : 0;
    least_depth = std::min(least_depth, depth);
    most_depth = std::max(most_depth, depth);
  }
};

LinePath Describe(const LinkedPixels& component, std::int32_t median) {
  const int width = component.right - component.left + 1;
  const int height = component.bottom - component.top + 1;
  LinePath path{.box = {component.left, component.top, width, height}, .pixels = component.pixels};
  path.length = std::sqrt(static_cast<double>(width * width + height * height));
  path.peak = static_cast<double>(component.peak) / median;
  path.mean =
      static_cast<double>(component.energy) / (static_cast<double>(component.pixels) * median);
  path.score = path.mean * std::sqrt(std::sqrt(path.length));
  return path;
}

double NeededScore(const LinkedPixels& component, const LinePath& path, const PathRule& rule) {
  const bool along_rim = 100 * component.near_rim > 95 * component.pixels &&
                         path.length > 1.5 * rule.rim_band &&
                         std::min(path.box.width, path.box.height) <= rule.rim_band;
  const bool at_gap = 10 * component.near_gap > component.pixels;
  const bool from_rim = component.least_depth <= static_cast<float>(rule.rim_start) &&
                        component.most_depth - component.least_depth >= 0.6 * path.length;
  return along_rim ? rule.rim_score : at_gap || from_rim ? rule.touch_score : rule.score;
}

bool IsLine(const LinePath& path, const PathRule& rule) {
  return path.peak >= rule.peak && path.length >= rule.length && path.score >= path.needed;
}

std::vector<LinkedPixels> Measure(const cv::Mat& labels, int count, const Plane& ridges,
                                  const Plane& energy, const cv::Mat& rim, const cv::Mat& gaps,
                                  const PathRule& rule) {
  std::vector<LinkedPixels> components(static_cast<std::size_t>(count));
  for (int y = 0; y < ridges.height(); ++y) {
    const auto* ridge = ridges.Row<std::uint8_t>(y);
    const auto* value = energy.Row<std::int32_t>(y);
    const auto* label = labels.ptr<std::int32_t>(y);
    const auto* from_rim = rim.ptr<float>(y);
    const auto* gap = gaps.ptr<std::uint8_t>(y);
    for (int x = 0; x < ridges.width(); ++x) {
      if (ridge[x] == 0) continue;
      components[static_cast<std::size_t>(label[x])].Add(
          x, y, value[x], from_rim[x], from_rim[x] <= static_cast<float>(rule.rim_band),
          gap[x] != 0);
    }
  }
  return components;
}

/// Numbers the chosen components by their first pixel and draws them.
void Draw(const cv::Mat& labels, const Plane& ridges, const std::vector<LinePath>& described,
          const std::vector<bool>& chosen, Lines& lines) {
  std::vector<std::int32_t> ids(chosen.size(), 0);
  for (int y = 0; y < ridges.height(); ++y) {
    const auto* ridge = ridges.Row<std::uint8_t>(y);
    const auto* label = labels.ptr<std::int32_t>(y);
    auto* out = lines.ids.Row<std::int32_t>(y);
    for (int x = 0; x < ridges.width(); ++x) {
      out[x] = 0;
      const auto component = static_cast<std::size_t>(label[x]);
      if (ridge[x] == 0 || !chosen[component]) continue;
      if (ids[component] == 0) {
        lines.paths.push_back(described[component]);
        ids[component] = static_cast<std::int32_t>(lines.paths.size());
      }
      out[x] = ids[component];
    }
  }
}

Lines Find(const Plane& ridges, const Plane& energy, std::int32_t median, const Plane& surface,
           const Plane& gaps, const PathRule& rule) {
  cv::Mat linked, labels, near_gap;
  const int reach = 2 * rule.link + 1;
  cv::dilate(AsMat(ridges), linked, cv::Mat::ones(reach, reach, CV_8U));
  const int count = cv::connectedComponents(linked, labels, 8, CV_32S);
  cv::dilate(AsMat(gaps), near_gap, Disc(rule.touch_reach));
  const std::vector<LinkedPixels> components =
      Measure(labels, count, ridges, energy, DistanceToRim(surface), near_gap, rule);
  std::vector<LinePath> described;
  std::vector<bool> chosen;
  for (const LinkedPixels& component : components) {
    LinePath& path = described.emplace_back();
    if (component.pixels > 0) {
      path = Describe(component, median);
      path.needed = NeededScore(component, path, rule);
    }
    chosen.push_back(component.pixels > 0 && IsLine(path, rule));
  }
  Lines lines{.ids = Plane::Host(ridges.size(), PixelType::kS32)};
  Draw(labels, ridges, described, chosen, lines);
  cv::Mat mask = AsMat(lines.ids) != 0;
  if (rule.closed > 0) cv::morphologyEx(mask, mask, cv::MORPH_CLOSE, Disc(rule.closed));
  cv::dilate(mask, mask, Disc(rule.drawn_wider));
  lines.mask = AsPlane(mask);
  return lines;
}

}  // namespace

absl::StatusOr<Lines> FindLinePaths(const Plane& ridges, const Plane& energy, std::int32_t median,
                                    const Plane& surface, const Plane& gaps, const PathRule& rule) {
  Lines lines;
  const absl::Status done =
      HostCall("lines", [&] { lines = Find(ridges, energy, median, surface, gaps, rule); });
  if (!done.ok()) return done;
  return lines;
}

}  // namespace glint::photometric
