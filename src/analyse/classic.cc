// SPDX-License-Identifier: Apache-2.0
#include "analyse/classic.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

absl::StatusOr<ClassicEvidence> Gather(const Plane& grey, StageSet& stages,
                                       const ClassicParams& params) {
  const std::array thresholds = {
      CannyThresholds{params.faint_edges_low, params.faint_edges_high},
      CannyThresholds{params.edges_low, params.edges_high},
      CannyThresholds{params.strong_edges_low, params.strong_edges_high}};
  GLINT_ASSIGN_OR_RETURN(std::vector<Plane> edges, stages.edges->Run(grey, thresholds));
  ClassicEvidence evidence;
  GLINT_ASSIGN_OR_RETURN(evidence.detail, stages.detail->Run(grey));
  std::ranges::move(edges, evidence.edges.begin());
  return evidence;
}

struct ScoreAndMask {
  Plane score;
  Plane mask;
};

/// Fuses on the backend's device and brings the mask to the host.
absl::StatusOr<ScoreAndMask> Fuse(std::span<const ClassicEvidence> evidence,
                                  std::span<const Plane> greys, StageSet& stages,
                                  const ClassicParams& params) {
  GLINT_ASSIGN_OR_RETURN(const Plane score,
                         stages.classic_fusion->Score(evidence, greys, params.fusion));
  GLINT_ASSIGN_OR_RETURN(const Plane marked,
                         stages.classic_fusion->Mask(score, params.threshold_deviations));
  const StructuringElement closing{.shape = StructuringElement::Shape::kRectangle,
                                   .size = {params.closing_px, params.closing_px}};
  GLINT_ASSIGN_OR_RETURN(const Plane closed,
                         stages.morphology->Run(marked, MorphologyOp::kClose, closing, 1));
  GLINT_ASSIGN_OR_RETURN(Plane host_mask, stages.backend->Download(closed));
  return ScoreAndMask{score, std::move(host_mask)};
}

}  // namespace

absl::StatusOr<ClassicResult> DetectClassic(std::span<const Plane> greys, StageSet& stages,
                                            const ClassicParams& params) {
  std::vector<ClassicEvidence> evidence;
  for (const Plane& grey : greys) {
    absl::StatusOr<ClassicEvidence> gathered = Gather(grey, stages, params);
    if (!gathered.ok()) return In("classic", gathered.status());
    evidence.push_back(*std::move(gathered));
  }
  absl::StatusOr<ScoreAndMask> fused = Fuse(evidence, greys, stages, params);
  if (!fused.ok()) return In("classic", fused.status());
  ClassicResult result{std::move(fused->score), std::move(fused->mask), {}};
  if (greys.size() == 1) {
    result.picture_masks = {result.mask};
    return result;
  }
  for (std::size_t i = 0; i < greys.size(); ++i) {
    absl::StatusOr<ScoreAndMask> alone =
        Fuse(std::span(evidence).subspan(i, 1), greys.subspan(i, 1), stages, params);
    if (!alone.ok()) return In("classic", alone.status());
    result.picture_masks.push_back(std::move(alone->mask));
  }
  return result;
}

}  // namespace glint
