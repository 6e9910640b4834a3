// SPDX-License-Identifier: Apache-2.0
// The results of labelled scans as one table: how good a detector is, by family and type of damage.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/eval/labels.h"
#include "bench/eval/region_scores.h"
#include "bench/eval/reliability.h"
#include "bench/eval/score.h"
#include "glint/report.h"

namespace glint {

/// What a type of damage needs to be found: lines answer to the light, gaps show what lies behind
/// the object, areas are many weak lines, colour is only seen against a good copy.
enum class DamageFamily { kLines, kOutline, kAreas, kColour };

inline constexpr std::array kDamageFamilies = {DamageFamily::kLines, DamageFamily::kOutline,
                                               DamageFamily::kAreas, DamageFamily::kColour};

/// "lines", "outline", "areas", "colour".
std::string_view Name(DamageFamily family);

/// The family of a labelled type: tear, missing_corner, missing_piece, corner_wear and worn_corner
/// are outline, scuff is areas, stain and fading are colour, all others are lines.
DamageFamily FamilyOf(std::string_view type);

/// One scan's result against its labels.
struct ScanEvaluation {
  std::string name;
  std::string hand{};  ///< ScanLabels::hand
  /// Why there is no result to judge: then nothing else is known but the name.
  absl::Status failure;
  /// A scan that judged nothing finds nothing: it is scored as a mask that marks nothing.
  ScanOutcome outcome = ScanOutcome::kScanned;
  std::optional<double> corner_error_percent;
  bool labels_turned = false;        ///< ScanScore::labels_turned
  double marked = 0;                 ///< share of the surface that the whole mask marks
  bool damaged = false;              ///< the labels know of damage
  std::vector<DefectScore> defects;  ///< by the whole mask
  /// Agreement of the whole mask with all damage.
  std::optional<ScanScore::Agreement> all{};
  /// What each region adds to that, where the result says which pixels are which region's.
  RegionScores regions{};
  /// Agreement of the whole mask with a family's damage, the other types left out.
  std::optional<ScanScore::Agreement> lines;
  /// The same where only lines that are plain to see are asked for, and marks on others are
  /// neither right nor wrong.
  std::optional<ScanScore::Agreement> visible_lines;
  /// The same of the mask of the outline family alone, where the result has one.
  std::optional<ScanScore::Agreement> outline;
  /// Share of the surface that the outline family marks, where the result has it.
  std::optional<double> outline_marked;
  std::string set{};                  ///< what it is evaluated with
  std::optional<bool> as_expected{};  ///< of a real clip (bench/eval/clips.h)
  bool has_object = true;             ///< false: a real clip without one
};

/// Mean corner distance, percent of the diagonal, up to which an outline is right.
inline constexpr double kRightCornersPercent = 1.5;

/// Scores one result. @param result  the folder of mask.png, report.json and, where the detector
/// tells families apart, layers/outline.png
/// Errors: as ReadFindings, ReadMask and ScoreMask
absl::StatusOr<ScanEvaluation> EvaluateScan(const ScanLabels& labels,
                                            const std::filesystem::path& result);

/// All scans of a type of damage together.
struct TypeEvaluation {
  int found = 0;
  int known = 0;
  double covered = 0;  ///< mean share of a defect's pixels
};

/// By type, in alphabetical order.
std::map<std::string, TypeEvaluation> EvaluateTypes(std::span<const ScanEvaluation> scans);

/// Found and known defects.
struct Counts {
  int found = 0;
  int known = 0;
};

/// Lines of some scans together, by how much of them is seen.
struct LineSummary {
  int scans = 0;    ///< those with lines to find
  double mean = 0;  ///< of their F
  double worst = 1;
};

/// Visible lines of scans in which a hand holds or tilts the object, or of all others.
LineSummary SummariseVisibleLines(std::span<const ScanEvaluation> scans, bool by_hand);

/// Lines of a visibility.
Counts CountLines(std::span<const ScanEvaluation> scans, Visibility visibility);

/// Precision and recall of all scans together, by how strong the regions are.
std::vector<CurvePoint> CurveOf(std::span<const ScanEvaluation> scans);

/// Whether their regions' confidences mean what they say.
std::vector<ReliabilityBin> ReliabilityOf(std::span<const ScanEvaluation> scans);

/// For people: a line per scan, means over those that have a result, and a line per type.
std::string EvaluationTable(std::span<const ScanEvaluation> scans);

/// For machines; keys as in docs/cli.md.
nlohmann::ordered_json ToJson(const ScanEvaluation& scan);
nlohmann::ordered_json SummaryJson(std::span<const ScanEvaluation> scans);

}  // namespace glint
