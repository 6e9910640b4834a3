// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "stages/cuda/captured_work.h"
#include "stages/cuda/gpu.h"

namespace glint::cuda {

/// Work that mostly is the same from time to time, in a number of places that take turns: for each,
/// the work that it did last, and from the second time on its graph.
///
/// A graph runs only where the work that is due is the one it was made of, byte for byte. So
/// whatever changes (sizes, counts, memory that moved), it never runs with what was true before.
class GraphCache {
 public:
  explicit GraphCache(std::size_t places) : places_(places) {}

  /// Puts a work into the stream, always the same one. What this place did before is done.
  /// Where the GPU makes or runs no graph, it never does from then on: work is put to the stream
  /// part by part. Errors: those of the stream
  absl::Status Run(Stream& stream, std::size_t place, CapturedWork work);

 private:
  struct Place {
    CapturedWork work;
    std::unique_ptr<Graph> graph;  // of the work; null after its first time
  };

  static absl::Status RunAsGraph(Stream& stream, Place& place);

  std::vector<Place> places_;
  bool has_graphs_ = true;
};

}  // namespace glint::cuda
