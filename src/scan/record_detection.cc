// SPDX-License-Identifier: Apache-2.0
#include "scan/record_detection.h"

#include <utility>
#include <vector>

namespace glint {
namespace {

/// The type's areas as they lie on a side.
std::vector<NamedArea> AreasOn(ObjectSide side, const ItemType& type) {
  std::vector<NamedArea> areas(type.areas.begin(), type.areas.end());
  for (NamedArea& area : areas) {
    if (side != ObjectSide::kBack || area.name != "spine") continue;
    area.left = std::exchange(area.right, 100 - area.left);
    area.left = 100 - area.left;
  }
  return areas;
}

}  // namespace

void RecordDetection(Detection found, const ItemType& type, ObjectSide side,
                     const AdviceParams& params, ScanReport& report, ScanPictures& pictures) {
  const std::vector<NamedArea> areas = AreasOn(side, type);
  ItemType shown = type;
  shown.areas = areas;
  report.named_regions = MeasureNamedRegions(shown, found.mask, found.seen);
  report.damaged_percent = DamagedPercent(found.mask, found.seen);
  report.regions = std::move(found.regions.regions);
  report.regions_found = found.regions.found;
  for (MaskLayer& layer : found.layers) {
    pictures.layers.emplace_back(std::move(layer.name), std::move(layer.mask));
  }
  if (found.light_change) {
    const auto advice = LightAdvice(*found.light_change, params);
    report.advice.insert(report.advice.end(), advice.begin(), advice.end());
  }
  const bool looked_at_views = !found.glare.empty();
  if (looked_at_views) {
    report.glare_percent = MarkedPercent(found.glare);
    pictures.layers.emplace_back(kGlareLayer, std::move(found.glare));
    Plane unknown = Unmarked(found.seen);
    report.unknown_percent = MarkedPercent(unknown);
    pictures.layers.emplace_back(kUnknownLayer, std::move(unknown));
  }
  pictures.mask = std::move(found.mask);
  pictures.score = std::move(found.score);
  pictures.labels = std::move(found.regions.labels);
}

}  // namespace glint
