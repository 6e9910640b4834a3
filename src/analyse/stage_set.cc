// SPDX-License-Identifier: Apache-2.0
#include "analyse/stage_set.h"

namespace glint {
namespace {

/// Moves a made stage to its place, or gives the reason why there is none.
template <class T>
absl::Status Take(absl::StatusOr<std::unique_ptr<T>> made, std::unique_ptr<T>& place) {
  if (!made.ok()) return made.status();
  place = *std::move(made);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StageSet> StageSet::Make(std::shared_ptr<Backend> backend) {
  StageSet set;
  absl::Status status = Take(backend->MakeMeasure(), set.measure);
  status.Update(Take(backend->MakeFlow(), set.flow));
  status.Update(Take(backend->MakeEdges(), set.edges));
  status.Update(Take(backend->MakeMorphology(), set.morphology));
  status.Update(Take(backend->MakeConnectedComponents(), set.components));
  status.Update(Take(backend->MakeWarp(), set.warp));
  status.Update(Take(backend->MakeDetail(), set.detail));
  status.Update(Take(backend->MakeClassicFusion(), set.classic_fusion));
  status.Update(Take(backend->MakeAlbedo(), set.albedo));
  status.Update(Take(backend->MakeResidual(), set.residual));
  status.Update(Take(backend->MakeLineEvidence(), set.line_evidence));
  status.Update(Take(backend->MakeRidge(), set.ridge));
  if (!status.ok()) return status;
  set.backend = std::move(backend);
  return set;
}

absl::Status StageSet::Renew() {
  absl::StatusOr<StageSet> fresh = Make(backend);
  if (!fresh.ok()) return fresh.status();
  *this = *std::move(fresh);
  return absl::OkStatus();
}

}  // namespace glint
