// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/line_paths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/imgproc.hpp>

#include "analyse/photometric/masks.h"
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

double NeededScore(const LinkedPixels& component, const LinePath& path, const PathParams& params) {
  const bool along_rim = 100 * component.near_rim > params.rim_percent * component.pixels &&
                         path.length > params.rim_length_bands * params.rim_band_px &&
                         std::min(path.box.width, path.box.height) <= params.rim_band_px;
  const bool at_gap = 100 * component.near_gap > params.touch_percent * component.pixels;
  const bool from_rim =
      component.least_depth <= static_cast<float>(params.rim_start_px) &&
      component.most_depth - component.least_depth >= params.inward_share * path.length;
  return along_rim            ? params.min_rim_score
         : at_gap || from_rim ? params.min_touch_score
                              : params.min_score;
}

bool IsLine(const LinePath& path, const PathParams& params) {
  return path.peak >= params.min_peak_levels && path.length >= params.min_length_px &&
         path.score >= path.needed;
}

std::vector<LinkedPixels> Measure(const cv::Mat& labels, int count, const Plane& ridges,
                                  const Plane& energy, const cv::Mat& rim, const cv::Mat& gaps,
                                  const PathParams& params) {
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
          x, y, value[x], from_rim[x], from_rim[x] <= static_cast<float>(params.rim_band_px),
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

Lines Find(const Plane& ridges, const Plane& energy, std::int32_t level, const Plane& surface,
           const Plane& gaps, const PathParams& params) {
  cv::Mat linked, labels, near_gap;
  const int reach = 2 * params.link_px + 1;
  cv::dilate(AsMat(ridges), linked, cv::Mat::ones(reach, reach, CV_8U));
  const int count = cv::connectedComponents(linked, labels, 8, CV_32S);
  cv::dilate(AsMat(gaps), near_gap, Disc(params.touch_reach_px));
  const std::vector<LinkedPixels> components =
      Measure(labels, count, ridges, energy, DistanceToRim(surface), near_gap, params);
  std::vector<LinePath> described;
  std::vector<bool> chosen;
  for (const LinkedPixels& component : components) {
    LinePath& path = described.emplace_back();
    if (component.pixels > 0) {
      path = Describe(component, level);
      path.needed = NeededScore(component, path, params);
    }
    chosen.push_back(component.pixels > 0 && IsLine(path, params));
  }
  Lines lines{.ids = Plane::Host(ridges.size(), PixelType::kS32)};
  Draw(labels, ridges, described, chosen, lines);
  cv::Mat mask = AsMat(lines.ids) != 0;
  if (params.closing_px > 0) cv::morphologyEx(mask, mask, cv::MORPH_CLOSE, Disc(params.closing_px));
  cv::dilate(mask, mask, Disc(params.dilation_px));
  lines.mask = AsPlane(mask);
  return lines;
}

}  // namespace

absl::StatusOr<Lines> FindLinePaths(const Plane& ridges, const Plane& energy, std::int32_t level,
                                    const Plane& surface, const Plane& gaps,
                                    const PathParams& params) {
  Lines lines;
  GLINT_RETURN_IF_ERROR(
      HostCall("lines", [&] { lines = Find(ridges, energy, level, surface, gaps, params); }));
  return lines;
}

}  // namespace glint::photometric
