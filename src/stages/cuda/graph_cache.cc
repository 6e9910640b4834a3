// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/graph_cache.h"

#include <utility>

#include "stages/cuda/context.h"

namespace glint::cuda {

absl::Status GraphCache::Run(Stream& stream, std::size_t place, CapturedWork work) {
  Place& at = places_[place];
  if (has_graphs_ && at.work == work) {
    has_graphs_ = RunAsGraph(stream, at).ok();
    // Graphs save the host time, and nothing else depends on them. If the GPU is lost, the work
    // itself says so.
    if (has_graphs_) return absl::OkStatus();
  }
  at.graph.reset();
  at.work = std::move(work);
  return at.work.Replay(stream);
}

absl::Status GraphCache::RunAsGraph(Stream& stream, Place& place) {
  if (place.graph == nullptr) {
    GLINT_ASSIGN_OR_RETURN(place.graph, stream.InstantiateGraph(place.work));
  }
  return stream.LaunchGraph(*place.graph);
}

}  // namespace glint::cuda
