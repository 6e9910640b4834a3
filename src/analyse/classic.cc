// SPDX-License-Identifier: Apache-2.0
#include "analyse/classic.h"

#include <algorithm>
#include <array>
#include <utility>

#include "glint/error.h"

namespace glint {
namespace {

constexpr std::array kThresholds = {CannyThresholds{15, 60}, CannyThresholds{30, 100},
                                    CannyThresholds{50, 150}};
constexpr double kDeviations = 0.3;
constexpr StructuringElement kClosing{.shape = StructuringElement::Shape::kRectangle,
                                      .size = {2, 2}};

absl::StatusOr<ClassicEvidence> Gather(const Plane& grey, StageSet& stages) {
  absl::StatusOr<std::vector<Plane>> edges = stages.edges->Run(grey, kThresholds);
  if (!edges.ok()) return edges.status();
  absl::StatusOr<DetailMaps> detail = stages.detail->Run(grey);
  if (!detail.ok()) return detail.status();
  ClassicEvidence evidence;
  evidence.detail = *std::move(detail);
  std::ranges::move(*edges, evidence.edges.begin());
  return evidence;
}

struct ScoreAndMask {
  Plane score;
  Plane mask;
};

/// Fuses on the backend's device and brings the mask to the host.
absl::StatusOr<ScoreAndMask> Fuse(std::span<const ClassicEvidence> evidence,
                                  std::span<const Plane> greys, StageSet& stages) {
  const absl::StatusOr<Plane> score = stages.classic_fusion->Score(evidence, greys, {});
  if (!score.ok()) return score.status();
  const absl::StatusOr<Plane> marked = stages.classic_fusion->Mask(*score, kDeviations);
  if (!marked.ok()) return marked.status();
  const absl::StatusOr<Plane> closed =
      stages.morphology->Run(*marked, MorphologyOp::kClose, kClosing, 1);
  if (!closed.ok()) return closed.status();
  absl::StatusOr<Plane> host_mask = stages.backend->Download(*closed);
  if (!host_mask.ok()) return host_mask.status();
  return ScoreAndMask{*score, *std::move(host_mask)};
}

}  // namespace

absl::StatusOr<ClassicResult> DetectClassic(std::span<const Plane> greys, StageSet& stages) {
  std::vector<ClassicEvidence> evidence;
  for (const Plane& grey : greys) {
    absl::StatusOr<ClassicEvidence> gathered = Gather(grey, stages);
    if (!gathered.ok()) return In("classic", gathered.status());
    evidence.push_back(*std::move(gathered));
  }
  absl::StatusOr<ScoreAndMask> fused = Fuse(evidence, greys, stages);
  if (!fused.ok()) return In("classic", fused.status());
  ClassicResult result{std::move(fused->score), std::move(fused->mask), {}};
  if (greys.size() == 1) {
    result.picture_masks = {result.mask};
    return result;
  }
  for (std::size_t i = 0; i < greys.size(); ++i) {
    absl::StatusOr<ScoreAndMask> alone =
        Fuse(std::span(evidence).subspan(i, 1), greys.subspan(i, 1), stages);
    if (!alone.ok()) return In("classic", alone.status());
    result.picture_masks.push_back(std::move(alone->mask));
  }
  return result;
}

}  // namespace glint
