// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "stages/cuda/gpu.h"
#include "stages/cuda/sequence.h"

namespace glint::cuda {

/// Work that mostly is the same from time to time, in a number of places that take turns: for each,
/// the sequence that it did last, and from the second time on its graph.
///
/// A graph runs only where the sequence that is due is the one it was made of, byte for byte. So
/// whatever changes (sizes, counts, memory that moved), it never runs with what was true before.
class RepeatedWork {
 public:
  explicit RepeatedWork(std::size_t places) : places_(places) {}

  /// Puts a sequence into the stream, always the same one. What this place did before is done.
  /// Where the GPU makes or runs no graph, it never does from then on: work is put to the stream
  /// part by part. Errors: those of the stream
  absl::Status Run(Stream& stream, std::size_t place, Sequence sequence);

 private:
  struct Place {
    Sequence sequence;
    std::unique_ptr<Graph> graph;  // of the sequence; null after its first time
  };

  static absl::Status RunAsGraph(Stream& stream, Place& place);

  std::vector<Place> places_;
  bool has_graphs_ = true;
};

}  // namespace glint::cuda
