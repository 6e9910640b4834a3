// SPDX-License-Identifier: Apache-2.0
#include "analyse/regions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "analyse/quadrilateral.h"
#include "base/host_call.h"
#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

/// A listed region: its component, and what is gathered of its pixels.
struct Listed {
  Component component;
  std::vector<std::int64_t> seen_in;  // pixels marked per picture
  std::vector<cv::Point2f> outline;   // corners of row ends
};

/// The numbers of components in the order of their ids.
std::vector<std::int32_t> InOrderOfIds(std::span<const Component> components) {
  std::vector<std::int32_t> numbers(components.size());
  std::iota(numbers.begin(), numbers.end(), 1);
  // Those of one area stay in the order of their first pixels.
  std::ranges::stable_sort(numbers, std::ranges::greater(), [&](std::int32_t number) {
    return components[static_cast<std::size_t>(number - 1)].area;
  });
  return numbers;
}

/// Replaces the numbers of components by ids.
Plane WriteIds(const Plane& labels, std::span<const std::int32_t> numbers) {
  std::vector<std::int32_t> id_of(numbers.size() + 1, 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    id_of[static_cast<std::size_t>(numbers[i])] =
        static_cast<std::int32_t>(std::min<std::size_t>(i + 1, kLastRegionId));
  }
  Plane ids = Plane::Host(labels.size(), PixelType::kS32);
  for (int y = 0; y < labels.height(); ++y) {
    const auto* label = labels.Row<std::int32_t>(y);
    auto* out = ids.Row<std::int32_t>(y);
    for (int x = 0; x < labels.width(); ++x) out[x] = id_of[static_cast<std::size_t>(label[x])];
  }
  return ids;
}

/// Gathers of listed regions in which pictures their pixels are marked, and the corners
/// of the first and last pixel of every row, which hold all corners of the convex hull.
void TallyListed(const Plane& ids, std::span<const Plane> picture_masks, std::span<Listed> listed) {
  for (Listed& region : listed) region.seen_in.assign(picture_masks.size(), 0);
  std::vector<int> last(listed.size());
  for (int y = 0; y < ids.height(); ++y) {
    const auto* id = ids.Row<std::int32_t>(y);
    std::vector<int> first(listed.size(), -1);
    for (int x = 0; x < ids.width(); ++x) {
      const auto k = static_cast<std::size_t>(id[x] - 1);  // 0 wraps to a k that is not listed
      if (k >= listed.size()) continue;
      if (first[k] < 0) first[k] = x;
      last[k] = x;
      for (std::size_t i = 0; i < picture_masks.size(); ++i) {
        listed[k].seen_in[i] += picture_masks[i].Row<std::uint8_t>(y)[x] != 0 ? 1 : 0;
      }
    }
    for (std::size_t k = 0; k < listed.size(); ++k) {
      if (first[k] < 0) continue;
      const auto left = static_cast<float>(first[k]) - 0.5F;
      const auto right = static_cast<float>(last[k]) + 0.5F;
      for (const float edge : {static_cast<float>(y) - 0.5F, static_cast<float>(y) + 0.5F}) {
        listed[k].outline.emplace_back(left, edge);
        listed[k].outline.emplace_back(right, edge);
      }
    }
  }
}

/// The outline of a box's pixels, which reach half a pixel beyond their centres.
Quadrilateral Outline(const Rectangle& box) {
  const double left = box.x - 0.5;
  const double top = box.y - 0.5;
  const double right = left + box.width;
  const double bottom = top + box.height;
  return {Point{left, top}, Point{right, top}, Point{right, bottom}, Point{left, bottom}};
}

/// Whether the region touches the object's outline and stays near it.
bool LiesAlongOutline(const Rectangle& box, Size object, double depth) {
  const int from_right = object.width - box.x;
  const int from_bottom = object.height - box.y;
  const bool left = box.x == 0 && box.width <= depth * object.width;
  const bool right = box.x + box.width == object.width && from_right <= depth * object.width;
  const bool top = box.y == 0 && box.height <= depth * object.height;
  const bool bottom = box.y + box.height == object.height && from_bottom <= depth * object.height;
  return left || right || top || bottom;
}

