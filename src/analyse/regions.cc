// SPDX-License-Identifier: Apache-2.0
#include "analyse/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <opencv2/imgproc.hpp>

#include "analyse/quadrilateral.h"
#include "base/mat.h"
#include "glint/error.h"

namespace glint {
namespace {

/// Sums over one region's pixels.
struct Tally {
  int component = 0;  // OpenCV's label
  std::int64_t area = 0;
  std::int64_t first = 0;  // position of its first pixel in reading order
  std::int64_t score = 0;
  int left = 0, top = 0, right = 0, bottom = 0;  // inclusive
  std::vector<std::int64_t> seen_in;  // pixels marked per picture; only of listed regions
  std::vector<cv::Point2f> outline;   // corners of row ends; only of listed regions
};

/// One tally per component of `labels` (1 .. count - 1), in that order.
std::vector<Tally> TallyComponents(const cv::Mat& labels, int count, const Plane& score) {
  std::vector<Tally> tallies(static_cast<std::size_t>(count - 1));
  for (int y = 0; y < labels.rows; ++y) {
    const int* label = labels.ptr<int>(y);
    const auto* scores = score.Row<std::int32_t>(y);
    for (int x = 0; x < labels.cols; ++x) {
      if (label[x] == 0) continue;
      Tally& tally = tallies[static_cast<std::size_t>(label[x] - 1)];
      if (tally.area++ == 0) {
        tally.component = label[x];
        tally.first = std::int64_t{y} * labels.cols + x;
        tally.left = tally.right = x;
        tally.top = y;
      }
      tally.score += scores[x];
      tally.left = std::min(tally.left, x);
      tally.right = std::max(tally.right, x);
      tally.bottom = y;
    }
  }
  return tallies;
}

/// Replaces components by ids.
Plane WriteIds(const cv::Mat& labels, const std::vector<std::int32_t>& id_of_component) {
  Plane ids = Plane::Host({labels.cols, labels.rows}, PixelType::kS32);
  for (int y = 0; y < labels.rows; ++y) {
    const int* label = labels.ptr<int>(y);
    auto* out = ids.Row<std::int32_t>(y);
    for (int x = 0; x < labels.cols; ++x) {
      out[x] = id_of_component[static_cast<std::size_t>(label[x])];
    }
  }
  return ids;
}

/// Adds what only listed regions need: in which pictures their pixels are marked, and the corners
/// of the first and last pixel of every row, which hold all corners of the convex hull.
void TallyListed(const Plane& ids, std::span<const Plane> picture_masks, std::span<Tally> listed) {
  for (Tally& tally : listed) tally.seen_in.assign(picture_masks.size(), 0);
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
bool HugsOutline(const Rectangle& box, Size object) {
  const int from_right = object.width - box.x;
  const int from_bottom = object.height - box.y;
  const bool left = box.x == 0 && box.width <= 0.15 * object.width;
  const bool right = box.x + box.width == object.width && from_right <= 0.15 * object.width;
  const bool top = box.y == 0 && box.height <= 0.15 * object.height;
  const bool bottom = box.y + box.height == object.height && from_bottom <= 0.15 * object.height;
  return left || right || top || bottom;
}

/// What is neither a line nor an edge loss.
RegionKind SpotOrArea(const DefectRegion& region, Size object) {
  const double scale = std::sqrt(static_cast<double>(object.area()));
  return region.length_px <= 0.03 * scale ? RegionKind::kSpot : RegionKind::kArea;
}

/// @param across  shorter side of the smallest rotated rectangle
RegionKind GuessKind(const DefectRegion& region, double across, Size object) {
  if (region.length_px >= 4 * region.width_px && region.length_px >= 2 * across) {
    return RegionKind::kLine;
  }
  if (HugsOutline(region.box, object)) return RegionKind::kEdgeLoss;
  return SpotOrArea(region, object);
}

DefectRegion Describe(const Tally& tally, int id, Size object,
                      const Homography& frame_from_object) {
  DefectRegion region;
  region.id = id;
  region.area_px = tally.area;
  region.box = {tally.left, tally.top, tally.right - tally.left + 1, tally.bottom - tally.top + 1};
  region.frame_box = Map(frame_from_object, Outline(region.box));
  const cv::Size2f sides = cv::minAreaRect(tally.outline).size;
  region.length_px = std::max(sides.width, sides.height);
  region.width_px = static_cast<double>(tally.area) / region.length_px;
  region.strength = static_cast<double>(tally.score) / static_cast<double>(tally.area) /
                    (1 << ClassicFusionStage::kScoreBits);
  region.views = static_cast<int>(std::ranges::count_if(
      tally.seen_in, [&](std::int64_t seen) { return 2 * seen >= tally.area; }));
  region.kind = GuessKind(region, std::min(sides.width, sides.height), object);
  return region;
}

RegionMap TakeApart(const Plane& mask, const Plane& score, std::span<const Plane> picture_masks,
                    const Homography& frame_from_object) {
  cv::Mat labels;
  const int count = cv::connectedComponents(AsMat(mask), labels, 8, CV_32S);
  std::vector<Tally> tallies = TallyComponents(labels, count, score);
  std::ranges::sort(tallies, [](const Tally& a, const Tally& b) {
    return a.area != b.area ? a.area > b.area : a.first < b.first;
  });
  std::vector<std::int32_t> id_of_component(static_cast<std::size_t>(count), 0);
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    id_of_component[static_cast<std::size_t>(tallies[i].component)] =
        static_cast<std::int32_t>(std::min<std::size_t>(i + 1, kLastRegionId));
  }
  RegionMap map{.labels = WriteIds(labels, id_of_component), .regions = {}, .found = count - 1};
  const std::span listed =
      std::span(tallies).first(std::min<std::size_t>(tallies.size(), kListedRegions));
  TallyListed(map.labels, picture_masks, listed);
  for (const Tally& tally : listed) {
    const int id = static_cast<int>(map.regions.size()) + 1;
    map.regions.push_back(Describe(tally, id, mask.size(), frame_from_object));
  }
  return map;
}

}  // namespace

void CorrectKindByFamily(Size object, DefectRegion& region) {
  if (region.family == kOutlineLayer) {
    region.kind = RegionKind::kEdgeLoss;
  } else if (region.kind == RegionKind::kEdgeLoss) {
    region.kind = SpotOrArea(region, object);
  }
}

absl::StatusOr<RegionMap> FindRegions(const Plane& mask, const Plane& score,
                                      std::span<const Plane> picture_masks,
                                      const Homography& frame_from_object) {
  try {
    return TakeApart(mask, score, picture_masks, frame_from_object);
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, "regions: host memory is out");
  } catch (const cv::Exception& exception) {
    return Error(Reason::kInternal, fmt::format("regions: OpenCV says: {}", exception.err));
  }
}

}  // namespace glint
