// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status_macros.h"
#include "glint/error.h"
#include "report/names.h"
#include "report/read_report.h"

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

Counts CountFound(const ScanEvaluation& scan, DamageFamily family) {
  Counts counts;
  for (const DefectScore& defect : scan.defects) {
    if (FamilyOf(defect.type) != family) continue;
    counts.found += defect.found ? 1 : 0;
    ++counts.known;
  }
  return counts;
}

/// Mean and smallest F over the scans that have one.
/// @param score_of  the agreement of a scan, or none
template <class ScoreOf>
LineSummary Summarise(std::span<const ScanEvaluation> scans, const ScoreOf& score_of) {
  LineSummary summary;
  for (const ScanEvaluation& scan : scans) {
    const std::optional<ScanScore::Agreement> score = score_of(scan);
    if (!score) continue;
    ++summary.scans;
    summary.mean += score->f;
    summary.worst = std::min(summary.worst, score->f);
  }
  if (summary.scans > 0) summary.mean /= summary.scans;
  return summary;
}

LineSummary SummariseLines(std::span<const ScanEvaluation> scans) {
  return Summarise(scans, [](const ScanEvaluation& scan) { return scan.lines; });
}

bool ByHand(const ScanEvaluation& scan) { return scan.hand == "held" || scan.hand == "tilted"; }

