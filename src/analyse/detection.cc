// SPDX-License-Identifier: Apache-2.0
#include "analyse/detection.h"

#include <algorithm>
#include <vector>

#include "analyse/classic.h"
#include "analyse/evidence_score.h"
#include "analyse/judgeable.h"
#include "analyse/photometric/detect.h"
#include "analyse/photometric/evidence/energy_normalisation.h"
#include "analyse/rectify.h"
#include "analyse/region_views.h"
#include "base/mat.h"
#include "base/status_macros.h"

namespace glint {
namespace {

absl::StatusOr<Plane> OnHost(absl::StatusOr<Plane> plane, StageSet& stages) {
  return plane.ok() ? stages.backend->Download(*plane) : plane;
}

/// Adds what `part` sees to `seen`. Both kU8 on the host, of one size.
void AddSeen(const Plane& part, Plane& seen) {
  for (int y = 0; y < seen.height(); ++y) {
    std::uint8_t* row = seen.Row<std::uint8_t>(y);
    const std::uint8_t* more = part.Row<std::uint8_t>(y);
    for (int x = 0; x < seen.width(); ++x) row[x] |= more[x];
  }
}

Plane CopyOf(const Plane& plane) { return AsPlane(AsMat(plane).clone()); }

/// Unmarks what was not seen.
void KeepSeen(const Plane& seen, Plane& mask) {
  for (int y = 0; y < mask.height(); ++y) {
    std::uint8_t* row = mask.Row<std::uint8_t>(y);
    const std::uint8_t* kept = seen.Row<std::uint8_t>(y);
    for (int x = 0; x < mask.width(); ++x) row[x] &= kept[x];
  }
}

/// The evidence of all families on one scale, each pixel that of the strongest.
Plane ScoreOf(const PhotometricResult& found) {
  Plane score = ScoreOfEvidence(found.energy, photometric::kEnergyUnit);
  if (!found.static_energy.empty()) {
    AddScore(ScoreOfEvidence(found.static_energy, photometric::kEnergyUnit), score);
  }
  AddCertain(AsPlane(AsMat(found.outline) & AsMat(found.known)), score);
  return score;
}

/// Calls visit(region, x, y) for every pixel of a listed region.
template <class Visit>
void ForListed(const RegionMap& map, const Visit& visit) {
  for (int y = 0; y < map.labels.height(); ++y) {
    const std::int32_t* ids = map.labels.Row<std::int32_t>(y);
    for (int x = 0; x < map.labels.width(); ++x) {
      if (ids[x] == 0 || ids[x] > std::ssize(map.regions)) continue;
      visit(static_cast<std::size_t>(ids[x] - 1), x, y);
    }
  }
}

/// The family that most pixels of each listed region belong to, the first of equals.
void NameFamilies(std::span<const MaskLayer> families, RegionMap& map) {
  std::vector<std::int64_t> most(map.regions.size(), -1);
  for (const MaskLayer& family : families) {
    std::vector<std::int64_t> pixels(map.regions.size());
    ForListed(map, [&](std::size_t region, int x, int y) {
      pixels[region] += family.mask.Row<std::uint8_t>(y)[x] != 0 ? 1 : 0;
    });
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      if (pixels[i] <= most[i]) continue;
      most[i] = pixels[i];
      map.regions[i].family = family.name;
    }
  }
}

/// The line in each listed region that most views show, the first of equals; null where there is
/// none.
std::vector<const PhotometricLine*> ClearestLines(const PhotometricResult& found,
                                                  const RegionMap& map) {
  std::vector<const PhotometricLine*> clearest(map.regions.size());
  ForListed(map, [&](std::size_t region, int x, int y) {
    const std::int32_t line = found.line_ids.Row<std::int32_t>(y)[x];
    if (line == 0) return;
    const PhotometricLine& candidate = found.found[static_cast<std::size_t>(line - 1)];
    const PhotometricLine*& best = clearest[region];
    if (best == nullptr || candidate.shown > best->shown ||
        (candidate.shown == best->shown && &candidate < best)) {
      best = &candidate;
    }
  });
  return clearest;
}

/// How sure a line is: by how far its evidence is over what was asked of it, and by how many views
/// show it. (Their share says nothing: a line glints where the light falls right.)
double ConfidenceIn(const PhotometricLine& line) {
  return Margin(line.path.score, line.path.needed) * line.shown / (line.shown + 1);
}

/// Whether enough views show one of the lines.
bool GlintsAnywhere(const PhotometricResult& found, const JudgeableParams& params) {
  return std::ranges::any_of(found.found, [&](const PhotometricLine& line) {
    return line.shown >= params.min_line_views;
  });
}

/// Fills in what the views say of the listed regions.
absl::Status DescribeRegions(const PhotometricResult& found, std::span<const MaskLayer> families,
                             const ViewStack& views, StageSet& stages, ThreadPool& pool,
                             const RegionParams& params, RegionMap& map) {
  NameFamilies(families, map);
  GLINT_ASSIGN_OR_RETURN(
      const auto visibilities,
      FindRegionVisibility(views, map.labels, map.regions, stages, pool, params.visibility));
  const std::vector<const PhotometricLine*> lines = ClearestLines(found, map);
  for (std::size_t i = 0; i < map.regions.size(); ++i) {
    DefectRegion& region = map.regions[i];
    Describe(visibilities[i], views, region);
    CorrectKindByFamily(found.lines.size(), region, params);
    if (lines[i] == nullptr || region.family != kLinesLayer) continue;
    region.views = lines[i]->shown;
    region.confidence = ConfidenceIn(*lines[i]);
    region.best_frame = FrameOf(views, lines[i]->best_view);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Detection> DetectClassicDamage(std::span<const RegisteredFrame> frames, Size size,
                                              StageSet& stages, const AnalysisParams& params) {
  Detection detection;
  std::vector<Plane> greys;
  for (const RegisteredFrame& registered : frames) {
    GLINT_ASSIGN_OR_RETURN(
        auto grey, Rectify(registered.frame.luma, registered.frame_from_object, size, stages));
    greys.push_back(std::move(grey));
    GLINT_ASSIGN_OR_RETURN(
        Plane valid, OnHost(Validity(registered.frame.luma.size(), registered.frame_from_object,
                                     size, stages, params.registration.rectification),
                            stages));
    if (detection.seen.empty()) {
      detection.seen = std::move(valid);
    } else {
      AddSeen(valid, detection.seen);
    }
  }
  GLINT_ASSIGN_OR_RETURN(ClassicResult found, DetectClassic(greys, stages, params.classic));
  KeepSeen(detection.seen, found.mask);
  GLINT_ASSIGN_OR_RETURN(detection.regions,
                         FindRegions(found.mask, found.score, found.picture_masks,
                                     frames.front().frame_from_object, stages, params.regions));
  GLINT_ASSIGN_OR_RETURN(detection.score, OnHost(std::move(found.score), stages));
  detection.mask = std::move(found.mask);
  return detection;
}

PhotometricOptions PhotometricOptionsFor(const ItemType& type, bool outline_found) {
  return {.outline = type.printed && outline_found,
          .worn_corners = type.worn_corners,
          .static_lines = !type.printed};
}

absl::StatusOr<Detection> DetectPhotometricDamage(
    const ViewStack& views, const PhotometricOptions& options, const Homography& frame_from_object,
    StageSet& stages, ThreadPool& pool, const CancelToken& cancel, const AnalysisParams& params) {
  GLINT_ASSIGN_OR_RETURN(
      PhotometricResult found,
      DetectPhotometric(views, options, params.photometric, stages, pool, cancel));
  if (!options.static_lines && IsStill(found.light_change, params.judgeable) &&
      !GlintsAnywhere(found, params.judgeable)) {
    AsMat(found.lines).setTo(0);  // the codec's noise
  }
  Detection detection{.score = ScoreOf(found), .seen = found.known, .surface = found.surface};
  detection.light_change = found.light_change;
  detection.glare = std::move(found.glare);
  detection.layers = {{std::string(kLinesLayer), std::move(found.lines)},
                      {std::string(kOutlineLayer), std::move(found.outline)}};
  if (options.static_lines) {
    detection.layers.push_back({std::string(kStaticLayer), std::move(found.static_lines)});
  }
  for (const MaskLayer& layer : detection.layers) {
    if (detection.mask.empty()) {
      detection.mask = CopyOf(layer.mask);
    } else {
      AddSeen(layer.mask, detection.mask);
    }
  }
  KeepSeen(detection.seen, detection.mask);
  GLINT_ASSIGN_OR_RETURN(detection.regions, FindRegions(detection.mask, detection.score, {},
                                                        frame_from_object, stages, params.regions));
  GLINT_RETURN_IF_ERROR(DescribeRegions(found, detection.layers, views, stages, pool,
                                        params.regions, detection.regions));
  return detection;
}

}  // namespace glint
