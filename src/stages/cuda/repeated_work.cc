// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/repeated_work.h"

#include <utility>

#include "stages/cuda/session.h"

namespace glint::cuda {

absl::Status RepeatedWork::Run(Stream& stream, std::size_t place, Sequence sequence) {
  Place& at = places_[place];
  if (has_graphs_ && at.sequence == sequence) {
    has_graphs_ = RunAsGraph(stream, at).ok();
    // Graphs save the host time, and nothing else depends on them. If the GPU is lost, the work
    // itself says so.
    if (has_graphs_) return absl::OkStatus();
  }
  at.graph.reset();
  at.sequence = std::move(sequence);
  return at.sequence.PutTo(stream);
}

absl::Status RepeatedWork::RunAsGraph(Stream& stream, Place& place) {
  if (place.graph == nullptr) GLINT_TAKE(place.graph, stream.MakeGraph(place.sequence));
  return stream.RunGraph(*place.graph);
}

}  // namespace glint::cuda
