// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/clips.h"

#include <algorithm>
#include <array>
#include <utility>

#include "analyse/item_types.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/quadrilateral.h"
#include "base/status_macros.h"
#include "bench/eval/labels.h"
#include "report/json_file.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

ClipExpectation ParseExpectation(const fs::path& folder, const nlohmann::json& json) {
  ClipExpectation expected;
  expected.clip = folder / json.at("clip").get<std::string>();
  expected.name = expected.clip.stem().string();
  expected.item_type = json.value("item_type", expected.item_type);
  expected.has_object = json.value("object", expected.has_object);
  expected.not_judged = json.value("not_judged", expected.not_judged);
  if (json.contains("max_marked_percent")) {
    expected.max_marked_percent = json.at("max_marked_percent").get<double>();
  }
  for (const nlohmann::json& known : json.value("outlines", nlohmann::json::array())) {
    expected.corners[known.at("frame").get<std::int64_t>()] = ToCorners(known.at("corners"));
  }
  return expected;
}

/// The object's corners in the golden frames that it was registered in.
std::map<std::int64_t, Quadrilateral> FoundCorners(const nlohmann::json& report) {
  std::map<std::int64_t, Quadrilateral> found;
  const nlohmann::json& object = report.at("object");
  const Point end{object.at("size").at(0).get<double>(), object.at("size").at(1).get<double>()};
  const Quadrilateral whole = {{{0, 0}, {end.x, 0}, end, {0, end.y}}};
  for (const nlohmann::json& golden : report.at("golden_frames")) {
    if (!golden.at("registered").get<bool>()) continue;
    const auto frame_from_object = golden.at("frame_from_object").get<std::array<double, 9>>();
    found[golden.at("frame").get<std::int64_t>()] = Map(frame_from_object, whole);
  }
  return found;
}

/// Worst corner error over the golden frames of which the corners are known, percent of the
/// diagonal.
std::optional<double> CornerError(const ClipExpectation& expected, const nlohmann::json& report) {
  std::optional<double> worst;
  for (const auto& [frame, corners] : FoundCorners(report)) {
    const auto known = expected.corners.find(frame);
    if (known == expected.corners.end()) continue;
    const double error =
        100 * TurnedCornerDistance(corners, known->second) / Diagonal(known->second);
    worst = std::max(worst.value_or(0), error);
  }
  return worst;
}

/// The cause by which a result is not judged; empty where it is, or has no usable frames.
absl::StatusOr<std::string> CauseIn(const fs::path& report) {
  using Cause = absl::StatusOr<std::string>;
  return WithJson(report, [](const nlohmann::json& json) -> Cause {
    const auto why = json.find("not_judged");
    return why == json.end() ? std::string() : why->at("cause").get<std::string>();
  });
}

/// @param cause  CauseIn its report
bool AsExpected(const ClipExpectation& expected, const ScanEvaluation& found,
                const std::string& cause) {
  if (!expected.not_judged.empty()) return cause == expected.not_judged;
  if (found.outcome != ScanOutcome::kScanned) return true;
  return expected.has_object && found.corner_error_percent.value_or(0) <= kRightCornersPercent &&
         100 * found.marked <= expected.max_marked_percent.value_or(100);
}

}  // namespace

absl::StatusOr<std::vector<ClipExpectation>> ReadExpectations(const fs::path& file) {
  using Expectations = std::vector<ClipExpectation>;
  return WithJson(file, [&](const nlohmann::json& json) -> absl::StatusOr<Expectations> {
    Expectations all;
    for (const nlohmann::json& clip : json.at("clips")) {
      all.push_back(ParseExpectation(file.parent_path(), clip));
    }
    return all;
  });
}

absl::StatusOr<ScanEvaluation> EvaluateClip(const ClipExpectation& expected,
                                            const fs::path& result) {
  const ScanLabels nothing_known{.flat_size = {1, 1}};
  GLINT_ASSIGN_OR_RETURN(const Findings findings, ReadFindings(result, nothing_known));
  ScanEvaluation found{.name = expected.name,
                       .outcome = findings.outcome,
                       .marked = MarkedPercent(findings.mask) / 100};
  if (findings.outcome == ScanOutcome::kScanned) {
    GLINT_ASSIGN_OR_RETURN(
        found.corner_error_percent,
        WithJson(result / "report.json",
                 [&](const nlohmann::json& report) -> absl::StatusOr<std::optional<double>> {
                   return CornerError(expected, report);
                 }));
  }
  found.has_object = expected.has_object;
  GLINT_ASSIGN_OR_RETURN(const std::string cause, CauseIn(result / "report.json"));
  found.as_expected = AsExpected(expected, found, cause);
  return found;
}

}  // namespace glint
