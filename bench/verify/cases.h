// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "glint/backend.h"

namespace glint {

/// The bytes that a stage gave, sizes included.
struct StageAnswer {
  std::string stage;
  std::string bytes;
};

/// Inputs of every stage, drawn from a seed: the same everywhere.
class VerifyCase {
 public:
  /// @param largest_side  pixels, >= 16; both sides are drawn from 16 to this, so mostly odd
  VerifyCase(std::uint64_t seed, int largest_side);

  Size size() const { return size_; }
  const std::vector<Plane>& frames() const { return frames_; }

  /// Runs all stages of a backend, each on what the case holds and on what earlier stages gave.
  /// @return an answer per stage, always in the same order
  /// Errors: those of the backend and its stages
  absl::StatusOr<std::vector<StageAnswer>> Run(Backend& backend) const;

 private:
  Size size_;
  std::vector<Plane> frames_;  ///< a moving picture; the last one is noise
  std::vector<Plane> valid_;   ///< one per frame
  Plane surface_;
  Homography homography_{};
  StructuringElement element_;
  MorphologyOp op_ = MorphologyOp::kErode;
  int iterations_ = 1;
};

}  // namespace glint
