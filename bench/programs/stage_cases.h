// SPDX-License-Identifier: Apache-2.0
// What the benches of single stages time: each stage on a backend, and the OpenCV calls that do
// the same work.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glint/backend.h"

namespace glint::bench {

/// The pictures that all stages work on: drawn structure with noise, moving as a hand moves.
struct Scene {
  std::string name;           ///< "720p"
  std::vector<Plane> frames;  ///< kU8, consecutive
  Plane colour;               ///< kU8x3

  static Scene Make(std::string name, Size size);
};

using Work = std::function<absl::Status()>;

/// One stage.
struct StageCase {
  std::string_view name;
  /// Runs the stage once on a backend and compares its answer with OpenCV's. @return what to time,
  /// or why the answer is wrong
  absl::StatusOr<Work> (*on_backend)(Backend&, const Scene&);
  /// The same work by OpenCV alone, as a plain program would write it.
  void (*by_opencv)(const Scene&);
};

std::span<const StageCase> StageCases();

}  // namespace glint::bench
