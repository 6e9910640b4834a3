// SPDX-License-Identifier: Apache-2.0
// Real clips, of which no labels are known but what may be expected of a scan.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/eval/evaluation.h"
#include "glint/report.h"

namespace glint {

/// What an honest scan of a clip says.
struct ClipExpectation {
  std::string name;                ///< of the clip, without its ending
  std::filesystem::path clip;      ///< its video
  std::string item_type = "page";  ///< under which it is scanned
  bool has_object = true;          ///< without one no percentage is right
  /// Cause (docs/api.md) of the only right outcome, where that is not to be judged; empty: any is.
  std::string not_judged;
  /// Of the object, where nothing or little is damaged.
  std::optional<double> max_marked_percent;
  /// The object's corners in some frames, clockwise from any one, displayed pixels; as far as
  /// known.
  std::map<std::int64_t, Quadrilateral> corners;
};

/// Reads a file of expectations: {"clips": [{"clip": PATH, "item_type": "page", "object": true,
/// "not_judged": "still_light", "max_marked_percent": 0.05, "outlines": [{"frame": 12, "corners":
/// [[x, y], ...]}]}]}; paths are relative to it, and all keys of a clip but the first may be
/// absent. Errors: INPUT_NOT_FOUND; INPUT_UNREADABLE no such file, or a key of another type
absl::StatusOr<std::vector<ClipExpectation>> ReadExpectations(const std::filesystem::path& file);

/// Judges a result by what was expected: not to be judged is always right, but where a cause
/// is expected by that cause alone, and nothing else is then; a percentage is right
/// only of an object, with an outline within `kRightCornersPercent` of its diagonal in a golden
/// frame of which the corners are known, and with no more marked than expected.
/// Errors: as ReadFindings
absl::StatusOr<ScanEvaluation> EvaluateClip(const ClipExpectation& expected,
                                            const std::filesystem::path& result);

}  // namespace glint