/// Ids of the lines that are not plain to see.
std::vector<int> FaintLines(const ScanLabels& labels) {
  std::vector<int> ids;
  for (const LabelledDefect& defect : labels.defects) {
    if (FamilyOf(defect.type) == DamageFamily::kLines &&
        VisibilityOf(defect) != Visibility::kPlain) {
      ids.push_back(defect.id);
    }
  }
  return ids;
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
  const std::span<const ScanEvaluation> alone(&scan, 1);
  std::string text = fmt::format(
      "{:<{}} {:>8} {:>8.3f} | {} {:>6} | {} {:>6} {:>6} | {} {:>6}", scan.name, width,
      scan.corner_error_percent ? fmt::format("{:.2f}", *scan.corner_error_percent) : "-",
      100 * scan.marked, AgreementText(scan.lines),
      FoundText(CountFound(scan, DamageFamily::kLines)), AgreementText(scan.visible_lines),
      FoundText(CountLines(alone, Visibility::kPlain)),
      FoundText(CountLines(alone, Visibility::kBarely)), AgreementText(scan.outline),
      FoundText(CountFound(scan, DamageFamily::kOutline)));
  if (ByHand(scan)) text += "  " + scan.hand;
  if (scan.outcome == ScanOutcome::kNoUsableFrames) text += "  no usable frames";
  if (scan.outcome == ScanOutcome::kNotJudged) text += "  not judged";
  if (scan.as_expected) text += *scan.as_expected ? "  as expected" : "  not as expected";
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

/// Lines that are plain to see, where the labels tell them from others or say whose hand moves.
std::string VisibleSummary(std::span<const ScanEvaluation> scans) {
  const Counts plain = CountLines(scans, Visibility::kPlain);
  const Counts barely = CountLines(scans, Visibility::kBarely);
  const LineSummary all =
      Summarise(scans, [](const ScanEvaluation& scan) { return scan.visible_lines; });
  if (plain.known == 0) return "";
  std::string text = fmt::format(
      "visible lines: mean F {:.3f}, worst {:.3f} over {} scans, {} found; of barely visible ones "
      "{}\n",
      all.mean, all.worst, all.scans, FoundText(plain), FoundText(barely));
  const LineSummary by_hand = SummariseVisibleLines(scans, true);
  if (by_hand.scans == 0) return text;
  return text +
         fmt::format("visible lines: mean F {:.3f} of {} held or tilted, {:.3f} of {} others\n",
                     by_hand.mean, by_hand.scans, SummariseVisibleLines(scans, false).mean,
                     all.scans - by_hand.scans);
}

std::string_view Name(Visibility visibility) {
  switch (visibility) {
    case Visibility::kPlain:
      return "plain";
    case Visibility::kBarely:
      return "barely";
    case Visibility::kNot:
      return "not";
  }
  return "";
}

/// The mask of the outline family; empty where the detector does not tell families apart.
absl::StatusOr<Plane> OutlineOf(const Findings& findings, const std::filesystem::path& result) {
  if (findings.outcome != ScanOutcome::kScanned) return findings.mask;
  const std::filesystem::path file = result / "layers/outline.png";
  std::error_code none;
  return std::filesystem::exists(file, none) ? ReadMask(file) : Plane();
}

/// What each region of a result adds; nothing where no picture says which pixels are which one's.
absl::StatusOr<RegionScores> RegionsOf(const ScanLabels& labels,
                                       const std::filesystem::path& result,
                                       const std::optional<LocatedObject>& object) {
  std::error_code none;
  if (!std::filesystem::exists(result / "labels.png", none)) return RegionScores();
  GLINT_ASSIGN_OR_RETURN(const StoredReport stored, ReadReport(result));
  GLINT_ASSIGN_OR_RETURN(const Plane regions, ReadLabelsPicture(result, stored.report));
  GLINT_ASSIGN_OR_RETURN(const Plane marks, ToLabels(labels, regions, object));
  std::map<int, double> scores;
  for (const DefectRegion& region : stored.report.regions) {
    scores[region.id] = region.confidence.value_or(region.strength);
  }
  return ScoreRegions(labels, marks, scores);
}

std::vector<RegionScores> AllRegions(std::span<const ScanEvaluation> scans) {
  std::vector<RegionScores> regions;
  for (const ScanEvaluation& scan : scans) regions.push_back(scan.regions);
  return regions;
}

/// All damage of all scans, and where the curve is.
std::string CurveLine(std::span<const ScanEvaluation> scans) {
  const std::vector<CurvePoint> curve = CurveOf(scans);
  if (curve.empty()) return "";
  const CurvePoint& all = curve.back();
  return fmt::format(
      "all damage, pixels of all scans: precision {:.3f}, recall {:.3f}; average precision {:.3f} "
      "(precision_recall.svg)\n",
      all.precision, all.recall, AveragePrecision(curve));
}

Json CurveJson(const std::vector<CurvePoint>& curve) {
  Json json = Json::array();
  for (const CurvePoint& point : curve) {
    json.push_back(
        {{"score", point.score}, {"precision", point.precision}, {"recall", point.recall}});
  }
  return json;
}

/// The bins that have regions.
Json ReliabilityJson(const std::vector<ReliabilityBin>& bins) {
  Json json = Json::array();
  for (const ReliabilityBin& bin : bins) {
    if (bin.regions == 0) continue;
    json.push_back(
        {{"mean_score", bin.mean_score}, {"regions", bin.regions}, {"right", bin.right}});
  }
  return json;
}

Json CountsJson(const Counts& counts) { return {{"found", counts.found}, {"known", counts.known}}; }

Json VisibleJson(std::span<const ScanEvaluation> scans) {
  const LineSummary all =
      Summarise(scans, [](const ScanEvaluation& scan) { return scan.visible_lines; });
  const LineSummary by_hand = SummariseVisibleLines(scans, true);
  return {{"mean_f", all.scans > 0 ? Json(all.mean) : Json(nullptr)},
          {"worst_f", all.scans > 0 ? Json(all.worst) : Json(nullptr)},
          {"by_hand_mean_f", by_hand.scans > 0 ? Json(by_hand.mean) : Json(nullptr)},
          {"plain", CountsJson(CountLines(scans, Visibility::kPlain))},
          {"barely", CountsJson(CountLines(scans, Visibility::kBarely))}};
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
  if (type == "tear" || type == "missing_corner" || type == "corner_wear" ||
      type == "worn_corner" || type == "missing_piece") {
    return DamageFamily::kOutline;
  }
  if (type == "scuff") return DamageFamily::kAreas;
  if (type == "stain" || type == "fading") return DamageFamily::kColour;
  return DamageFamily::kLines;
}

absl::StatusOr<ScanEvaluation> EvaluateScan(const ScanLabels& labels,
                                            const std::filesystem::path& result) {
  GLINT_ASSIGN_OR_RETURN(const auto findings, ReadFindings(result, labels));
  const auto object = labels.in_object_pixels ? std::nullopt : findings.object;
  GLINT_ASSIGN_OR_RETURN(const auto whole, ScoreMask(labels, findings.mask, object));
  GLINT_ASSIGN_OR_RETURN(const auto lines, ScoreMask(labels, findings.mask, object,
                                                     OtherTypes(labels, DamageFamily::kLines)));
  GLINT_ASSIGN_OR_RETURN(const auto visible,
                         ScoreMask(labels, findings.mask, object,
                                   OtherTypes(labels, DamageFamily::kLines), FaintLines(labels)));
  ScanEvaluation evaluation{.name = labels.name,
                            .hand = labels.hand,
                            .outcome = findings.outcome,
                            .corner_error_percent = whole.corner_error_percent,
                            .labels_turned = whole.labels_turned,
                            .marked = whole.marked,
                            .damaged = whole.agreement.has_value(),
                            .defects = whole.defects,
                            .all = whole.agreement,
                            .lines = lines.agreement,
                            .visible_lines = visible.agreement};
  GLINT_ASSIGN_OR_RETURN(evaluation.regions, RegionsOf(labels, result, object));
  GLINT_ASSIGN_OR_RETURN(const auto outline, OutlineOf(findings, result));
  if (outline.empty()) return evaluation;
  GLINT_ASSIGN_OR_RETURN(const auto score, ScoreMask(labels, outline, object,
                                                     OtherTypes(labels, DamageFamily::kOutline)));
  evaluation.outline = score.agreement;
  evaluation.outline_marked = score.marked;
  return evaluation;
}

std::vector<CurvePoint> CurveOf(std::span<const ScanEvaluation> scans) {
  return PrecisionRecall(AllRegions(scans));
}

std::vector<ReliabilityBin> ReliabilityOf(std::span<const ScanEvaluation> scans) {
  return MeasureReliability(AllRegions(scans));
}

LineSummary SummariseVisibleLines(std::span<const ScanEvaluation> scans, bool by_hand) {
  return Summarise(scans, [&](const ScanEvaluation& scan) {
    return ByHand(scan) == by_hand ? scan.visible_lines : std::nullopt;
  });
}

Counts CountLines(std::span<const ScanEvaluation> scans, Visibility visibility) {
  Counts counts;
  for (const ScanEvaluation& scan : scans) {
    for (const DefectScore& defect : scan.defects) {
      if (FamilyOf(defect.type) != DamageFamily::kLines || defect.visibility != visibility)
        continue;
      counts.found += defect.found ? 1 : 0;
      ++counts.known;
    }
  }
  return counts;
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
      "{:<{}} {:>8} {:>8} | {:>5} {:>5} {:>6} {:>6} | {:>5} {:>5} {:>6} {:>6} {:>6} | {:>5} {:>5} "
      "{:>6} {:>6}\n",
      "scan", width, "corner %", "marked %", "lineP", "R", "F", "found", "seenP", "R", "F", "found",
      "barely", "outlP", "R", "F", "found");
  for (const ScanEvaluation& scan : scans) {
    text += scan.failure.ok() ? ScanLine(scan, width) : FailureLine(scan, width);
  }
  if (const LineSummary lines = SummariseLines(scans); lines.scans > 0) {
    text += fmt::format("lines: mean F {:.3f}, worst {:.3f} over {} scans with lines\n", lines.mean,
                        lines.worst, lines.scans);
  }
  text += VisibleSummary(scans);
  text += CurveLine(scans);
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
               {"set", scan.set},
               {"outcome", Name(scan.outcome)},
               {"marked", scan.marked},
               {"damaged", scan.damaged}};
  json["corner_error_percent"] =
      scan.corner_error_percent ? Json(*scan.corner_error_percent) : Json(nullptr);
  json["labels_turned"] = scan.labels_turned;
  if (scan.as_expected) json["as_expected"] = *scan.as_expected;
  json["all"] = AgreementJson(scan.all);
  json["lines"] = AgreementJson(scan.lines);
  json["hand"] = scan.hand;
  json["visible_lines"] = AgreementJson(scan.visible_lines);
  json["outline"] = AgreementJson(scan.outline);
  json["outline_marked"] = scan.outline_marked ? Json(*scan.outline_marked) : Json(nullptr);
  json["defects"] = Json::array();
  for (const DefectScore& defect : scan.defects) {
    json["defects"].push_back({{"id", defect.id},
                               {"type", defect.type},
                               {"family", Name(FamilyOf(defect.type))},
                               {"visibility", Name(defect.visibility)},
                               {"covered", defect.covered},
                               {"found", defect.found}});
  }
  return json;
}

Json SummaryJson(std::span<const ScanEvaluation> scans) {
  const LineSummary lines = SummariseLines(scans);
  const std::vector<CurvePoint> curve = CurveOf(scans);
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
               {"visible_lines", VisibleJson(scans)},
               {"clean_most_marked", clean},
               {"average_precision", curve.empty() ? Json(nullptr) : Json(AveragePrecision(curve))},
               {"precision_recall", CurveJson(curve)},
               {"reliability", ReliabilityJson(ReliabilityOf(scans))},
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
