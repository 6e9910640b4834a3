// SPDX-License-Identifier: Apache-2.0
#include "analyse/reference/findings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "analyse/evidence_score.h"
#include "analyse/reference/changed_areas.h"
#include "analyse/region_views.h"
#include "base/mat.h"
#include "base/status_macros.h"

namespace glint {
namespace {

/// What is marked and was seen.
Plane SeenOf(const Plane& mask, const Plane& seen) { return AsPlane(AsMat(mask) & AsMat(seen)); }

/// Calls visit(id, x, y) for every pixel that has one.
template <class Visit>
void ForLabelled(const Plane& labels, const Visit& visit) {
  for (int y = 0; y < labels.height(); ++y) {
    const auto* ids = labels.Row<std::int32_t>(y);
    for (int x = 0; x < labels.width(); ++x) {
      if (ids[x] != 0) visit(static_cast<std::size_t>(ids[x]), x, y);
    }
  }
}

/// The kinds of the listed regions: a stain is darker or more coloured, fading is paler.
void NameKinds(const Plane& paler, RegionMap& regions) {
  std::vector<std::int64_t> sums(regions.regions.size() + 1);
  ForLabelled(regions.labels, [&](std::size_t id, int x, int y) {
    if (id < sums.size()) sums[id] += paler.Row<std::int16_t>(y)[x];
  });
  for (DefectRegion& region : regions.regions) {
    const bool pale = sums[static_cast<std::size_t>(region.id)] > 0;
    region.kind = pale ? RegionKind::kFading : RegionKind::kStain;
  }
}

/// Numbers the regions of `more` behind those of `map`.
void Append(RegionMap more, RegionMap& map) {
  const auto id_of = [&](std::int64_t id) {
    return static_cast<std::int32_t>(std::min<std::int64_t>(id + map.found, kLastRegionId));
  };
  ForLabelled(more.labels, [&](std::size_t id, int x, int y) {
    std::int32_t& label = map.labels.Row<std::int32_t>(y)[x];
    if (label == 0) label = id_of(static_cast<std::int64_t>(id));
  });
  for (DefectRegion& region : more.regions) {
    region.id = id_of(region.id);
    map.regions.push_back(region);
  }
  map.found += more.found;
}

/// Says of every region whether it is new. @return the mask of those that are
Plane FindNew(const Plane& known, RegionMap& regions) {
  std::vector<std::int64_t> pixels(kLastRegionId + 1), known_pixels(kLastRegionId + 1);
  ForLabelled(regions.labels, [&](std::size_t id, int x, int y) {
    ++pixels[id];
    known_pixels[id] += known.Row<std::uint8_t>(y)[x] != 0 ? 1 : 0;
  });
  const auto is_new = [&](std::size_t id) { return 2 * known_pixels[id] < pixels[id]; };
  for (DefectRegion& region : regions.regions) {
    region.is_new = is_new(static_cast<std::size_t>(region.id));
  }
  Plane mask = Plane::Host(known.size(), PixelType::kU8);
  AsMat(mask).setTo(0);
  ForLabelled(regions.labels, [&](std::size_t id, int x, int y) {
    if (is_new(id)) mask.Row<std::uint8_t>(y)[x] = 255;
  });
  return mask;
}

}  // namespace

absl::Status AddComparison(const Comparison& comparison, const ViewStack& views,
                           const Homography& frame_from_object, StageSet& stages, ThreadPool& pool,
                           Detection& detection, const AnalysisParams& params) {
  Plane changed = SeenOf(comparison.changed, detection.seen);
  const Plane score = ScoreOfEvidence(comparison.strength, kStrengthUnit);
  GLINT_ASSIGN_OR_RETURN(
      auto regions, FindRegions(changed, score, {}, frame_from_object, stages, params.regions));
  GLINT_ASSIGN_OR_RETURN(const auto visibilities,
                         FindRegionVisibility(views, regions.labels, regions.regions, stages, pool,
                                              params.regions.visibility));
  for (std::size_t i = 0; i < regions.regions.size(); ++i) {
    DefectRegion& region = regions.regions[i];
    region.family = kReferenceLayer;
    Describe(visibilities[i], views, region);
    region.confidence =
        Margin(region.strength * kStrongestEvidence, params.reference.areas.min_strength) *
        *region.confidence;
  }
  NameKinds(comparison.paler, regions);
  Append(std::move(regions), detection.regions);
  cv::Mat mask = AsMat(detection.mask);
  cv::bitwise_or(mask, AsMat(changed), mask);
  AddScore(score, detection.score);
  detection.layers.push_back({std::string(kReferenceLayer), std::move(changed)});
  if (!comparison.known.empty()) {
    detection.layers.push_back(
        {std::string(kNewLayer), FindNew(comparison.known, detection.regions)});
  }
  return absl::OkStatus();
}

}  // namespace glint
