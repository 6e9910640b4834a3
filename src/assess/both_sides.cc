// SPDX-License-Identifier: Apache-2.0
#include "assess/both_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "assess/trade_names.h"
#include "assess/verdict.h"

namespace glint {
namespace {

struct Side {
  std::string_view name;
  const SideFindings& findings;

  /// Whether its defects are known.
  bool judged() const {
    return findings.assessment && findings.assessment->judges && findings.report.damaged_percent;
  }
  /// "The back was not judged: the light never changes."
  std::string Missing() const {
    const ScanReport& report = findings.report;
    std::string_view why = "the object could not be seen well enough";
    if (report.outcome == ScanOutcome::kNoUsableFrames) why = "no frame was steady enough";
    if (report.not_judged) why = Words(report.not_judged->cause);
    return fmt::format("The {} was not judged: {}.", name, why);
  }
};

using Sides = std::array<Side, 2>;

/// Of a detector that names no defects: what each side's report says.
std::string VerdictWithoutNames(const Sides& sides) {
  std::string text;
  for (const Side& side : sides) {
    if (!text.empty()) text += " ";
    text += side.findings.assessment
                ? fmt::format("{}: {}", Capital(side.name), side.findings.assessment->verdict)
                : side.Missing();
  }
  return text;
}

std::string VerdictOn(const Side& judged) {
  const Assessment& assessment = *judged.findings.assessment;
  const std::string wear = fmt::format("{} on the {}", WearOf(assessment.severity), judged.name);
  const std::string defects = ListDefects(assessment);
  return defects.empty() ? wear + "." : fmt::format("{}: {}.", wear, defects);
}

std::string VerdictOnBoth(const Sides& sides, Severity worst) {
  if (worst == Severity::kNone) return "No damage was found on either side.";
  std::string text;
  for (const Side& side : sides) {
    const std::string defects = ListDefects(*side.findings.assessment);
    text += fmt::format("{}{} on the {}", text.empty() ? "" : "; ",
                        defects.empty() ? "nothing" : defects, side.name);
  }
  return fmt::format("{}: {}.", WearOf(worst), text);
}

std::string VerdictOf(const Sides& sides, Severity worst) {
  const auto names_none = [](const Side& side) {
    return side.findings.assessment && !side.findings.assessment->judges;
  };
  if (std::ranges::any_of(sides, names_none)) return VerdictWithoutNames(sides);
  const auto& [front, back] = sides;
  if (front.judged() && back.judged()) return VerdictOnBoth(sides, worst);
  if (!front.judged() && !back.judged()) return "Neither side was judged.";
  const Side& judged = front.judged() ? front : back;
  const Side& other = front.judged() ? back : front;
  return VerdictOn(judged) + " " + other.Missing();
}

/// "front: one tear (heavy); back: nothing found"
std::vector<AxisSummary> AxesOf(const Sides& sides) {
  std::vector<AxisSummary> axes;
  for (const Axis axis : kAxes) {
    AxisSummary& both = axes.emplace_back();
    both.axis = axis;
    for (const Side& side : sides) {
      std::string text = "not judged";
      if (const auto& assessment = side.findings.assessment) {
        const auto one = std::ranges::find(assessment->axes, axis, &AxisSummary::axis);
        both.defects += one->defects;
        both.worst = std::max(both.worst, one->worst);
        text = one->text;
      }
      both.text += fmt::format("{}{}: {}", both.text.empty() ? "" : "; ", side.name, text);
    }
  }
  return axes;
}

}  // namespace

BothSides Together(const SideFindings& front, const SideFindings& back) {
  const Sides sides = {Side{"front", front}, Side{"back", back}};
  BothSides both;
  for (const Side& side : sides) {
    if (side.judged()) {
      both.severity =
          std::max(both.severity.value_or(Severity::kNone), side.findings.assessment->severity);
    } else if (!side.findings.assessment || side.findings.assessment->judges) {
      both.notes.push_back(side.Missing());
    }
  }
  both.verdict = VerdictOf(sides, both.severity.value_or(Severity::kNone));
  both.axes = AxesOf(sides);
  return both;
}

}  // namespace glint