/// What is neither a line nor an edge loss.
RegionKind SpotOrArea(const DefectRegion& region, Size object, const RegionParams& params) {
  const double scale = std::sqrt(static_cast<double>(object.area()));
  return region.length_px <= params.max_spot_length * scale ? RegionKind::kSpot : RegionKind::kArea;
}

/// @param across  shorter side of the smallest rotated rectangle
RegionKind GuessKind(const DefectRegion& region, double across, Size object,
                     const RegionParams& params) {
  if (region.length_px >= params.min_line_elongation * region.width_px &&
      region.length_px >= params.min_line_aspect * across) {
    return RegionKind::kLine;
  }
  if (LiesAlongOutline(region.box, object, params.max_edge_loss_depth))
    return RegionKind::kEdgeLoss;
  return SpotOrArea(region, object, params);
}

DefectRegion Describe(const Listed& listed, int id, Size object,
                      const Homography& frame_from_object, const RegionParams& params) {
  const auto& [area, score, left, top, right, bottom] = listed.component;
  DefectRegion region;
  region.id = id;
  region.area_px = area;
  region.box = {left, top, right - left + 1, bottom - top + 1};
  region.frame_box = Map(frame_from_object, Outline(region.box));
  const cv::Size2f sides = cv::minAreaRect(listed.outline).size;
  region.length_px = std::max(sides.width, sides.height);
  region.width_px = static_cast<double>(area) / region.length_px;
  region.strength = static_cast<double>(score) / static_cast<double>(area) /
                    (1 << ClassicFusionStage::kScoreBits);
  region.views = static_cast<int>(std::ranges::count_if(
      listed.seen_in, [&](std::int64_t seen) { return 2 * seen >= listed.component.area; }));
  region.kind = GuessKind(region, std::min(sides.width, sides.height), object, params);
  return region;
}

/// @param labels  of the components, on the host
RegionMap MapRegions(const Plane& labels, std::span<const Component> components,
                     std::span<const Plane> picture_masks, const Homography& frame_from_object,
                     const RegionParams& params) {
  const std::vector<std::int32_t> numbers = InOrderOfIds(components);
  RegionMap map{
      .labels = WriteIds(labels, numbers), .regions = {}, .found = std::ssize(components)};
  std::vector<Listed> listed(std::min<std::size_t>(numbers.size(), kListedRegions));
  for (std::size_t i = 0; i < listed.size(); ++i) {
    listed[i].component = components[static_cast<std::size_t>(numbers[i] - 1)];
  }
  TallyListed(map.labels, picture_masks, listed);
  for (const Listed& region : listed) {
    const int id = static_cast<int>(map.regions.size()) + 1;
    map.regions.push_back(Describe(region, id, labels.size(), frame_from_object, params));
  }
  return map;
}

/// The components of the mask, their labels on the host.
absl::StatusOr<ConnectedComponents> LabelComponents(const Plane& mask, const Plane& score,
                                                    StageSet& stages) {
  GLINT_ASSIGN_OR_RETURN(const auto uploaded_mask, stages.backend->Upload(mask));
  GLINT_ASSIGN_OR_RETURN(const auto uploaded_score, stages.backend->Upload(score));
  GLINT_ASSIGN_OR_RETURN(auto found, stages.components->Run(uploaded_mask, uploaded_score));
  GLINT_ASSIGN_OR_RETURN(found.labels, stages.backend->Download(found.labels));
  return found;
}

}  // namespace

void CorrectKindByFamily(Size object, DefectRegion& region, const RegionParams& params) {
  if (region.family == kOutlineLayer) {
    region.kind = RegionKind::kEdgeLoss;
  } else if (region.kind == RegionKind::kEdgeLoss) {
    region.kind = SpotOrArea(region, object, params);
  }
}

absl::StatusOr<RegionMap> FindRegions(const Plane& mask, const Plane& score,
                                      std::span<const Plane> picture_masks,
                                      const Homography& frame_from_object, StageSet& stages,
                                      const RegionParams& params) {
  absl::StatusOr<ConnectedComponents> found;
  RegionMap map;
  GLINT_RETURN_IF_ERROR(HostCall("regions", [&] {
    found = LabelComponents(mask, score, stages);
    if (!found.ok()) return;
    map = MapRegions(found->labels, found->components, picture_masks, frame_from_object, params);
  }));
  if (!found.ok()) return In("regions", found.status());
  return map;
}

}  // namespace glint
