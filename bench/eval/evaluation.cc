// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status_macros.h"
#include "glint/error.h"
#include "report/names.h"

namespace glint {
namespace {

using Json = nlohmann::ordered_json;

std::string_view FailureName(const absl::Status& failure) {
  return Info(ReasonOf(failure).value_or(Reason::kInternal)).name;
}

std::size_t CountFailed(std::span<const ScanEvaluation> scans) {
  return static_cast<std::size_t>(
      std::ranges::count_if(scans, [](const ScanEvaluation& scan) { return !scan.failure.ok(); }));
}

std::size_t CountEnded(std::span<const ScanEvaluation> scans, ScanOutcome outcome) {
  return static_cast<std::size_t>(std::ranges::count(scans, outcome, &ScanEvaluation::outcome));
}

/// Types of the labels that are not of the family.
std::vector<std::string> OtherTypes(const ScanLabels& labels, DamageFamily family) {
  std::vector<std::string> others;
  for (const LabelledDefect& defect : labels.defects) {
    if (FamilyOf(defect.type) != family) others.push_back(defect.type);
  }
  return others;
}

/// Found and known defects of a family.
struct Counts {
  int found = 0;
  int known = 0;
};

Counts CountFound(const ScanEvaluation& scan, DamageFamily family) {
  Counts counts;
  for (const DefectScore& defect : scan.defects) {
    if (FamilyOf(defect.type) != family) continue;
    counts.found += defect.found ? 1 : 0;
    ++counts.known;
  }
  return counts;
}

/// Mean and smallest F of the lines over the scans that have lines.
struct LineSummary {
  int scans = 0;
  double mean = 0;
  double worst = 1;
};

LineSummary SummariseLines(std::span<const ScanEvaluation> scans) {
  LineSummary summary;
  for (const ScanEvaluation& scan : scans) {
    if (!scan.lines) continue;
    ++summary.scans;
    summary.mean += scan.lines->f;
    summary.worst = std::min(summary.worst, scan.lines->f);
  }
  if (summary.scans > 0) summary.mean /= summary.scans;
  return summary;
}

std::string AgreementText(const std::optional<ScanScore::Agreement>& agreement) {
  if (!agreement) return fmt::format("{:>5} {:>5} {:>6}", "-", "-", "-");
  return fmt::format("{:>5.2f} {:>5.2f} {:>6.3f}", agreement->precision, agreement->recall,
                     agreement->f);
}

std::string FoundText(const Counts& counts) {
  return counts.known == 0 ? "-" : fmt::format("{}/{}", counts.found, counts.known);
}

std::string ScanLine(const ScanEvaluation& scan, std::size_t width) {
  std::string text = fmt::format(
      "{:<{}} {:>8} {:>8.3f} | {} {:>6} | {} {:>6}", scan.name, width,
      scan.corner_error_percent ? fmt::format("{:.2f}", *scan.corner_error_percent) : "-",
      100 * scan.marked, AgreementText(scan.lines),
      FoundText(CountFound(scan, DamageFamily::kLines)), AgreementText(scan.outline),
      FoundText(CountFound(scan, DamageFamily::kOutline)));
  if (scan.outcome == ScanOutcome::kNoUsableFrames) text += "  no usable frames";
  if (scan.outcome == ScanOutcome::kNotJudged) text += "  not judged";
  if (scan.labels_turned) text += "  labels turned by 180 degrees";
  return text + "\n";
}

std::string FailureLine(const ScanEvaluation& scan, std::size_t width) {
  return fmt::format("{:<{}} failed: {}\n", scan.name, width, FailureName(scan.failure));
}

std::string TypeLines(std::span<const ScanEvaluation> scans) {
  std::string text;
  for (const auto& [type, sum] : EvaluateTypes(scans)) {
    text += fmt::format("{:<15} {:<8} {:>7} {:>8.2f}\n", type, Name(FamilyOf(type)),
                        fmt::format("{}/{}", sum.found, sum.known), sum.covered);
  }
  if (text.empty()) return text;
  return fmt::format("\n{:<15} {:<8} {:>7} {:>8}\n", "type", "family", "found", "covered") + text;
}

/// The mask of the outline family; empty where the detector does not tell families apart.
absl::StatusOr<Plane> OutlineOf(const Findings& findings, const std::filesystem::path& result) {
  if (findings.outcome != ScanOutcome::kScanned) return findings.mask;
  const std::filesystem::path file = result / "layers/outline.png";
  std::error_code none;
  return std::filesystem::exists(file, none) ? ReadMask(file) : Plane();
}

Json AgreementJson(const std::optional<ScanScore::Agreement>& agreement) {
  if (!agreement) return nullptr;
  return {{"precision", agreement->precision}, {"recall", agreement->recall}, {"f", agreement->f}};
}

}  // namespace

std::string_view Name(DamageFamily family) {
  switch (family) {
    case DamageFamily::kLines:
      return "lines";
    case DamageFamily::kOutline:
      return "outline";
    case DamageFamily::kAreas:
      return "areas";
    case DamageFamily::kColour:
      return "colour";
  }
  return "";
}

DamageFamily FamilyOf(std::string_view type) {
  if (type == "tear" || type == "missing_corner" || type == "corner_wear") {
    return DamageFamily::kOutline;
  }
  if (type == "scuff") return DamageFamily::kAreas;
  if (type == "stain") return DamageFamily::kColour;
  return DamageFamily::kLines;
}

absl::StatusOr<ScanEvaluation> EvaluateScan(const ScanLabels& labels,
                                            const std::filesystem::path& result) {
  GLINT_ASSIGN_OR_RETURN(const auto findings, ReadFindings(result, labels));
  const auto& object = findings.object;
  GLINT_ASSIGN_OR_RETURN(const auto whole, ScoreMask(labels, findings.mask, object));
  GLINT_ASSIGN_OR_RETURN(const auto lines, ScoreMask(labels, findings.mask, object,
                                                     OtherTypes(labels, DamageFamily::kLines)));
  ScanEvaluation evaluation{.name = labels.name,
                            .outcome = findings.outcome,
                            .corner_error_percent = whole.corner_error_percent,
                            .labels_turned = whole.labels_turned,
                            .marked = whole.marked,
                            .damaged = whole.agreement.has_value(),
                            .defects = whole.defects,
                            .lines = lines.agreement};
  GLINT_ASSIGN_OR_RETURN(const auto outline, OutlineOf(findings, result));
  if (outline.empty()) return evaluation;
  GLINT_ASSIGN_OR_RETURN(const auto score, ScoreMask(labels, outline, object,
                                                     OtherTypes(labels, DamageFamily::kOutline)));
  evaluation.outline = score.agreement;
  evaluation.outline_marked = score.marked;
  return evaluation;
}

std::map<std::string, TypeEvaluation> EvaluateTypes(std::span<const ScanEvaluation> scans) {
  std::map<std::string, TypeEvaluation> types;
  for (const ScanEvaluation& scan : scans) {
    for (const DefectScore& defect : scan.defects) {
      TypeEvaluation& sum = types[defect.type];
      sum.found += defect.found ? 1 : 0;
      ++sum.known;
      sum.covered += defect.covered;
    }
  }
  for (auto& [type, sum] : types) sum.covered /= sum.known;
  return types;
}

std::string EvaluationTable(std::span<const ScanEvaluation> scans) {
  std::size_t width = 4;
  for (const ScanEvaluation& scan : scans) width = std::max(width, scan.name.size());
  std::string text = fmt::format(
      "{:<{}} {:>8} {:>8} | {:>5} {:>5} {:>6} {:>6} | {:>5} {:>5} {:>6} {:>6}\n", "scan", width,
      "corner %", "marked %", "lineP", "R", "F", "found", "outlP", "R", "F", "found");
  for (const ScanEvaluation& scan : scans) {
    text += scan.failure.ok() ? ScanLine(scan, width) : FailureLine(scan, width);
  }
  if (const LineSummary lines = SummariseLines(scans); lines.scans > 0) {
    text += fmt::format("lines: mean F {:.3f}, worst {:.3f} over {} scans with lines\n", lines.mean,
                        lines.worst, lines.scans);
  }
  if (const std::size_t failed = CountFailed(scans); failed > 0) {
    text += fmt::format("{} of {} scans failed and count nowhere\n", failed, scans.size());
  }
  return text + TypeLines(scans);
}

Json ToJson(const ScanEvaluation& scan) {
  if (!scan.failure.ok()) {
    return {{"name", scan.name},
            {"outcome", "failed"},
            {"reason", FailureName(scan.failure)},
            {"message", Message(scan.failure)}};
  }
  Json json = {{"name", scan.name},
               {"outcome", Name(scan.outcome)},
               {"marked", scan.marked},
               {"damaged", scan.damaged}};
  json["corner_error_percent"] =
      scan.corner_error_percent ? Json(*scan.corner_error_percent) : Json(nullptr);
  json["labels_turned"] = scan.labels_turned;
  json["lines"] = AgreementJson(scan.lines);
  json["outline"] = AgreementJson(scan.outline);
  json["outline_marked"] = scan.outline_marked ? Json(*scan.outline_marked) : Json(nullptr);
  json["defects"] = Json::array();
  for (const DefectScore& defect : scan.defects) {
    json["defects"].push_back({{"id", defect.id},
                               {"type", defect.type},
                               {"family", Name(FamilyOf(defect.type))},
                               {"covered", defect.covered},
                               {"found", defect.found}});
  }
  return json;
}

Json SummaryJson(std::span<const ScanEvaluation> scans) {
  const LineSummary lines = SummariseLines(scans);
  double clean = 0;
  for (const ScanEvaluation& scan : scans) {
    if (scan.failure.ok() && !scan.damaged) clean = std::max(clean, scan.marked);
  }
  Json json = {{"scans", scans.size()},
               {"without_usable_frames", CountEnded(scans, ScanOutcome::kNoUsableFrames)},
               {"not_judged", CountEnded(scans, ScanOutcome::kNotJudged)},
               {"failed", CountFailed(scans)},
               {"lines_mean_f", lines.scans > 0 ? Json(lines.mean) : Json(nullptr)},
               {"lines_worst_f", lines.scans > 0 ? Json(lines.worst) : Json(nullptr)},
               {"clean_most_marked", clean},
               {"types", Json::object()}};
  for (const auto& [type, sum] : EvaluateTypes(scans)) {
    json["types"][type] = {{"family", Name(FamilyOf(type))},
                           {"found", sum.found},
                           {"known", sum.known},
                           {"covered", sum.covered}};
  }
  return json;
}

}  // namespace glint
